//! Functions that no opcode names alone.

use super::cells::{Compute, lanes};
use crate::spaces;

pub fn copy() -> Compute {
    lanes!(|a: u64| a)
}

pub fn inverted() -> Compute {
    lanes!(|a: u64| !a)
}

/// The sum and the carry of `a + b + c`.
pub fn carry(bits: u32) -> Option<[Compute; 2]> {
    Some(match bits {
        32 => [
            lanes!(|a: u32, b: u32, c: bool| a.wrapping_add(b).wrapping_add(c.into())),
            lanes!(|a: u32, b: u32, c: bool| (u64::from(a) + u64::from(b) + u64::from(c)) >> 32 != 0),
        ],
        64 => [
            lanes!(|a: u64, b: u64, c: bool| a.wrapping_add(b).wrapping_add(c.into())),
            lanes!(|a: u64, b: u64, c: bool| (u128::from(a) + u128::from(b) + u128::from(c)) >> 64 != 0),
        ],
        _ => return None,
    })
}

/// These bits where a predicate is true.
pub fn value_if(bits: u32) -> Compute {
    Compute { flags: bits, ..lanes!(|flags; p: bool| if p { flags } else { 0 }) }
}

/// Whether a generic address is in one of these windows: a bit for each.
pub fn window_is(windows: u32) -> Compute {
    Compute { flags: windows, ..lanes!(|flags; a: u64| flags >> spaces::window(a) & 1 != 0) }
}

/// Joins two or four registers of this width.
pub fn join(count: usize, bits: u32) -> Option<Compute> {
    Some(match (count, bits) {
        (2, 8) => lanes!(|a: u8, b: u8| u16::from(a) | u16::from(b) << 8),
        (2, 16) => lanes!(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
        (2, 32) => lanes!(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
        (4, 8) => lanes!(|a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d])),
        (4, 16) => lanes!(|a: u16, b: u16, c: u16, d: u16| {
            u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
        }),
        _ => return None,
    })
}

/// A part of a register: from this bit on, of this width.
pub fn part(at: u32, bits: u32) -> Compute {
    let all = lanes!(|flags; a: u64| a >> (flags & 255) & (!0 >> (64 - (flags >> 8))));
    Compute { flags: at | bits << 8, ..all }
}
