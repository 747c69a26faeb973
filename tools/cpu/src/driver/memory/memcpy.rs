//! Copies between host memory, device memory and arrays. The copy of every function is described by a source and a destination, each
//! in three dimensions.

use std::ptr::{null, null_mut};

use crate::driver::addresses::address_ranges;
use crate::driver::addresses::byte_spans::{Rows, Span};
use crate::driver::base::prelude::*;
use crate::driver::images::arrays::find_array;
use crate::driver::streams::queued_work::Work;
use crate::driver::streams::stream_queue;

/// One end of a copy as the program describes it.
struct End {
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
        End {
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

impl End {
    fn linear(kind: CUmemorytype, host: *const c_void, device: CUdeviceptr) -> Self {
        Self { kind, host, device, array: null_mut(), pitch: 0, height: 0, at: [0; 3], lod: 0 }
    }

    fn host(address: *const c_void) -> Self {
        Self::linear(CU_MEMORYTYPE_HOST, address, 0)
    }

    fn device(address: CUdeviceptr) -> Self {
        Self::linear(CU_MEMORYTYPE_DEVICE, null(), address)
    }

    fn unified(address: CUdeviceptr) -> Self {
        Self::linear(CU_MEMORYTYPE_UNIFIED, null(), address)
    }

    /// Finds the bytes, which the copy is inside.
    fn locate(&self, extent: [usize; 3]) -> CudaResult<Span> {
        require(self.lod == 0)?;
        if self.kind == CU_MEMORYTYPE_ARRAY {
            require(!self.array.is_null())?;
            return find_array(self.array)?.span(self.at, extent);
        }
        let invalid = CUDA_ERROR_INVALID_VALUE;
        let [width, height, _] = extent;
        let pitch = if self.pitch == 0 { width } else { self.pitch };
        let row_end = self.at[0].checked_add(width).ok_or(invalid)?;
        require(self.pitch == 0 || row_end <= pitch)?;
        let rows = if self.height == 0 { height } else { self.height };
        let slice = pitch.checked_mul(rows).ok_or(invalid)?;
        let base = match self.kind {
            CU_MEMORYTYPE_HOST => self.host.expose_provenance() as u64,
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => self.device,
            _ => return Err(invalid),
        };
        require(base != 0)?;
        let rows = Rows::new(base, self.at, [pitch, slice], extent)?;
        // Addresses that the driver does not know belong to the program.
        let is_host = self.kind == CU_MEMORYTYPE_UNIFIED && address_ranges::find_at(base, |_| true).is_none();
        if is_host || self.kind == CU_MEMORYTYPE_HOST {
            Ok(Span::of_host(rows))
        } else {
            Span::of_device(rows)
        }
    }
}

/// The source and the destination, which have one extent. `None` for a copy of nothing.
pub struct Copy(Option<(Span, Span)>);

impl Copy {
    fn new(from: &End, to: &End, extent: [usize; 3]) -> CudaResult<Self> {
        if extent.contains(&0) {
            return Ok(Self(None));
        }
        Ok(Self(Some((from.locate(extent)?, to.locate(extent)?))))
    }

    fn linear(from: &End, to: &End, size: usize) -> CudaResult<Self> {
        Self::new(from, to, [size, 1, 1])
    }

    fn of_2d(c: &CUDA_MEMCPY2D) -> CudaResult<Self> {
        let from =
            end!(c: srcMemoryType srcHost srcDevice srcArray srcPitch srcXInBytes srcY, z 0, height 0, lod 0);
        let to =
            end!(c: dstMemoryType dstHost dstDevice dstArray dstPitch dstXInBytes dstY, z 0, height 0, lod 0);
        Self::new(&from, &to, [c.WidthInBytes, c.Height, 1])
    }

    pub fn of_3d(c: &CUDA_MEMCPY3D) -> CudaResult<Self> {
        let from = end!(c: srcMemoryType srcHost srcDevice srcArray srcPitch srcXInBytes srcY,
                        z c.srcZ, height c.srcHeight, lod c.srcLOD);
        let to = end!(c: dstMemoryType dstHost dstDevice dstArray dstPitch dstXInBytes dstY,
                      z c.dstZ, height c.dstHeight, lod c.dstLOD);
        Self::new(&from, &to, [c.WidthInBytes, c.Height, c.Depth])
    }

    pub fn work(self) -> Work {
        Work::new(CU_GRAPH_NODE_TYPE_MEMCPY, self.0, |spans| {
            if let Some((from, to)) = spans {
                to.copy_from(from);
            }
        })
    }
}

/// Enqueues a copy. As in NVIDIA's driver, memory that is not pinned is read before the call returns, and written too.
fn enqueue_copy(stream: CUstream, copy: impl FnOnce() -> CudaResult<Copy>) -> CudaResult {
    let stream = stream_queue::find_usable(stream)?;
    let mut copy = copy()?;
    if stream.is_capturing() {
        return stream.enqueue(copy.work());
    }
    let mut is_waited_for = false;
    if let Some((from, to)) = &mut copy.0 {
        is_waited_for = to.is_pageable();
        if from.is_pageable() {
            *from = from.staged()?;
        }
    }
    let end = stream.enqueue_uncaptured(copy.work(), Vec::new())?;
    if is_waited_for {
        end.wait();
    }
    stream.context.usable()
}

fn copy_and_wait(copy: impl FnOnce() -> CudaResult<Copy>) -> CudaResult {
    stream_queue::legacy()?.run_and_wait(copy()?.work())
}

functions! {
    Init fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        enqueue_copy(stream, || Copy::linear(&End::unified(from), &End::unified(to), size))
    }
    Init fn cuMemcpy: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        copy_and_wait(|| Copy::linear(&End::unified(from), &End::unified(to), size))
    }
    Init fn cuMemcpyHtoD_v2: PFN_cuMemcpyHtoD_v2, (to, from, size) {
        copy_and_wait(|| Copy::linear(&End::host(from), &End::device(to), size))
    }
    Init fn cuMemcpyDtoH_v2: PFN_cuMemcpyDtoH_v2, (to, from, size) {
        copy_and_wait(|| Copy::linear(&End::device(from), &End::host(to), size))
    }
    Init fn cuMemcpyDtoD_v2: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        copy_and_wait(|| Copy::linear(&End::device(from), &End::device(to), size))
    }
    Init fn cuMemcpyHtoDAsync_v2: PFN_cuMemcpyHtoDAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, || Copy::linear(&End::host(from), &End::device(to), size))
    }
    Init fn cuMemcpyDtoHAsync_v2: PFN_cuMemcpyDtoHAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, || Copy::linear(&End::device(from), &End::host(to), size))
    }
    Init fn cuMemcpyDtoDAsync_v2: PFN_cuMemcpyDtoDAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, || Copy::linear(&End::device(from), &End::device(to), size))
    }
    Init fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2: PFN_cuMemcpy2D_v2, (copy) {
        copy_and_wait(|| Copy::of_2d(read_param(copy)?))
    }
    Init fn cuMemcpy2DAsync_v2: PFN_cuMemcpy2DAsync_v2, (copy, stream) {
        enqueue_copy(stream, || Copy::of_2d(read_param(copy)?))
    }
    Init fn cuMemcpy3D_v2: PFN_cuMemcpy3D_v2, (copy) {
        copy_and_wait(|| Copy::of_3d(read_param(copy)?))
    }
    Init fn cuMemcpy3DAsync_v2: PFN_cuMemcpy3DAsync_v2, (copy, stream) {
        enqueue_copy(stream, || Copy::of_3d(read_param(copy)?))
    }
}
