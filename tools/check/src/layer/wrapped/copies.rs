//! Functions that copy or fill, and functions that make surface and texture objects. Without a stream, the work is
//! done when the function returns.

use std::ffi::{c_uchar, c_uint, c_ushort, c_void};

use cuda_external_sys::*;

use super::call_trace::synchronize_if_asked;
use super::on_success::on_success;
use super::wrap_macro::wrap;
use crate::layer::core_checks::copy_checks;
use crate::layer::sync::touched_ranges::{TouchedMemory, of_copy_2d, of_copy_3d, of_resource};

type Address = CUdeviceptr;

fn one(address: Address, bytes: usize) -> TouchedMemory {
    TouchedMemory::rows(address, bytes, 1)
}

fn row(array: CUarray, bytes: usize) -> TouchedMemory {
    if bytes == 0 { TouchedMemory::Nothing } else { TouchedMemory::Array(array.addr() as u64) }
}

macro_rules! transfers {
    ($($($name:ident)|+ $(: $pfn:ident)? ($($args:tt)*) $stream:expr, $touched:expr;)*) => {
        wrap! { $($($name)|+ $(: $pfn)? ($($args)*) |call| {
            let (stream, touched) = ($stream.map(|on: CUstream| call.stream(on)), $touched);
            let answer = copy_checks::run_copy(call, stream, &touched);
            synchronize_if_asked(call, stream, answer)
        };)* }
    };
}

