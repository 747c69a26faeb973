//! Functions that copy or fill, or make an object to read and write by. One without a stream is done when it returns.

use std::ffi::{c_uchar, c_uint, c_ushort, c_void};

use cuda_external_sys::*;

use super::family::stream;
use super::trace::synchronized;
use super::wrap;
use crate::layer::transfers::{self, Touched};

type Address = CUdeviceptr;

fn one(address: Address, bytes: usize) -> Touched {
    Touched::rows(address, bytes, 1)
}

macro_rules! transfers {
    ($($name:ident($($arg:ident: $ty:ty),*) $stream:expr, $touched:expr;)*) => {
        wrap! { $($name($($arg: $ty),*) |call, real| {
            let (stream, touched) = ($stream.map(|on: CUstream| stream(on, call)), $touched);
            let run = || transfers::run(call, stream, &touched, real);
            match stream {
                Some(stream) => synchronized(call, stream, run),
                None => run(),
            }
        };)* }
    };
}

transfers! {
    cuMemcpy(dst: Address, src: Address, n: usize) None, [one(dst, n), one(src, n)];
    cuMemcpy_ptds(dst: Address, src: Address, n: usize) None, [one(dst, n), one(src, n)];
    cuMemcpyAsync(dst: Address, src: Address, n: usize, s: CUstream) Some(s), [one(dst, n), one(src, n)];
    cuMemcpyAsync_ptsz(dst: Address, src: Address, n: usize, s: CUstream) Some(s), [one(dst, n), one(src, n)];
    cuMemcpyHtoD_v2(dst: Address, src: *const c_void, n: usize) None, [one(dst, n)];
    cuMemcpyHtoD_v2_ptds(dst: Address, src: *const c_void, n: usize) None, [one(dst, n)];
    cuMemcpyHtoDAsync_v2(dst: Address, src: *const c_void, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemcpyHtoDAsync_v2_ptsz(dst: Address, src: *const c_void, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemcpyDtoH_v2(dst: *mut c_void, src: Address, n: usize) None, [one(src, n)];
    cuMemcpyDtoH_v2_ptds(dst: *mut c_void, src: Address, n: usize) None, [one(src, n)];
    cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: Address, n: usize, s: CUstream) Some(s), [one(src, n)];
    cuMemcpyDtoHAsync_v2_ptsz(dst: *mut c_void, src: Address, n: usize, s: CUstream) Some(s), [one(src, n)];
    cuMemcpyDtoD_v2(dst: Address, src: Address, n: usize) None, [one(dst, n), one(src, n)];
    cuMemcpyDtoD_v2_ptds(dst: Address, src: Address, n: usize) None, [one(dst, n), one(src, n)];
    cuMemcpyDtoDAsync_v2(dst: Address, src: Address, n: usize, s: CUstream) Some(s), [one(dst, n), one(src, n)];
    cuMemcpyDtoDAsync_v2_ptsz(dst: Address, src: Address, n: usize, s: CUstream) Some(s), [one(dst, n), one(src, n)];
    cuMemcpy2D_v2(copy: *const CUDA_MEMCPY2D) None, transfers::of_copy_2d(copy);
    cuMemcpy2D_v2_ptds(copy: *const CUDA_MEMCPY2D) None, transfers::of_copy_2d(copy);
    cuMemcpy2DUnaligned_v2(copy: *const CUDA_MEMCPY2D) None, transfers::of_copy_2d(copy);
    cuMemcpy2DUnaligned_v2_ptds(copy: *const CUDA_MEMCPY2D) None, transfers::of_copy_2d(copy);
    cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, s: CUstream) Some(s), transfers::of_copy_2d(copy);
    cuMemcpy2DAsync_v2_ptsz(copy: *const CUDA_MEMCPY2D, s: CUstream) Some(s), transfers::of_copy_2d(copy);
    cuMemcpy3D_v2(copy: *const CUDA_MEMCPY3D) None, transfers::of_copy_3d(copy);
    cuMemcpy3D_v2_ptds(copy: *const CUDA_MEMCPY3D) None, transfers::of_copy_3d(copy);
    cuMemcpy3DAsync_v2(copy: *const CUDA_MEMCPY3D, s: CUstream) Some(s), transfers::of_copy_3d(copy);
    cuMemcpy3DAsync_v2_ptsz(copy: *const CUDA_MEMCPY3D, s: CUstream) Some(s), transfers::of_copy_3d(copy);
    cuMemsetD8_v2(dst: Address, value: c_uchar, n: usize) None, [one(dst, n)];
    cuMemsetD8_v2_ptds(dst: Address, value: c_uchar, n: usize) None, [one(dst, n)];
    cuMemsetD8Async(dst: Address, value: c_uchar, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemsetD8Async_ptsz(dst: Address, value: c_uchar, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemsetD16_v2(dst: Address, value: c_ushort, n: usize) None, [one(dst, n)];
    cuMemsetD16_v2_ptds(dst: Address, value: c_ushort, n: usize) None, [one(dst, n)];
    cuMemsetD16Async(dst: Address, value: c_ushort, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemsetD16Async_ptsz(dst: Address, value: c_ushort, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemsetD32_v2(dst: Address, value: c_uint, n: usize) None, [one(dst, n)];
    cuMemsetD32_v2_ptds(dst: Address, value: c_uint, n: usize) None, [one(dst, n)];
    cuMemsetD32Async(dst: Address, value: c_uint, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemsetD32Async_ptsz(dst: Address, value: c_uint, n: usize, s: CUstream) Some(s), [one(dst, n)];
    cuMemsetD2D8_v2(dst: Address, pitch: usize, value: c_uchar, n: usize, rows: usize) None, [Touched::rows(dst, n, rows)];
    cuMemsetD2D8_v2_ptds(dst: Address, pitch: usize, value: c_uchar, n: usize, rows: usize) None, [Touched::rows(dst, n, rows)];
    cuMemsetD2D8Async(dst: Address, pitch: usize, value: c_uchar, n: usize, rows: usize, s: CUstream)
        Some(s), [Touched::rows(dst, n, rows)];
    cuMemsetD2D8Async_ptsz(dst: Address, pitch: usize, value: c_uchar, n: usize, rows: usize, s: CUstream)
        Some(s), [Touched::rows(dst, n, rows)];
    cuMemsetD2D32_v2(dst: Address, pitch: usize, value: c_uint, n: usize, rows: usize) None, [Touched::rows(dst, n, rows)];
    cuMemsetD2D32_v2_ptds(dst: Address, pitch: usize, value: c_uint, n: usize, rows: usize) None, [Touched::rows(dst, n, rows)];
    cuMemsetD2D32Async(dst: Address, pitch: usize, value: c_uint, n: usize, rows: usize, s: CUstream)
        Some(s), [Touched::rows(dst, n, rows)];
    cuMemsetD2D32Async_ptsz(dst: Address, pitch: usize, value: c_uint, n: usize, rows: usize, s: CUstream)
        Some(s), [Touched::rows(dst, n, rows)];
    cuSurfObjectCreate(surface: *mut CUsurfObject, resource: *const CUDA_RESOURCE_DESC) None, [transfers::of_resource(resource)];
    cuTexObjectCreate(
        texture: *mut CUtexObject,
        resource: *const CUDA_RESOURCE_DESC,
        description: *const CUDA_TEXTURE_DESC,
        view: *const CUDA_RESOURCE_VIEW_DESC
    ) None, [transfers::of_resource(resource)];
}
