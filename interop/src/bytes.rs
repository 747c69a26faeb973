//! Bytes to send, and their comparison.

use crate::{Error, Result};

/// Returns bytes that depend on their position: positions near each other differ, and so do two seeds.
pub fn pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        // Xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Compares every byte. The error says how many are wrong, and where the first one is.
pub fn compare(what: &str, seen: &[u8], expected: &[u8]) -> Result<()> {
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

/// As [`compare`], for tests: panics where bytes are wrong.
#[track_caller]
pub fn assert_same(what: &str, seen: &[u8], expected: &[u8]) {
    compare(what, seen, expected).unwrap_or_else(|error| panic!("{error}"));
}

#[cfg(test)]
mod tests {
    use super::{compare, pattern};

    #[test]
    fn patterns_depend_on_position_and_seed() {
        let bytes = pattern(1, 1000);
        assert_eq!(bytes.len(), 1000);
        assert_ne!(bytes, pattern(2, 1000));
        // Not what fresh memory has.
        assert_ne!(pattern(0, 1000), [0; 1000]);
        // A copy that is shifted by a few bytes is not the same.
        for shift in 1..64 {
            assert_ne!(bytes[shift..shift + 64], bytes[..64], "{shift}");
        }
    }

    #[test]
    fn the_first_wrong_byte_is_named() {
        assert!(compare("equal", &[1, 2, 3], &[1, 2, 3]).is_ok());
        let error = compare("a copy", &[1, 9, 3, 9], &[1, 2, 3, 4]).unwrap_err();
        assert_eq!(error.to_string(), "a copy: 2 of 4 bytes are wrong, the first at 1: 09 instead of 02");
        let error = compare("a copy", &[1], &[1, 2]).unwrap_err();
        assert_eq!(error.to_string(), "a copy: 1 bytes instead of 2");
    }
}