transfers! {
    cuMemcpy | cuMemcpy_ptds: PFN_cuMemcpy(dst, src, n) None, [one(dst, n), one(src, n)];
    cuMemcpyAsync | cuMemcpyAsync_ptsz(dst: Address, src: Address, n: usize, s: CUstream)
        Some(s), [one(dst, n), one(src, n)];
    cuMemcpyHtoD_v2 | cuMemcpyHtoD_v2_ptds: PFN_cuMemcpyHtoD_v2(dst, src, n) None, [one(dst, n)];
    cuMemcpyHtoDAsync_v2 | cuMemcpyHtoDAsync_v2_ptsz: PFN_cuMemcpyHtoDAsync_v2(dst, src, n, s)
        Some(s), [one(dst, n)];
    cuMemcpyDtoH_v2 | cuMemcpyDtoH_v2_ptds: PFN_cuMemcpyDtoH_v2(dst, src, n) None, [one(src, n)];
    cuMemcpyDtoHAsync_v2 | cuMemcpyDtoHAsync_v2_ptsz: PFN_cuMemcpyDtoHAsync_v2(dst, src, n, s)
        Some(s), [one(src, n)];
    cuMemcpyDtoD_v2 | cuMemcpyDtoD_v2_ptds: PFN_cuMemcpyDtoD_v2(dst, src, n)
        None, [one(dst, n), one(src, n)];
    cuMemcpyDtoDAsync_v2 | cuMemcpyDtoDAsync_v2_ptsz: PFN_cuMemcpyDtoDAsync_v2(dst, src, n, s)
        Some(s), [one(dst, n), one(src, n)];
    cuMemcpy2D_v2 | cuMemcpy2D_v2_ptds: PFN_cuMemcpy2D_v2(copy) None, of_copy_2d(copy);
    cuMemcpy2DUnaligned_v2 | cuMemcpy2DUnaligned_v2_ptds: PFN_cuMemcpy2DUnaligned_v2(copy)
        None, of_copy_2d(copy);
    cuMemcpy2DAsync_v2 | cuMemcpy2DAsync_v2_ptsz: PFN_cuMemcpy2DAsync_v2(copy, s)
        Some(s), of_copy_2d(copy);
    cuMemcpy3D_v2 | cuMemcpy3D_v2_ptds: PFN_cuMemcpy3D_v2(copy) None, of_copy_3d(copy);
    cuMemcpy3DAsync_v2 | cuMemcpy3DAsync_v2_ptsz: PFN_cuMemcpy3DAsync_v2(copy, s)
        Some(s), of_copy_3d(copy);
    cuMemsetD8_v2 | cuMemsetD8_v2_ptds: PFN_cuMemsetD8_v2(dst, value, n) None, [one(dst, n)];
    cuMemsetD8Async | cuMemsetD8Async_ptsz: PFN_cuMemsetD8Async(dst, value, n, s)
        Some(s), [one(dst, n)];
    cuMemsetD16_v2 | cuMemsetD16_v2_ptds(dst: Address, value: c_ushort, n: usize)
        None, [one(dst, n)];
    cuMemsetD16Async | cuMemsetD16Async_ptsz(dst: Address, value: c_ushort, n: usize, s: CUstream)
        Some(s), [one(dst, n)];
    cuMemsetD32_v2 | cuMemsetD32_v2_ptds: PFN_cuMemsetD32_v2(dst, value, n) None, [one(dst, n)];
    cuMemsetD32Async | cuMemsetD32Async_ptsz: PFN_cuMemsetD32Async(dst, value, n, s)
        Some(s), [one(dst, n)];
    cuMemsetD2D8_v2 | cuMemsetD2D8_v2_ptds(
        dst: Address, pitch: usize, value: c_uchar, n: usize, rows: usize,
    ) None, [TouchedMemory::rows(dst, n, rows)];
    cuMemsetD2D8Async | cuMemsetD2D8Async_ptsz(
        dst: Address, pitch: usize, value: c_uchar, n: usize, rows: usize, s: CUstream,
    ) Some(s), [TouchedMemory::rows(dst, n, rows)];
    cuMemsetD2D32_v2 | cuMemsetD2D32_v2_ptds(
        dst: Address, pitch: usize, value: c_uint, n: usize, rows: usize,
    ) None, [TouchedMemory::rows(dst, n, rows)];
    cuMemsetD2D32Async | cuMemsetD2D32Async_ptsz(
        dst: Address, pitch: usize, value: c_uint, n: usize, rows: usize, s: CUstream,
    ) Some(s), [TouchedMemory::rows(dst, n, rows)];
    cuMemsetD2D16_v2 | cuMemsetD2D16_v2_ptds(
        dst: Address, pitch: usize, value: c_ushort, n: usize, rows: usize,
    ) None, [TouchedMemory::rows(dst, n, rows)];
    cuMemsetD2D16Async | cuMemsetD2D16Async_ptsz(
        dst: Address, pitch: usize, value: c_ushort, n: usize, rows: usize, s: CUstream,
    ) Some(s), [TouchedMemory::rows(dst, n, rows)];
    cuMemcpyPeer | cuMemcpyPeer_ptds(dst: Address, to: CUcontext, src: Address, from: CUcontext, n: usize)
        None, [one(dst, n), one(src, n)];
    cuMemcpyPeerAsync | cuMemcpyPeerAsync_ptsz(
        dst: Address, to: CUcontext, src: Address, from: CUcontext, n: usize, s: CUstream,
    ) Some(s), [one(dst, n), one(src, n)];
    // The struct of a peer copy names two contexts, in fields that are reserved in CUDA_MEMCPY3D.
    cuMemcpy3DPeer | cuMemcpy3DPeer_ptds(copy: *const CUDA_MEMCPY3D) None, of_copy_3d(copy);
    cuMemcpy3DPeerAsync | cuMemcpy3DPeerAsync_ptsz(copy: *const CUDA_MEMCPY3D, s: CUstream)
        Some(s), of_copy_3d(copy);
    cuMemcpyAtoH_v2 | cuMemcpyAtoH_v2_ptds(dst: *mut c_void, src: CUarray, offset: usize, n: usize)
        None, [row(src, n)];
    cuMemcpyAtoHAsync_v2 | cuMemcpyAtoHAsync_v2_ptsz(
        dst: *mut c_void, src: CUarray, offset: usize, n: usize, s: CUstream,
    ) Some(s), [row(src, n)];
    cuMemcpyHtoA_v2 | cuMemcpyHtoA_v2_ptds(dst: CUarray, offset: usize, src: *const c_void, n: usize)
        None, [row(dst, n)];
    cuMemcpyHtoAAsync_v2 | cuMemcpyHtoAAsync_v2_ptsz(
        dst: CUarray, offset: usize, src: *const c_void, n: usize, s: CUstream,
    ) Some(s), [row(dst, n)];
    cuMemcpyDtoA_v2 | cuMemcpyDtoA_v2_ptds(dst: CUarray, offset: usize, src: Address, n: usize)
        None, [row(dst, n), one(src, n)];
    cuMemcpyAtoD_v2 | cuMemcpyAtoD_v2_ptds(dst: Address, src: CUarray, offset: usize, n: usize)
        None, [one(dst, n), row(src, n)];
    cuMemcpyAtoA_v2 | cuMemcpyAtoA_v2_ptds(dst: CUarray, to: usize, src: CUarray, from: usize, n: usize)
        None, [row(dst, n), row(src, n)];
}

mod views {
    use super::*;
    use crate::layer::state_tracker::tracked_objects::AccessKind;

    wrap! {
        cuSurfObjectCreate: PFN_cuSurfObjectCreate(surface, resource) |call|
            copy_checks::create_view(call, surface, &[of_resource(resource)], AccessKind::MayWrite(0));
        cuTexObjectCreate: PFN_cuTexObjectCreate(texture, resource, description, view) |call|
            copy_checks::create_view(call, texture, &[of_resource(resource)], AccessKind::Read);
        cuSurfObjectDestroy: PFN_cuSurfObjectDestroy(surface) |call|
            on_success(call, |state| state.objects.set_view(surface, None));
        cuTexObjectDestroy: PFN_cuTexObjectDestroy(texture) |call|
            on_success(call, |state| state.objects.set_view(texture, None));
    }
}
pub use views::WRAPPED_FUNCTIONS as VIEW_FUNCTIONS;
