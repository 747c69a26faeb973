//! The conversions of C's `printf`, in Rust.

use std::mem::take;

pub enum FormatPart {
    Text(String),
    Spec(PrintfSpec),
}

/// `%-08.3f`. A `*` stands for a width or a precision that is an argument.
#[derive(Default)]
pub struct PrintfSpec {
    pub kind: char,
    flags: String,
    width: usize,
    precision: Option<usize>,
    is_long: bool,
    pub stars: [bool; 2],
}

/// Returns the parts of a format.
pub fn parse_format(format: &str) -> Vec<FormatPart> {
    let (mut out, mut text, mut rest) = (Vec::new(), String::new(), format);
    while let Some((before, after)) = rest.split_once('%') {
        text += before;
        rest = after;
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
        } else if let Some((spec, after)) = parse_spec(rest) {
            out.extend([FormatPart::Text(take(&mut text)), FormatPart::Spec(spec)]);
            rest = after;
        } else {
            text.push('%');
        }
    }
    out.push(FormatPart::Text(text + rest));
    out
}

fn parse_spec(text: &str) -> Option<(PrintfSpec, &str)> {
    let end = text.find(|letter: char| "diouxXcspfFeEgGaA".contains(letter))?;
    let (spec, kind) = (&text[..end], text[end..].chars().next()?);
    let rest = spec.trim_start_matches(['-', '+', ' ', '#', '0']);
    let sizes = rest.trim_end_matches(['l', 'h', 'z', 'j', 't']);
    let is_long = rest[sizes.len()..].contains(['l', 'z', 'j', 't']) || kind == 'p';
    let (width, precision) = sizes.split_once('.').map_or((sizes, None), |(width, rest)| (width, Some(rest)));
    let number = |digits: &str| digits.parse().ok().filter(|number| *number <= 4096).unwrap_or(0);
    let spec = PrintfSpec {
        kind,
        flags: spec[..spec.len() - rest.len()].to_owned(),
        width: number(width),
        precision: precision.map(number),
        is_long,
        stars: [width == "*", precision == Some("*")],
    };
    Some((spec, &text[end + 1..]))
}

impl PrintfSpec {
    /// Takes the argument of the first or the second star.
    pub fn set_star(&mut self, star: usize, value: i32) {
        let size = (value.unsigned_abs() as usize).min(4096);
        if star == 1 {
            self.precision = (value >= 0).then_some(size);
            return;
        }
        self.width = size;
        if value < 0 {
            self.flags.push('-');
        }
    }

    /// Returns the bytes of the value.
    pub fn argument_bytes(&self) -> usize {
        if self.is_long || "sfFeEgGaA".contains(self.kind) { 8 } else { 4 }
    }

    fn has_flag(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    pub fn format_text(&self, text: &str) -> String {
        let length = self.precision.unwrap_or(usize::MAX);
        self.pad("", &text.chars().take(length).collect::<String>(), false)
    }

    /// Adds the characters that fill the width: behind, before, or between the sign and the digits.
    fn pad(&self, sign: &str, body: &str, zeros: bool) -> String {
        let room = self.width.saturating_sub(sign.len() + body.chars().count());
        match () {
            () if self.has_flag('-') => format!("{sign}{body}{}", " ".repeat(room)),
            () if zeros && self.has_flag('0') => format!("{sign}{}{body}", "0".repeat(room)),
            () => format!("{}{sign}{body}", " ".repeat(room)),
        }
    }

    pub fn format_number(&self, bits: u64) -> String {
        match self.kind {
            'c' => self.pad("", &char::from(bits as u8).to_string(), false),
            'p' => self.pad("", &format!("{bits:#x}"), false),
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' => self.format_integer(bits),
            _ => self.format_float(f64::from_bits(bits)),
        }
    }

    fn sign_text(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.has_flag('+'), self.has_flag(' ')) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn format_integer(&self, bits: u64) -> String {
        let signed = if self.is_long { bits as i64 } else { (bits as i32).into() };
        let unsigned = if self.is_long { bits } else { u64::from(bits as u32) };
        let (prefix, digits) = match self.kind {
            'd' | 'i' => (self.sign_text(signed < 0), signed.unsigned_abs().to_string()),
            'u' => ("", unsigned.to_string()),
            'o' => ("0", format!("{unsigned:o}")),
            'x' => ("0x", format!("{unsigned:x}")),
            _ => ("0X", format!("{unsigned:X}")),
        };
        let is_shown = prefix.starts_with(['-', '+', ' ']) || (self.has_flag('#') && unsigned != 0);
        let zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        self.pad(if is_shown { prefix } else { "" }, &("0".repeat(zeros) + &digits), self.precision.is_none())
    }

    fn format_float(&self, value: f64) -> String {
        let (sign, size) = (self.sign_text(value.is_sign_negative()), value.abs());
        let precision = self.precision.unwrap_or(6);
        let body = match self.kind.to_ascii_lowercase() {
            _ if size.is_nan() => "nan".to_owned(),
            _ if size.is_infinite() => "inf".to_owned(),
            'f' => format!("{size:.precision$}"),
            'e' => format_exponential(size, precision),
            'g' => self.format_shortest(size, precision.max(1)),
            _ => format_hexadecimal(size),
        };
        let body = if self.kind.is_ascii_uppercase() { body.to_uppercase() } else { body };
        self.pad(sign, &body, size.is_finite())
    }

    /// `%g`: the form with fewer letters, without zeros at its end.
    fn format_shortest(&self, size: f64, precision: usize) -> String {
        let scientific = format_exponential(size, precision - 1);
        let (digits, exponent) = scientific.split_once('e').expect("an exponent");
        let power: i32 = exponent.parse().expect("a number");
        let is_trimmed = |digits: &str| digits.contains('.') && !self.has_flag('#');
        let trimmed = |digits: &str| match is_trimmed(digits) {
            true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => digits.to_owned(),
        };
        if power < -4 || power >= precision as i32 {
            return format!("{}e{exponent}", trimmed(digits));
        }
        let places = (precision as i32 - 1 - power) as usize;
        trimmed(&format!("{size:.places$}"))
    }
}

/// `1.5e+03`: the exponent has a sign and at least two digits.
fn format_exponential(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (digits, power) = text.split_once('e').expect("an exponent");
    let power: i32 = power.parse().expect("a number");
    format!("{digits}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// `0x1.8p+1`
fn format_hexadecimal(size: f64) -> String {
    let (exponent, fraction) = ((size.to_bits() >> 52) as i32, size.to_bits() & ((1 << 52) - 1));
    let (first, power) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!(".{fraction:013x}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("0x{first}{digits}p{power:+}")
}
