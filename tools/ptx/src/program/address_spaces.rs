//! Generic addresses, and atomic loads and stores. A generic address of global memory is an address in the process.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

pub const WINDOW: u32 = 48;
pub const SHARED: u64 = 0xc1;
pub const LOCAL: u64 = 0xc2;
pub const PARAMETERS: u64 = 0xc3;
pub const FUNCTIONS: u64 = 0xc4;

/// Returns the upper bits of a generic address, or 0 for global memory.
#[inline(always)]
pub fn window_of(address: u64) -> u64 {
    let upper = address >> WINDOW;
    if (SHARED..=FUNCTIONS).contains(&upper) { upper } else { 0 }
}

#[inline(always)]
pub fn host_pointer_to(place: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(place as usize)
}

/// # Safety
///
/// `bytes` is 1, 2, 4 or 8. `pointer` plus `offset` is aligned to `bytes`, and valid for reads of `bytes` bytes. Other
/// threads access these bytes only atomically.
#[inline(always)]
pub unsafe fn load_atomic(pointer: *mut u8, bytes: usize, offset: usize) -> u64 {
    // SAFETY: as the function's contract says, `pointer` plus `offset` is aligned and valid for reads of `bytes` bytes,
    // and other threads access the bytes only atomically.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer.add(offset)).load(Ordering::Relaxed).into(),
            2 => AtomicU16::from_ptr(pointer.add(offset).cast()).load(Ordering::Relaxed).into(),
            4 => AtomicU32::from_ptr(pointer.add(offset).cast()).load(Ordering::Relaxed).into(),
            _ => AtomicU64::from_ptr(pointer.add(offset).cast()).load(Ordering::Relaxed),
        }
    }
}

/// # Safety
///
/// `bytes` is 1, 2, 4 or 8. `pointer` plus `offset` is aligned to `bytes`, and valid for writes of `bytes` bytes. Other
/// threads access these bytes only atomically.
#[inline(always)]
pub unsafe fn store_atomic(pointer: *mut u8, bytes: usize, offset: usize, value: u64) {
    // SAFETY: as the function's contract says, `pointer` plus `offset` is aligned and valid for writes of `bytes`
    // bytes, and other threads access the bytes only atomically.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer.add(offset)).store(value as u8, Ordering::Relaxed),
            2 => AtomicU16::from_ptr(pointer.add(offset).cast()).store(value as u16, Ordering::Relaxed),
            4 => AtomicU32::from_ptr(pointer.add(offset).cast()).store(value as u32, Ordering::Relaxed),
            _ => AtomicU64::from_ptr(pointer.add(offset).cast()).store(value, Ordering::Relaxed),
        }
    }
}
