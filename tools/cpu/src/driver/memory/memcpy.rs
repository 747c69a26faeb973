//! Copies between host memory, device memory and arrays. A `CUDA_MEMCPY3D` describes every copy, also a linear one.

use std::ptr::null;

use crate::driver::addresses::accessible_memory::{ByteSpan, PitchedRows};
use crate::driver::driver_prelude::*;
use crate::driver::images::cuda_arrays::find_array;

struct CopyEndpoint {
    kind: CUmemorytype,
    host: *const c_void,
    device: CUdeviceptr,
    array: CUarray,
    pitch: usize,
    height: usize,
    at: [usize; 3],
    lod: usize,
}

impl CopyEndpoint {
    fn find_endpoint_memory(&self, extent: [usize; 3], access: ReadOrWrite) -> CudaResult<ByteSpan> {
        ensure_valid(self.lod == 0)?;
        if self.kind == CU_MEMORYTYPE_ARRAY {
            ensure_valid(!self.array.is_null())?;
            return find_array(self.array)?.array_copy_span(self.at, extent);
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
        // Unified addresses that the driver does not know are host memory.
        let is_host = self.kind == CU_MEMORYTYPE_UNIFIED
            && address_ranges::find_range_containing(base, |_| true).is_none();
        if is_host || self.kind == CU_MEMORYTYPE_HOST {
            Ok(ByteSpan::span_in_host(rows))
        } else {
            ByteSpan::span_in_device(rows, access)
        }
    }
}

/// The source and the destination, or `None` for a copy of no bytes.
type CopySpans = Option<(ByteSpan, ByteSpan)>;

fn find_copy_spans(c: &CUDA_MEMCPY3D) -> CudaResult<CopySpans> {
    macro_rules! endpoint {
        ($kind:ident $host:ident $device:ident $array:ident $pitch:ident $height:ident $x:ident $y:ident $z:ident
         $lod:ident) => {
            CopyEndpoint {
                kind: c.$kind,
                host: c.$host.cast(),
                device: c.$device,
                array: c.$array,
                pitch: c.$pitch,
                height: c.$height,
                at: [c.$x, c.$y, c.$z],
                lod: c.$lod,
            }
        };
    }
    let extent = [c.WidthInBytes, c.Height, c.Depth];
    if extent.contains(&0) {
        return Ok(None);
    }
    let from =
        endpoint!(srcMemoryType srcHost srcDevice srcArray srcPitch srcHeight srcXInBytes srcY srcZ srcLOD);
    let to =
        endpoint!(dstMemoryType dstHost dstDevice dstArray dstPitch dstHeight dstXInBytes dstY dstZ dstLOD);
    let from = from.find_endpoint_memory(extent, ReadOrWrite::Read)?;
    Ok(Some((from, to.find_endpoint_memory(extent, ReadOrWrite::Write)?)))
}

fn memcpy2d_as_3d(c: &CUDA_MEMCPY2D) -> CUDA_MEMCPY3D {
    macro_rules! same_fields {
        ($($field:ident)*) => { CUDA_MEMCPY3D { $($field: c.$field,)* Depth: 1, ..Default::default() } };
    }
    same_fields! {
        srcXInBytes srcY srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY dstMemoryType dstHost
        dstDevice dstArray dstPitch WidthInBytes Height
    }
}

/// A linear copy's source or destination: the kind of memory, the host address or null, the device address or 0.
type LinearCopyEnd = (CUmemorytype, *const c_void, CUdeviceptr);

fn host_copy_end(address: *const c_void) -> LinearCopyEnd {
    (CU_MEMORYTYPE_HOST, address, 0)
}

fn device_copy_end(address: CUdeviceptr) -> LinearCopyEnd {
    (CU_MEMORYTYPE_DEVICE, null(), address)
}

fn unified_copy_end(address: CUdeviceptr) -> LinearCopyEnd {
    (CU_MEMORYTYPE_UNIFIED, null(), address)
}

fn describe_linear_copy(from: LinearCopyEnd, to: LinearCopyEnd, size: usize) -> CudaResult<CUDA_MEMCPY3D> {
    let mut copy = CUDA_MEMCPY3D { WidthInBytes: size, Height: 1, Depth: 1, ..Default::default() };
    (copy.srcMemoryType, copy.srcHost, copy.srcDevice) = from;
    (copy.dstMemoryType, copy.dstHost, copy.dstDevice) = (to.0, to.1.cast_mut(), to.2);
    Ok(copy)
}

fn copy_work(spans: CopySpans) -> QueuedWork {
    QueuedWork::new(CU_GRAPH_NODE_TYPE_MEMCPY, spans, |spans| {
        spans.as_ref().map_or(Ok(()), |(from, to)| to.copy_from(from))
    })
}

pub fn memcpy_node_work(copy: &CUDA_MEMCPY3D) -> CudaResult<QueuedWork> {
    find_copy_spans(copy).map(copy_work)
}

/// Enqueues a copy. If host memory is not pinned and the stream is not captured, this function reads or writes the host
/// memory before it returns, as NVIDIA's driver may do.
fn enqueue_copy(stream: CUstream, copy: CudaResult<CUDA_MEMCPY3D>) -> CudaResult {
    let stream = find_usable_stream(stream)?;
    let mut spans = find_copy_spans(&copy?)?;
    if stream.is_capturing() {
        return stream.enqueue_work(copy_work(spans));
    }
    let mut is_waited_for = false;
    if let Some((from, to)) = &mut spans {
        is_waited_for = to.is_pageable;
        if from.is_pageable {
            *from = from.copy_to_staging_memory()?;
        }
    }
    let end = stream.enqueue_uncaptured_work(copy_work(spans), Vec::new())?;
    if is_waited_for {
        end.wait_for_completion();
    }
    stream.context.ensure_context_not_lost()
}

fn copy_and_wait(copy: CudaResult<CUDA_MEMCPY3D>) -> CudaResult {
    let stream = stream_queue::default_stream()?;
    stream.run_and_wait(copy_work(find_copy_spans(&copy?)?))
}

functions! {
    Init fn cuMemcpyAsync +_ptsz(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) {
        enqueue_copy(stream, describe_linear_copy(unified_copy_end(from), unified_copy_end(to), size))
    }
    Init fn cuMemcpy +_ptds: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        copy_and_wait(describe_linear_copy(unified_copy_end(from), unified_copy_end(to), size))
    }
    Init fn cuMemcpyHtoD_v2 +_ptds: PFN_cuMemcpyHtoD_v2, (to, from, size) {
        copy_and_wait(describe_linear_copy(host_copy_end(from), device_copy_end(to), size))
    }
    Init fn cuMemcpyDtoH_v2 +_ptds: PFN_cuMemcpyDtoH_v2, (to, from, size) {
        copy_and_wait(describe_linear_copy(device_copy_end(from), host_copy_end(to), size))
    }
    Init fn cuMemcpyDtoD_v2 +_ptds: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        copy_and_wait(describe_linear_copy(device_copy_end(from), device_copy_end(to), size))
    }
    Init fn cuMemcpyHtoDAsync_v2 +_ptsz: PFN_cuMemcpyHtoDAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, describe_linear_copy(host_copy_end(from), device_copy_end(to), size))
    }
    Init fn cuMemcpyDtoHAsync_v2 +_ptsz: PFN_cuMemcpyDtoHAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, describe_linear_copy(device_copy_end(from), host_copy_end(to), size))
    }
    Init fn cuMemcpyDtoDAsync_v2 +_ptsz: PFN_cuMemcpyDtoDAsync_v2, (to, from, size, stream) {
        enqueue_copy(stream, describe_linear_copy(device_copy_end(from), device_copy_end(to), size))
    }
    Init fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2 +_ptds: PFN_cuMemcpy2D_v2, (copy) {
        copy_and_wait(read_param(copy).map(memcpy2d_as_3d))
    }
    Init fn cuMemcpy2DAsync_v2 +_ptsz: PFN_cuMemcpy2DAsync_v2, (copy, stream) {
        enqueue_copy(stream, read_param(copy).map(memcpy2d_as_3d))
    }
    Init fn cuMemcpy3D_v2 +_ptds: PFN_cuMemcpy3D_v2, (copy) { copy_and_wait(read_param(copy).copied()) }
    Init fn cuMemcpy3DAsync_v2 +_ptsz: PFN_cuMemcpy3DAsync_v2, (copy, stream) {
        enqueue_copy(stream, read_param(copy).copied())
    }
}
