//! Fills.

use std::ptr::with_exposed_provenance_mut;

use cuda_external_sys::*;

use super::call::{Answer, check, functions};
use super::ranges::{self, Keep};
use super::work::Work;
use super::{context, stream};

/// Returns the work of filling rows with equal elements. Checks the range.
pub fn work(p: &CUDA_MEMSET_NODE_PARAMS) -> Answer<Work> {
    let invalid = CUDA_ERROR_INVALID_VALUE;
    let (start, pitch, element, width, height) = (p.dst, p.pitch, p.elementSize as usize, p.width, p.height);
    check(matches!(element, 1 | 2 | 4) && start % element as u64 == 0, invalid)?;
    let row = width.checked_mul(element).ok_or(invalid)?;
    check(height <= 1 || pitch >= row, invalid)?;
    let before = pitch.checked_mul(height.saturating_sub(1)).ok_or(invalid)?;
    let size = before.checked_add(row).ok_or(invalid)?;
    let keep = if height == 0 || row == 0 { Keep::new() } else { ranges::check_use(start, size as u64)? };
    let value = p.value.to_ne_bytes();
    Ok(Work::new(CU_GRAPH_NODE_TYPE_MEMSET, move || {
        let _ = &keep;
        for y in 0..height {
            let to = with_exposed_provenance_mut::<u8>(start as usize + y * pitch);
            // SAFETY: the range was checked, and is kept.
            let to = unsafe { std::slice::from_raw_parts_mut(to, row) };
            if element == 1 {
                to.fill(value[0]);
            } else {
                to.chunks_exact_mut(element).for_each(|to| to.copy_from_slice(&value[..element]));
            }
        }
    }))
}

fn linear(start: u64, element: u32, value: u32, count: usize) -> Answer<Work> {
    work(&CUDA_MEMSET_NODE_PARAMS {
        dst: start,
        pitch: 0,
        value,
        elementSize: element,
        width: count,
        height: 1,
    })
}

functions! {
    Init fn cuMemsetD8_v2: PFN_cuMemsetD8_v2, (to, value, count) {
        context::current()?.legacy()?.run(linear(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32_v2: PFN_cuMemsetD32_v2, (to, value, count) {
        context::current()?.legacy()?.run(linear(to, 4, value, count)?)
    }
    Init fn cuMemsetD8Async: PFN_cuMemsetD8Async, (to, value, count, stream) {
        stream::find(stream)?.enqueue(linear(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32Async: PFN_cuMemsetD32Async, (to, value, count, stream) {
        stream::find(stream)?.enqueue(linear(to, 4, value, count)?)
    }
}
