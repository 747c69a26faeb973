//! Fills.

use super::prelude::*;
use super::span::{Rows, Span};
use super::stream;
use super::work::Work;

/// Returns the work of filling rows with equal elements. Checks the range.
pub fn work(to: u64, element: c_uint, value: u32, [width, height]: [usize; 2], pitch: usize) -> Answer<Work> {
    require(matches!(element, 1 | 2 | 4) && to % u64::from(element) == 0)?;
    let element = element as usize;
    let row = width.checked_mul(element).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    require(height <= 1 || pitch >= row)?;
    let span = if row == 0 || height == 0 {
        None
    } else {
        Some(Span::of_device(Rows::new(to, [0; 3], [pitch, 0], [row, height, 1])?)?)
    };
    Ok(Work::new(CU_GRAPH_NODE_TYPE_MEMSET, (span, element, value), |(span, element, value)| {
        if let Some(span) = span {
            span.fill(&value.to_ne_bytes()[..*element]);
        }
    }))
}

fn fill(to: u64, element: c_uint, value: u32, count: usize) -> Answer<Work> {
    work(to, element, value, [count, 1], 0)
}

type Set2d<T> = unsafe extern "C" fn(CUdeviceptr, usize, T, usize, usize) -> CUresult;
type Set2dAsync<T> = unsafe extern "C" fn(CUdeviceptr, usize, T, usize, usize, CUstream) -> CUresult;

functions! {
    Init fn cuMemsetD16_v2: unsafe extern "C" fn(CUdeviceptr, u16, usize) -> CUresult, (to, value, count) {
        stream::legacy()?.run(fill(to, 2, value.into(), count)?)
    }
    Init fn cuMemsetD16Async: unsafe extern "C" fn(CUdeviceptr, u16, usize, CUstream) -> CUresult, (to, value, count, stream) {
        stream::find_usable(stream)?.enqueue(fill(to, 2, value.into(), count)?)
    }
    Init fn cuMemsetD2D8_v2: Set2d<u8>, (to, pitch, value, width, height) {
        stream::legacy()?.run(work(to, 1, value.into(), [width, height], pitch)?)
    }
    Init fn cuMemsetD2D16_v2: Set2d<u16>, (to, pitch, value, width, height) {
        stream::legacy()?.run(work(to, 2, value.into(), [width, height], pitch)?)
    }
    Init fn cuMemsetD2D32_v2: Set2d<u32>, (to, pitch, value, width, height) {
        stream::legacy()?.run(work(to, 4, value, [width, height], pitch)?)
    }
    Init fn cuMemsetD2D8Async: Set2dAsync<u8>, (to, pitch, value, width, height, stream) {
        stream::find_usable(stream)?.enqueue(work(to, 1, value.into(), [width, height], pitch)?)
    }
    Init fn cuMemsetD2D16Async: Set2dAsync<u16>, (to, pitch, value, width, height, stream) {
        stream::find_usable(stream)?.enqueue(work(to, 2, value.into(), [width, height], pitch)?)
    }
    Init fn cuMemsetD2D32Async: Set2dAsync<u32>, (to, pitch, value, width, height, stream) {
        stream::find_usable(stream)?.enqueue(work(to, 4, value, [width, height], pitch)?)
    }
    Init fn cuMemsetD8_v2: PFN_cuMemsetD8_v2, (to, value, count) {
        stream::legacy()?.run(fill(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32_v2: PFN_cuMemsetD32_v2, (to, value, count) {
        stream::legacy()?.run(fill(to, 4, value, count)?)
    }
    Init fn cuMemsetD8Async: PFN_cuMemsetD8Async, (to, value, count, stream) {
        stream::find_usable(stream)?.enqueue(fill(to, 1, value.into(), count)?)
    }
    Init fn cuMemsetD32Async: PFN_cuMemsetD32Async, (to, value, count, stream) {
        stream::find_usable(stream)?.enqueue(fill(to, 4, value, count)?)
    }
}
