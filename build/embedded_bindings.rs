//! The bindings that are part of the crate, the same text for every target.

pub fn embedded_text() -> &'static str {
    include_str!("../src/bindings/embedded.rs")
}

/// Returns the release in the text's first line, from whose header it was generated: (13, 5) for 13.5.
pub fn embedded_version() -> (u32, u32) {
    let (mut numbers, mut at) = ([0, 0], 0);
    for byte in &embedded_text().as_bytes()["// Generated from the cuda.h of CUDA ".len()..] {
        match byte {
            b'0'..=b'9' => numbers[at] = numbers[at] * 10 + u32::from(byte - b'0'),
            b'.' if at == 0 => at = 1,
            _ => break,
        }
    }
    numbers.into()
}
