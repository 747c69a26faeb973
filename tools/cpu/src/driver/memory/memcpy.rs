//! Copies between host memory, device memory and arrays. The copy of every function is described by a source and a destination, each
//! in three dimensions.

use std::ptr::{null, null_mut};

use crate::driver::addresses::address_ranges::{self, MemoryAccess};
use crate::driver::addresses::byte_spans::{ByteSpan, PitchedRows};
use crate::driver::base::prelude::*;
use crate::driver::images::arrays::find_array;
use crate::driver::streams::queued_work::QueuedWork;
use crate::driver::streams::stream_queue;

struct CopySide {
    kind: CUmemorytype,
    host: *const c_void,
    device: CUdeviceptr,
    array: CUarray,
    pitch: usize,
    height: usize,
    at: [usize; 3],
    lod: usize,
}

/// A source or a destination as cuda.h describes it, and the fields that 2D copies lack.
macro_rules! end {
    ($c:ident: $kind:ident $host:ident $device:ident $array:ident $pitch:ident $x:ident $y:ident,
     z $z:expr, height $height:expr, lod $lod:expr) => {{
        let (kind, host, device, array) = ($c.$kind, $c.$host.cast::<c_void>(), $c.$device, $c.$array);
        CopySide {
            kind,
            host,
            device,
            array,
            pitch: $c.$pitch,
            height: $height,
            at: [$c.$x, $c.$y, $z],
            lod: $lod,
        }
    }};
}

impl CopySide {
    fn linear_side(kind: CUmemorytype, host: *const c_void, device: CUdeviceptr) -> Self {
        Self { kind, host, device, array: null_mut(), pitch: 0, height: 0, at: [0; 3], lod: 0 }
    }

    fn host_side(address: *const c_void) -> Self {
        Self::linear_side(CU_MEMORYTYPE_HOST, address, 0)
    }

    fn device_side(address: CUdeviceptr) -> Self {
        Self::linear_side(CU_MEMORYTYPE_DEVICE, null(), address)
    }

    fn by_unified_address(address: CUdeviceptr) -> Self {
        Self::linear_side(CU_MEMORYTYPE_UNIFIED, null(), address)
    }

    fn find_bytes(&self, extent: [usize; 3], access: MemoryAccess) -> CudaResult<ByteSpan> {
        ensure_valid(self.lod == 0)?;
        if self.kind == CU_MEMORYTYPE_ARRAY {
            ensure_valid(!self.array.is_null())?;
            return find_array(self.array)?.copy_span(self.at, extent);
        }
        let invalid = CUDA_ERROR_INVALID_VALUE;
        let [width, height, _] = extent;
        let pitch = if self.pitch == 0 { width } else { self.pitch };
        let row_end = self.at[0].checked_add(width).ok_or(invalid)?;
        ensure_valid(self.pitch == 0 || row_end <= pitch)?;
        let rows = if self.height == 0 { height } else { self.height };
        let slice = pitch.checked_mul(rows).ok_or(invalid)?;
        let base = match self.kind {
            CU_MEMORYTYPE_HOST => self.host.expose_provenance() as u64,
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => self.device,
            _ => return Err(invalid),
        };
        ensure_valid(base != 0)?;
        let rows = PitchedRows::new(base, self.at, [pitch, slice], extent)?;
        // Addresses that the driver does not know belong to the program.
        let is_host =
            self.kind == CU_MEMORYTYPE_UNIFIED && address_ranges::find_range_at(base, |_| true).is_none();
        if is_host || self.kind == CU_MEMORYTYPE_HOST {
            Ok(ByteSpan::span_in_host(rows))
        } else {
            ByteSpan::span_in_device(rows, access)
        }
    }
}

pub struct Memcpy(Option<(ByteSpan, ByteSpan)>);

impl Memcpy {
    fn new(from: &CopySide, to: &CopySide, extent: [usize; 3]) -> CudaResult<Self> {
        if extent.contains(&0) {
            return Ok(Self(None));
        }
        Ok(Self(Some((
            from.find_bytes(extent, MemoryAccess::Read)?,
            to.find_bytes(extent, MemoryAccess::Write)?,
        ))))
    }

    fn linear_copy(from: &CopySide, to: &CopySide, size: usize) -> CudaResult<Self> {
        Self::new(from, to, [size, 1, 1])
    }

    fn from_memcpy_2d(c: &CUDA_MEMCPY2D) -> CudaResult<Self> {
        let from =
            end!(c: srcMemoryType srcHost srcDevice srcArray srcPitch srcXInBytes srcY, z 0, height 0, lod 0);
        let to =
            end!(c: dstMemoryType dstHost dstDevice dstArray dstPitch dstXInBytes dstY, z 0, height 0, lod 0);
        Self::new(&from, &to, [c.WidthInBytes, c.Height, 1])
    }

