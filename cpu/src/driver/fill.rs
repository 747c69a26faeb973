//! Fills.

use std::ptr::with_exposed_provenance_mut;

use super::prelude::*;
use super::work::Work;
use super::{context, ranges, stream};

/// Returns the work of filling rows with equal elements. Checks the range.
pub fn work(to: u64, element: c_uint, value: u32, [width, height]: [usize; 2], pitch: usize) -> Answer<Work> {
    let (invalid, element) = (CUDA_ERROR_INVALID_VALUE, element as usize);
    require(matches!(element, 1 | 2 | 4) && to % element as u64 == 0)?;
    let row = width.checked_mul(element).ok_or(invalid)?;
    require(height <= 1 || pitch >= row)?;
    let height = if row == 0 { 0 } else { height };
    let before = pitch.checked_mul(height.saturating_sub(1)).ok_or(invalid)?;
    let size = if height == 0 { 0 } else { before.checked_add(row).ok_or(invalid)? };
    let keep = ranges::check_use(to, size as u64)?;
    Ok(Work::new(CU_GRAPH_NODE_TYPE_MEMSET, move || {
        let _ = &keep;
        for y in 0..height {
            let to = with_exposed_provenance_mut::<u8>(to as usize + y * pitch);
            // SAFETY: the range was checked, and is kept.
            let to = unsafe { std::slice::from_raw_parts_mut(to, row) };
            match element {
                1 => to.fill(value as u8),
                _ => to
                    .chunks_exact_mut(element)
                    .for_each(|to| to.copy_from_slice(&value.to_ne_bytes()[..element])),
            }
        }
    }))
}

fn fill(to: u64, element: c_uint, value: u32, count: usize) -> Answer<Work> {
    work(to, element, value, [count, 1], 0)
}

functions! {
    Init fn cuMemsetD8_v2: PFN_cuMemsetD8_v2, (to, value, count) {
        context::current()?.legacy()?.run(fill(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32_v2: PFN_cuMemsetD32_v2, (to, value, count) {
        context::current()?.legacy()?.run(fill(to, 4, value, count)?)
    }
    Init fn cuMemsetD8Async: PFN_cuMemsetD8Async, (to, value, count, stream) {
        stream::find(stream)?.enqueue(fill(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32Async: PFN_cuMemsetD32Async, (to, value, count, stream) {
        stream::find(stream)?.enqueue(fill(to, 4, value, count)?)
    }
}
