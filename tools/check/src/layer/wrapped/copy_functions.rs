//! Functions that copy or fill memory and arrays.

use std::ffi::{c_uchar, c_uint, c_ushort, c_void};

use cuda_external_sys::*;

use crate::layer::chassis::wrapped_call::wrap;
use crate::layer::core_checks::use_after_end::{
    self,
    CopyCompletion::{self, HostGoesOn, HostWaits, InStream, InStreamToHost},
};
use crate::layer::sync::call_accesses::{
    CopyAccesses, copy_2d_accesses, copy_3d_accesses, linear, part_of_array, pitched, read, write,
};

fn when_described_copy_is_done(copy: CopyAccesses) -> CopyCompletion {
    if copy.is_on_device { HostGoesOn } else { HostWaits }
}

/// Exports functions that copy or fill memory. Each row ends with a `CopyCompletion` and the accesses to memory.
macro_rules! copies {
    ($(
        $($name:ident)|+ $(/ $($per_thread:ident)|+)? $(: $pfn:ident)? ($($args:tt)*) $completion:expr, $accesses:expr;
    )*) => {
        wrap! { $($($name)|+ $(/ $($per_thread)|+)? $(: $pfn)? ($($args)*) |call| {
            let (completion, accesses) = ($completion, $accesses);
            use_after_end::run_checked_copy(call, completion, &accesses)
        };)* }
    };
}

