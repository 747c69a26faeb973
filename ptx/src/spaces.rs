//! Generic addresses. The upper 16 bits, which no address of a process has, name memory that is not everybody's.

pub const WINDOW: u32 = 48;
pub const SHARED: u64 = 0xc1;
pub const LOCAL: u64 = 0xc2;
pub const PARAMETERS: u64 = 0xc3;
/// Functions have addresses too.
pub const FUNCTIONS: u64 = 0xc4;

/// Returns the number of a generic address's window: 0 for global memory, from 1 on in the order above.
#[inline(always)]
pub fn window(address: u64) -> u64 {
    let upper = address >> WINDOW;
    if (SHARED..=FUNCTIONS).contains(&upper) { upper - SHARED + 1 } else { 0 }
}
