//! Splits a PTX text into words, numbers and marks.

use super::load_error::{Result, invalid_at_line};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// A name, an opcode with its modifiers, or a directive.
    Word(&'a str),
    Number(NumberLiteral),
    /// A string in quotes, without its text. Only debug information and pragmas have strings.
    Text,
    Mark(char),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberLiteral {
    /// An integer, in two's complement.
    Int(u64),
    /// The bits of `0f3F800000`.
    Single(u32),
    /// `0d3FF0000000000000`, or a decimal number such as `1.0`.
    Double(f64),
}

impl NumberLiteral {
    /// Returns the bits of the literal in a register of this width.
    pub fn literal_bits(self, width: u32) -> u64 {
        match self {
            Self::Int(value) => value,
            Self::Single(bits) => bits.into(),
            Self::Double(value) if width == 32 => (value as f32).to_bits().into(),
            Self::Double(value) => value.to_bits(),
        }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$%.".contains(&byte) || byte >= 128
}

pub fn tokenize(text: &str) -> Result<Vec<(Token<'_>, u32)>> {
    let (bytes, mut at, mut line, mut out) = (text.as_bytes(), 0, 1, Vec::new());
    while at < bytes.len() {
        let (rest, start) = (&bytes[at..], at);
        match rest[0] {
            b'\n' => {
                line += 1;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            // The newline is not skipped: the first arm counts it.
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => {
                let length = rest.windows(2).position(|part| part == b"*/").map_or(rest.len(), |end| end + 2);
                line += rest[..length].iter().filter(|byte| **byte == b'\n').count() as u32;
                at += length;
            }
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                out.push((Token::Text, line));
            }
            b'0'..=b'9' => {
                at += number_length(rest);
                let word = &text[start..at];
                match parse_literal(word) {
                    Some(number) => out.push((Token::Number(number), line)),
                    None => return invalid_at_line(line, format!("{word} is not a number")),
                }
            }
            byte if is_word_byte(byte) => {
                at += word_length(rest);
                out.push((Token::Word(&text[start..at]), line));
            }
            byte => {
                out.push((Token::Mark(byte.into()), line));
                at += 1;
            }
        }
    }
    Ok(out)
}

/// Returns the length of the number with which the bytes begin. A decimal exponent may have a sign.
fn number_length(bytes: &[u8]) -> usize {
    let has_prefix = bytes.len() > 1 && b"xXfFdDbB".contains(&bytes[1]);
    let is_sign = |at: usize| b"+-".contains(&bytes[at]) && b"eE".contains(&bytes[at - 1]) && !has_prefix;
    (1..bytes.len()).find(|at| !is_word_byte(bytes[*at]) && !is_sign(*at)).unwrap_or(bytes.len())
}

/// Returns the length of the word that the bytes begin with. `shared::cta` is one word, and `.reg.b32` is two words.
fn word_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && !(bytes[0] == b'.' && bytes[at] == b'.') {
        if bytes[at..].starts_with(b"::") {
            at += 2;
        } else if is_word_byte(bytes[at]) {
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn parse_literal(word: &str) -> Option<NumberLiteral> {
    let lower = word.to_ascii_lowercase();
    let bits = |digits: &str, length: usize| {
        (digits.len() == length).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    if let Some(digits) = lower.strip_prefix("0f") {
        return Some(NumberLiteral::Single(bits(digits, 8)? as u32));
    }
    if let Some(digits) = lower.strip_prefix("0d") {
        return Some(NumberLiteral::Double(f64::from_bits(bits(digits, 16)?)));
    }
    if !lower.starts_with("0x") && lower.contains(['.', 'e']) {
        return lower.parse().ok().map(NumberLiteral::Double);
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x', ..] => (&digits[2..], 16),
        [b'0', b'b', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(NumberLiteral::Int)
}