copies! {
    cuMemcpy / cuMemcpy_ptds: PFN_cuMemcpy(dst, src, n) HostWaits, [write(linear(dst, n)), read(linear(src, n))];
    cuMemcpyAsync / cuMemcpyAsync_ptsz(dst: CUdeviceptr, src: CUdeviceptr, n: usize, s: CUstream)
        InStream(s), [write(linear(dst, n)), read(linear(src, n))];
    cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds: PFN_cuMemcpyHtoD_v2(dst, src, n) HostWaits, [write(linear(dst, n))];
    cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz: PFN_cuMemcpyHtoDAsync_v2(dst, src, n, s)
        InStream(s), [write(linear(dst, n))];
    cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds: PFN_cuMemcpyDtoH_v2(dst, src, n) HostWaits, [read(linear(src, n))];
    cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz: PFN_cuMemcpyDtoHAsync_v2(dst, src, n, s)
        InStreamToHost(s, dst), [read(linear(src, n))];
    cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds: PFN_cuMemcpyDtoD_v2(dst, src, n)
        HostGoesOn, [write(linear(dst, n)), read(linear(src, n))];
    cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz: PFN_cuMemcpyDtoDAsync_v2(dst, src, n, s)
        InStream(s), [write(linear(dst, n)), read(linear(src, n))];
    cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds: PFN_cuMemcpy2D_v2(copy)
        when_described_copy_is_done(copy_2d_accesses(copy.as_ref())), copy_2d_accesses(copy.as_ref()).all;
    cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds: PFN_cuMemcpy2DUnaligned_v2(copy)
        when_described_copy_is_done(copy_2d_accesses(copy.as_ref())), copy_2d_accesses(copy.as_ref()).all;
    cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz: PFN_cuMemcpy2DAsync_v2(copy, s)
        InStream(s), copy_2d_accesses(copy.as_ref()).all;
    cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds: PFN_cuMemcpy3D_v2(copy)
        when_described_copy_is_done(copy_3d_accesses(copy.as_ref())), copy_3d_accesses(copy.as_ref()).all;
    cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz: PFN_cuMemcpy3DAsync_v2(copy, s)
        InStream(s), copy_3d_accesses(copy.as_ref()).all;
    cuMemsetD8_v2 / cuMemsetD8_v2_ptds: PFN_cuMemsetD8_v2(dst, value, n) HostGoesOn, [write(linear(dst, n))];
    cuMemsetD8Async / cuMemsetD8Async_ptsz: PFN_cuMemsetD8Async(dst, value, n, s)
        InStream(s), [write(linear(dst, n))];
    cuMemsetD16_v2 / cuMemsetD16_v2_ptds(dst: CUdeviceptr, value: c_ushort, n: usize)
        HostGoesOn, [write(linear(dst, n.saturating_mul(2)))];
    cuMemsetD16Async / cuMemsetD16Async_ptsz(dst: CUdeviceptr, value: c_ushort, n: usize, s: CUstream)
        InStream(s), [write(linear(dst, n.saturating_mul(2)))];
    cuMemsetD32_v2 / cuMemsetD32_v2_ptds: PFN_cuMemsetD32_v2(dst, value, n)
        HostGoesOn, [write(linear(dst, n.saturating_mul(4)))];
    cuMemsetD32Async / cuMemsetD32Async_ptsz: PFN_cuMemsetD32Async(dst, value, n, s)
        InStream(s), [write(linear(dst, n.saturating_mul(4)))];
    cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds(
        dst: CUdeviceptr, pitch: usize, value: c_uchar, n: usize, rows: usize,
    ) HostGoesOn, [write(pitched(dst, pitch, 1, n, rows))];
    cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz(
        dst: CUdeviceptr, pitch: usize, value: c_uchar, n: usize, rows: usize, s: CUstream,
    ) InStream(s), [write(pitched(dst, pitch, 1, n, rows))];
    cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds(
        dst: CUdeviceptr, pitch: usize, value: c_uint, n: usize, rows: usize,
    ) HostGoesOn, [write(pitched(dst, pitch, 4, n, rows))];
    cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz(
        dst: CUdeviceptr, pitch: usize, value: c_uint, n: usize, rows: usize, s: CUstream,
    ) InStream(s), [write(pitched(dst, pitch, 4, n, rows))];
    cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds(
        dst: CUdeviceptr, pitch: usize, value: c_ushort, n: usize, rows: usize,
    ) HostGoesOn, [write(pitched(dst, pitch, 2, n, rows))];
    cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz(
        dst: CUdeviceptr, pitch: usize, value: c_ushort, n: usize, rows: usize, s: CUstream,
    ) InStream(s), [write(pitched(dst, pitch, 2, n, rows))];
    cuMemcpyPeer / cuMemcpyPeer_ptds(dst: CUdeviceptr, to: CUcontext, src: CUdeviceptr, from: CUcontext, n: usize)
        HostWaits, [write(linear(dst, n)), read(linear(src, n))];
    cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz(
        dst: CUdeviceptr, to: CUcontext, src: CUdeviceptr, from: CUcontext, n: usize, s: CUstream,
    ) InStream(s), [write(linear(dst, n)), read(linear(src, n))];
    // CUDA_MEMCPY3D_PEER has the layout of CUDA_MEMCPY3D, and two contexts in place of the reserved fields.
    cuMemcpy3DPeer / cuMemcpy3DPeer_ptds(copy: *const CUDA_MEMCPY3D) HostWaits, copy_3d_accesses(copy.as_ref()).all;
    cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz(copy: *const CUDA_MEMCPY3D, s: CUstream)
        InStream(s), copy_3d_accesses(copy.as_ref()).all;
    cuMemcpyAtoH_v2 / cuMemcpyAtoH_v2_ptds(dst: *mut c_void, src: CUarray, offset: usize, n: usize)
        HostWaits, [read(part_of_array(src, n))];
    cuMemcpyAtoHAsync_v2 / cuMemcpyAtoHAsync_v2_ptsz(
        dst: *mut c_void, src: CUarray, offset: usize, n: usize, s: CUstream,
    ) InStreamToHost(s, dst), [read(part_of_array(src, n))];
    cuMemcpyHtoA_v2 / cuMemcpyHtoA_v2_ptds(dst: CUarray, offset: usize, src: *const c_void, n: usize)
        HostWaits, [write(part_of_array(dst, n))];
    cuMemcpyHtoAAsync_v2 / cuMemcpyHtoAAsync_v2_ptsz(
        dst: CUarray, offset: usize, src: *const c_void, n: usize, s: CUstream,
    ) InStream(s), [write(part_of_array(dst, n))];
    cuMemcpyDtoA_v2 / cuMemcpyDtoA_v2_ptds(dst: CUarray, offset: usize, src: CUdeviceptr, n: usize)
        HostGoesOn, [write(part_of_array(dst, n)), read(linear(src, n))];
    cuMemcpyAtoD_v2 / cuMemcpyAtoD_v2_ptds(dst: CUdeviceptr, src: CUarray, offset: usize, n: usize)
        HostGoesOn, [write(linear(dst, n)), read(part_of_array(src, n))];
    cuMemcpyAtoA_v2 / cuMemcpyAtoA_v2_ptds(dst: CUarray, to: usize, src: CUarray, from: usize, n: usize)
        HostGoesOn, [write(part_of_array(dst, n)), read(part_of_array(src, n))];
}
