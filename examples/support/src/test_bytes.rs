//! Bytes to send, and their comparison.

use crate::{Error, Result};

/// Returns `length` pseudorandom bytes, so that a comparison finds bytes of another seed or at a wrong offset.
pub fn test_pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let words = (0..length.div_ceil(8)).map(|_| {
        // Xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    let mut bytes = Vec::from_iter(words).into_flattened();
    bytes.truncate(length);
    bytes
}

/// Compares the lengths and every byte. The error has both lengths, or the number of wrong bytes and the first of them.
pub fn compare_bytes(what: &str, seen: &[u8], expected: &[u8]) -> Result<()> {
    if seen.len() != expected.len() {
        return Err(Error::Failed(format!("{what}: {} bytes instead of {}", seen.len(), expected.len())));
    }
    if seen == expected {
        return Ok(());
    }
    let wrong: Vec<usize> = (0..seen.len()).filter(|&at| seen[at] != expected[at]).collect();
    Err(Error::Failed(format!(
        "{what}: {} of {} bytes are wrong, the first at {}: {:02x} instead of {:02x}",
        wrong.len(),
        seen.len(),
        wrong[0],
        seen[wrong[0]],
        expected[wrong[0]]
    )))
}

/// As [`compare_bytes`], for tests: panics if bytes are wrong.
#[track_caller]
pub fn assert_same_bytes(what: &str, seen: &[u8], expected: &[u8]) {
    compare_bytes(what, seen, expected).unwrap_or_else(|error| panic!("{error}"));
}
