//! Fills.

use std::ffi::{c_uchar, c_uint};

use cuda_external_sys::*;

use super::call::{Answer, check, functions};
use super::ranges::{self, Keep};
use super::work::Work;
use super::{context, stream};

/// Rows of equal elements.
#[derive(Clone)]
pub struct Fill {
    to: u64,
    pitch: usize,
    element: usize,
    value: u32,
    width: usize,
    height: usize,
    _keep: Keep,
}

impl Fill {
    /// Checks the range. The element's size is 1, 2 or 4, the width is in elements.
    pub fn new(
        to: u64,
        pitch: usize,
        (element, value): (usize, u32),
        [width, height]: [usize; 2],
    ) -> Answer<Self> {
        check(matches!(element, 1 | 2 | 4) && to % element as u64 == 0, CUDA_ERROR_INVALID_VALUE)?;
        let row = width.checked_mul(element).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        check(height <= 1 || pitch >= row, CUDA_ERROR_INVALID_VALUE)?;
        let before = pitch.checked_mul(height.saturating_sub(1)).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let size = before.checked_add(row).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let keep = if height == 0 || row == 0 { Keep::new() } else { ranges::check_use(to, size as u64)? };
        Ok(Self { to, pitch, element, value, width, height, _keep: keep })
    }

    pub fn run(&self) {
        let bytes = self.value.to_ne_bytes();
        for y in 0..self.height {
            let row = std::ptr::with_exposed_provenance_mut::<u8>(self.to as usize + y * self.pitch);
            // SAFETY: `new` has checked the range, and keeps it.
            unsafe {
                match self.element {
                    1 => row.write_bytes(bytes[0], self.width),
                    2 => fill(row.cast(), u16::from_ne_bytes([bytes[0], bytes[1]]), self.width),
                    _ => fill(row.cast(), self.value, self.width),
                }
            }
        }
    }
}

unsafe fn fill<T: Copy>(to: *mut T, value: T, count: usize) {
    for at in 0..count {
        // SAFETY: the caller's promise: so many elements, aligned.
        unsafe { to.add(at).write(value) };
    }
}

fn linear(to: u64, element: usize, value: u32, count: usize) -> Answer<Work> {
    Ok(Work::Fill(Fill::new(to, 0, (element, value), [count, 1])?))
}

fn now(to: u64, element: usize, value: u32, count: usize) -> Answer {
    context::current()?.legacy().run(linear(to, element, value, count)?)
}

functions! {
    Init fn cuMemsetD8_v2: PFN_cuMemsetD8_v2, (to: CUdeviceptr, value: c_uchar, count: usize) {
        now(to, 1, value.into(), count)
    }
    Init fn cuMemsetD32_v2: PFN_cuMemsetD32_v2, (to: CUdeviceptr, value: c_uint, count: usize) {
        now(to, 4, value, count)
    }
    Init fn cuMemsetD8Async: PFN_cuMemsetD8Async, (to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream) {
        stream::find(stream)?.enqueue(linear(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32Async: PFN_cuMemsetD32Async, (to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream) {
        stream::find(stream)?.enqueue(linear(to, 4, value, count)?)
    }
}
