//! The parts of a `printf` format. The host's C library formats each value, as it does for kernels on a GPU.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

unsafe extern "C" {
    fn snprintf(buffer: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

/// A conversion such as `%-08.3f`. A `*` in `options` represents a width or a precision that is an argument.
pub struct PrintfSpec<'a> {
    /// The flags, the width and the precision.
    options: &'a str,
    /// The length `h` or `hh`, or empty. `is_long` represents `l`, `ll`, `z`, `j` and `t`.
    short: &'a str,
    pub kind: char,
    is_long: bool,
}

const MAX_WIDTH: i32 = 4096;

/// Returns the parts of a format. Each part is a text and, if one follows, a conversion.
pub fn parse_printf_format(format: &str) -> Vec<(&str, Option<PrintfSpec<'_>>)> {
    let (mut parts, mut rest) = (Vec::new(), format);
    while let Some(start) = rest.find('%') {
        let after = &rest[start + 1..];
        let (part, behind) = match PrintfSpec::parse_spec(after) {
            Some((spec, behind)) => ((&rest[..start], Some(spec)), behind),
            None => ((&rest[..=start], None), after.strip_prefix('%').unwrap_or(after)),
        };
        parts.push(part);
        rest = behind;
    }
    parts.push((rest, None));
    parts
}

impl<'a> PrintfSpec<'a> {
    fn parse_spec(text: &'a str) -> Option<(Self, &'a str)> {
        let end = text.find(|letter: char| !"-+ #0123456789.*hlzjt".contains(letter))?;
        let kind = text[end..].chars().next().filter(|kind| "diouxXcspfFeEgGaA".contains(*kind))?;
        let options = text[..end].trim_end_matches(['h', 'l', 'z', 'j', 't']);
        let length = &text[options.len()..end];
        let mut numbers = options.split(|letter: char| !letter.is_ascii_digit());
        if options.contains(char::is_alphabetic) || numbers.any(|number| number.len() > 4) {
            return None;
        }
        let is_long = length.contains(['l', 'z', 'j', 't']) || kind == 'p';
        let short = if is_long { "" } else { length };
        Some((Self { options, short, kind, is_long }, &text[end + 1..]))
    }

    pub fn star_count(&self) -> usize {
        self.options.matches('*').count()
    }

    pub fn argument_bytes(&self) -> usize {
        if self.is_long || "sfFeEgGaA".contains(self.kind) { 8 } else { 4 }
    }

    /// Formats an argument from its bits, or for `%s` from its text.
    pub fn format_argument(&self, stars: &[i32], bits: u64, text: &CStr) -> Vec<u8> {
        let mut options = self.options.to_owned();
        for number in stars.iter().map(|number| (*number).clamp(-MAX_WIDTH, MAX_WIDTH)) {
            let Some(place) = options.find('*') else { break };
            // A negative precision counts as no precision.
            if number < 0 && options[..place].ends_with('.') {
                options.replace_range(place - 1..=place, "");
            } else {
                options.replace_range(place..=place, &number.to_string());
            }
        }
        let is_integer = "diouxX".contains(self.kind);
        let length = if self.is_long && is_integer { "ll" } else { self.short };
        let format = CString::new(format!("%{options}{length}{}", self.kind)).expect("no zero in a format");
        let print = |buffer: *mut c_char, size: usize| {
            // SAFETY: `buffer` has `size` bytes, or is null with a `size` of 0. Each arm passes an argument of the type
            // that its conversion takes.
            unsafe {
                match self.kind {
                    's' => snprintf(buffer, size, format.as_ptr(), text.as_ptr()),
                    'p' => snprintf(buffer, size, format.as_ptr(), bits as usize as *const c_void),
                    _ if self.is_long && is_integer => snprintf(buffer, size, format.as_ptr(), bits),
                    _ if is_integer || self.kind == 'c' => {
                        snprintf(buffer, size, format.as_ptr(), bits as u32)
                    }
                    _ => snprintf(buffer, size, format.as_ptr(), f64::from_bits(bits)),
                }
            }
        };
        let mut bytes = vec![0_u8; print(null_mut(), 0).max(0) as usize + 1];
        print(bytes.as_mut_ptr().cast(), bytes.len());
        bytes.pop();
        bytes
    }
}
