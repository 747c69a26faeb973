//! The conversions of C's `printf`, in Rust.

use std::mem::take;

pub enum Part {
    Text(String),
    Value(Conversion),
}

/// `%-08.3f`
#[derive(Default)]
pub struct Conversion {
    pub kind: char,
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
    is_long: bool,
    stars: [bool; 2],
}

/// What a `*` stands for.
#[derive(Clone, Copy)]
pub enum Star {
    Width,
    Precision,
}

/// Returns the parts of a format.
pub fn parse(format: &str) -> Vec<Part> {
    let (mut out, mut text, mut rest) = (Vec::new(), String::new(), format);
    while let Some((before, after)) = rest.split_once('%') {
        text += before;
        rest = after;
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
        } else if let Some((conversion, after)) = conversion(rest) {
            out.extend([Part::Text(take(&mut text)), Part::Value(conversion)]);
            rest = after;
        } else {
            text.push('%');
        }
    }
    text += rest;
    out.push(Part::Text(text));
    out
}

fn conversion(text: &str) -> Option<(Conversion, &str)> {
    let end = text.find(|letter: char| "diouxXcspfFeEgGaA".contains(letter))?;
    let (spec, kind) = (&text[..end], text[end..].chars().next()?);
    let flags = spec.len() - spec.trim_start_matches(['-', '+', ' ', '#', '0']).len();
    let (flags, spec) = spec.split_at(flags);
    let sizes = spec.trim_end_matches(['l', 'h', 'z', 'j', 't']);
    let is_long = spec[sizes.len()..].contains(['l', 'z', 'j', 't']) || kind == 'p';
    let (width, precision) = sizes.split_once('.').map_or((sizes, None), |(width, rest)| (width, Some(rest)));
    let number = |digits: &str| digits.parse().ok().filter(|number| *number <= 4096);
    let conversion = Conversion {
        kind,
        flags: flags.to_owned(),
        width: number(width),
        precision: precision.map(|digits| number(digits).unwrap_or(0)),
        is_long,
        stars: [width == "*", precision == Some("*")],
    };
    Some((conversion, &text[end + 1..]))
}

impl Conversion {
    /// Returns what is given by arguments before the value.
    pub fn stars(&self) -> Vec<Star> {
        let all = [Star::Width, Star::Precision];
        all.into_iter().zip(self.stars).filter_map(|(star, is)| is.then_some(star)).collect()
    }

    pub fn fill(&mut self, star: Star, value: i32) {
        let size = (value.unsigned_abs() as usize).min(4096);
        match star {
            Star::Width => {
                self.width = Some(size);
                if value < 0 {
                    self.flags.push('-');
                }
            }
            Star::Precision => self.precision = (value >= 0).then_some(size),
        }
    }

    /// Returns the bytes of the value.
    pub fn size(&self) -> usize {
        if self.is_long || "sfFeEgGaA".contains(self.kind) { 8 } else { 4 }
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    pub fn text(&self, text: &str) -> String {
        let length = self.precision.unwrap_or(usize::MAX);
        self.padded("", text.chars().take(length).collect(), false)
    }

    /// Adds what fills the width: behind, before, or between the sign and the digits.
    fn padded(&self, sign: &str, body: String, zeros: bool) -> String {
        let room = self.width.unwrap_or(0).saturating_sub(sign.len() + body.chars().count());
        if self.has('-') {
            return format!("{sign}{body}{}", " ".repeat(room));
        }
        if zeros && self.has('0') {
            return format!("{sign}{}{body}", "0".repeat(room));
        }
        format!("{}{sign}{body}", " ".repeat(room))
    }

    pub fn number(&self, bits: u64) -> String {
        match self.kind {
            'c' => self.padded("", char::from(bits as u8).to_string(), false),
            'p' => self.padded("", format!("{bits:#x}"), false),
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' => self.integer(bits),
            _ => self.float(f64::from_bits(bits)),
        }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.has('+'), self.has(' ')) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(&self, bits: u64) -> String {
        let (signed, unsigned) =
            if self.is_long { (bits as i64, bits) } else { ((bits as i32).into(), u64::from(bits as u32)) };
        let has_prefix = self.has('#') && unsigned != 0;
        let (sign, digits) = match self.kind {
            'd' | 'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            'u' => ("", unsigned.to_string()),
            'o' => (if has_prefix { "0" } else { "" }, format!("{unsigned:o}")),
            'x' => (if has_prefix { "0x" } else { "" }, format!("{unsigned:x}")),
            _ => (if has_prefix { "0X" } else { "" }, format!("{unsigned:X}")),
        };
        let zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        self.padded(sign, "0".repeat(zeros) + &digits, self.precision.is_none())
    }

    fn float(&self, value: f64) -> String {
        let (sign, size) = (self.sign(value.is_sign_negative()), value.abs());
        let upper = self.kind.is_ascii_uppercase();
        if !size.is_finite() {
            let name = if size.is_nan() { "nan" } else { "inf" };
            return self.padded(sign, if upper { name.to_uppercase() } else { name.to_owned() }, false);
        }
        let precision = self.precision.unwrap_or(6);
        let body = match self.kind.to_ascii_lowercase() {
            'f' => format!("{size:.precision$}"),
            'e' => exponential(size, precision),
            'g' => self.shortest(size, precision.max(1)),
            _ => hexadecimal(size),
        };
        self.padded(sign, if upper { body.to_uppercase() } else { body }, true)
    }

    /// `%g`: the form with fewer letters, without zeros at its end.
    fn shortest(&self, size: f64, precision: usize) -> String {
        let scientific = exponential(size, precision - 1);
        let (digits, exponent) = scientific.split_once('e').expect("an exponent");
        let power: i32 = exponent.parse().expect("a number");
        let trimmed = |digits: &str| match digits.contains('.') && !self.has('#') {
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
fn exponential(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (digits, power) = text.split_once('e').expect("an exponent");
    let power: i32 = power.parse().expect("a number");
    format!("{digits}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// `0x1.8p+1`
fn hexadecimal(size: f64) -> String {
    let bits = size.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let (first, power) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{first}{point}{digits}p{power:+}")
}
