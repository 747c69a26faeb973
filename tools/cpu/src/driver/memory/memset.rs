use crate::driver::addresses::accessible_memory::{ByteSpan, PitchedRows};
use crate::driver::driver_prelude::*;

pub struct Memset {
    pub to: u64,
    /// The bytes of an element.
    pub element: c_uint,
    pub value: u32,
    pub extent: [usize; 2],
    pub pitch: usize,
}

impl Memset {
    fn find_filled_memory(&self) -> CudaResult<Option<ByteSpan>> {
        let (element, [width, height]) = (self.element as usize, self.extent);
        ensure_valid(matches!(element, 1 | 2 | 4))?;
        let row = width.checked_mul(element).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        ensure_valid(height <= 1 || self.pitch >= row)?;
        if row == 0 || height == 0 {
            return Ok(None);
        }
        ensure_valid(self.to % element as u64 == 0)?;
        let rows = PitchedRows::new(self.to, [0; 3], [self.pitch, 0], [row, height, 1])?;
        ByteSpan::span_in_device(rows, ReadOrWrite::Write).map(Some)
    }

    pub fn into_work(self) -> CudaResult<QueuedWork> {
        Ok(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEMSET, (self.find_filled_memory()?, self), |(span, fill)| {
            let element = &fill.value.to_ne_bytes()[..fill.element as usize];
            span.as_ref().map_or(Ok(()), |span| span.fill_with(element))
        }))
    }

    fn fill_and_wait(self) -> CudaResult {
        stream_queue::default_stream()?.run_and_wait(self.into_work()?)
    }

    fn enqueue_memset(self, stream: CUstream) -> CudaResult {
        let stream = find_usable_stream(stream)?;
        stream.enqueue_work(self.into_work()?)
    }
}

fn describe_memset1d<E: Into<u32>>(to: u64, value: E, count: usize) -> Memset {
    describe_memset2d(to, 0, value, [count, 1])
}

fn describe_memset2d<E: Into<u32>>(to: u64, pitch: usize, value: E, extent: [usize; 2]) -> Memset {
    Memset { to, element: size_of::<E>() as c_uint, value: value.into(), extent, pitch }
}

type Fill2DFunction<E> = unsafe extern "C" fn(CUdeviceptr, usize, E, usize, usize) -> CUresult;
type Fill2DAsyncFunction<E> = unsafe extern "C" fn(CUdeviceptr, usize, E, usize, usize, CUstream) -> CUresult;

functions! {
    Init fn cuMemsetD8_v2 +_ptds: PFN_cuMemsetD8_v2, (to, value, count) {
        describe_memset1d(to, value, count).fill_and_wait()
    }
    Init fn cuMemsetD8Async +_ptsz: PFN_cuMemsetD8Async, (to, value, count, stream) {
        describe_memset1d(to, value, count).enqueue_memset(stream)
    }
    Init fn cuMemsetD16_v2 +_ptds(to: CUdeviceptr, value: u16, count: usize) {
        describe_memset1d(to, value, count).fill_and_wait()
    }
    Init fn cuMemsetD16Async +_ptsz(to: CUdeviceptr, value: u16, count: usize, stream: CUstream) {
        describe_memset1d(to, value, count).enqueue_memset(stream)
    }
    Init fn cuMemsetD32_v2 +_ptds: PFN_cuMemsetD32_v2, (to, value, count) {
        describe_memset1d(to, value, count).fill_and_wait()
    }
    Init fn cuMemsetD32Async +_ptsz: PFN_cuMemsetD32Async, (to, value, count, stream) {
        describe_memset1d(to, value, count).enqueue_memset(stream)
    }
    Init fn cuMemsetD2D8_v2 +_ptds: Fill2DFunction<u8>, (to, pitch, value, width, height) {
        describe_memset2d(to, pitch, value, [width, height]).fill_and_wait()
    }
    Init fn cuMemsetD2D8Async +_ptsz: Fill2DAsyncFunction<u8>, (to, pitch, value, width, height, stream) {
        describe_memset2d(to, pitch, value, [width, height]).enqueue_memset(stream)
    }
    Init fn cuMemsetD2D16_v2 +_ptds: Fill2DFunction<u16>, (to, pitch, value, width, height) {
        describe_memset2d(to, pitch, value, [width, height]).fill_and_wait()
    }
    Init fn cuMemsetD2D16Async +_ptsz: Fill2DAsyncFunction<u16>, (to, pitch, value, width, height, stream) {
        describe_memset2d(to, pitch, value, [width, height]).enqueue_memset(stream)
    }
    Init fn cuMemsetD2D32_v2 +_ptds: Fill2DFunction<u32>, (to, pitch, value, width, height) {
        describe_memset2d(to, pitch, value, [width, height]).fill_and_wait()
    }
    Init fn cuMemsetD2D32Async +_ptsz: Fill2DAsyncFunction<u32>, (to, pitch, value, width, height, stream) {
        describe_memset2d(to, pitch, value, [width, height]).enqueue_memset(stream)
    }
}