    pub fn from_memcpy_3d(c: &CUDA_MEMCPY3D) -> CudaResult<Self> {
        let from = end!(c: srcMemoryType srcHost srcDevice srcArray srcPitch srcXInBytes srcY,
                        z c.srcZ, height c.srcHeight, lod c.srcLOD);
        let to = end!(c: dstMemoryType dstHost dstDevice dstArray dstPitch dstXInBytes dstY,
                      z c.dstZ, height c.dstHeight, lod c.dstLOD);
        Self::new(&from, &to, [c.WidthInBytes, c.Height, c.Depth])
    }

    pub fn into_work(self) -> QueuedWork {
        QueuedWork::new(CU_GRAPH_NODE_TYPE_MEMCPY, self.0, |spans| {
            spans.as_ref().map_or(Ok(()), |(from, to)| to.copy_from(from))
        })
    }
}

/// Enqueues a copy. As in NVIDIA's driver, memory that is not pinned is read before the call returns, and written too.
fn enqueue_copy(stream: CUstream, copy: impl FnOnce() -> CudaResult<Memcpy>) -> CudaResult {
    let stream = stream_queue::find_usable_stream(stream)?;
    let mut copy = copy()?;
    if stream.is_capturing() {
        return stream.enqueue_work(copy.into_work());
    }
    let mut is_waited_for = false;
    if let Some((from, to)) = &mut copy.0 {
        is_waited_for = to.is_pageable();
        if from.is_pageable() {
            *from = from.staged_copy()?;
        }
    }
    let end = stream.enqueue_uncaptured(copy.into_work(), Vec::new())?;
    if is_waited_for {
        end.wait_for_completion();
    }
    stream.context.ensure_not_lost()
}

fn copy_and_wait(copy: impl FnOnce() -> CudaResult<Memcpy>) -> CudaResult {
    stream_queue::default_stream()?.run_and_wait(copy()?.into_work())
}

functions! {
    Init fn cuMemcpyAsync +_ptsz(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        enqueue_copy(stream, || Memcpy::linear_copy(&CopySide::by_unified_address(from), &CopySide::by_unified_address(to), size))
    }
    Init fn cuMemcpy +_ptds: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        copy_and_wait(|| Memcpy::linear_copy(&CopySide::by_unified_address(from), &CopySide::by_unified_address(to), size))
    }
    Init fn cuMemcpyHtoD_v2 +_ptds: PFN_cuMemcpyHtoD_v2, (to, from, size) {
        copy_and_wait(|| Memcpy::linear_copy(&CopySide::host_side(from), &CopySide::device_side(to), size))
    }
    Init fn cuMemcpyDtoH_v2 +_ptds: PFN_cuMemcpyDtoH_v2, (to, from, size) {
        copy_and_wait(|| Memcpy::linear_copy(&CopySide::device_side(from), &CopySide::host_side(to), size))
    }
    Init fn cuMemcpyDtoD_v2 +_ptds: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        copy_and_wait(|| Memcpy::linear_copy(&CopySide::device_side(from), &CopySide::device_side(to), size))
    }
    Init fn cuMemcpyHtoDAsync_v2 +_ptsz: PFN_cuMemcpyHtoDAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, || Memcpy::linear_copy(&CopySide::host_side(from), &CopySide::device_side(to), size))
    }
    Init fn cuMemcpyDtoHAsync_v2 +_ptsz: PFN_cuMemcpyDtoHAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, || Memcpy::linear_copy(&CopySide::device_side(from), &CopySide::host_side(to), size))
    }
    Init fn cuMemcpyDtoDAsync_v2 +_ptsz: PFN_cuMemcpyDtoDAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, || Memcpy::linear_copy(&CopySide::device_side(from), &CopySide::device_side(to), size))
    }
    Init fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2 +_ptds: PFN_cuMemcpy2D_v2, (copy) {
        copy_and_wait(|| Memcpy::from_memcpy_2d(read_param(copy)?))
    }
    Init fn cuMemcpy2DAsync_v2 +_ptsz: PFN_cuMemcpy2DAsync_v2, (copy, stream) {
        enqueue_copy(stream, || Memcpy::from_memcpy_2d(read_param(copy)?))
    }
    Init fn cuMemcpy3D_v2 +_ptds: PFN_cuMemcpy3D_v2, (copy) {
        copy_and_wait(|| Memcpy::from_memcpy_3d(read_param(copy)?))
    }
    Init fn cuMemcpy3DAsync_v2 +_ptsz: PFN_cuMemcpy3DAsync_v2, (copy, stream) {
        enqueue_copy(stream, || Memcpy::from_memcpy_3d(read_param(copy)?))
    }
}
