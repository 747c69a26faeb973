use std::ptr::{null, null_mut};

use super::capture_state::{StreamCapture, THREAD_CAPTURE_MODE};
use super::graph_definition::GRAPHS;
use super::stream_queue::{self, StreamKind};
use crate::driver::base::prelude::*;

fn begin_capture(stream: CUstream, mode: CUstreamCaptureMode) -> CudaResult {
    ensure_valid(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
    let stream = stream_queue::find_stream(stream)?;
    ensure(stream.kind != StreamKind::Legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let blocks = (stream.kind == StreamKind::Blocking).then_some(stream.context.id);
    stream.with_capture_state(|recording| recording.begin_capture(stream.context.id, blocks, mode))
}

type DependenciesOut = *mut *const CUgraphNode;
/// Receives the address of a list of `CUgraphEdgeData`, each of 8 bytes.
type EdgesOut = *mut *const u64;

/// Writes the state of a stream's capture. `dependencies` and `edges` are valid until the next call for the stream.
unsafe fn write_capture_info(
    stream: CUstream,
    status: *mut CUstreamCaptureStatus,
    id: *mut u64,
    graph: *mut CUgraph,
    dependencies: DependenciesOut,
    edges: EdgesOut,
    count: *mut usize,
) -> CudaResult {
    ensure_valid(!status.is_null())?;
    let first = |list: &[u64]| if list.is_empty() { null() } else { list.as_ptr() };
    // SAFETY: each pointer is null, or valid for a write, as cuda.h requires.
    stream_queue::find_stream(stream)?.with_capture_state(|recording| unsafe {
        let Some((capture, part)) = recording.capture_part() else {
            return write_out(status, CU_STREAM_CAPTURE_STATUS_NONE);
        };
        if capture.ensure_valid_capture().is_err() {
            return write_out(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        }
        write_out(status, CU_STREAM_CAPTURE_STATUS_ACTIVE)?;
        write_out_if_wanted(id, capture.id)?;
        write_out_if_wanted(graph, CUgraph::from_number(capture.graph_handle))?;
        ensure_valid(edges.is_null() || !dependencies.is_null())?;
        part.edges.resize(part.last.len(), 0);
        write_out_if_wanted(dependencies, first(&part.last).cast())?;
        write_out_if_wanted(edges, first(&part.edges))?;
        write_out_if_wanted(count, part.last.len())
    })
}

unsafe fn update_dependencies(
    stream: CUstream,
    nodes: *const CUgraphNode,
    edges: *const u64,
    count: usize,
    flags: c_uint,
) -> CudaResult {
    const SET_DEPENDENCIES: c_uint = 1;
    // SAFETY: the lists have `count` entries or are null, as cuda.h requires.
    stream_queue::find_stream(stream)?.with_capture_state(|recording| unsafe {
        let (capture, part) = recording.capture_part().ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
        capture.ensure_valid_capture()?;
        ensure_valid(flags <= SET_DEPENDENCIES)?;
        let nodes = capture.graph.read_node_list(nodes, count)?;
        let edges = read_array(edges, if edges.is_null() { 0 } else { count })?;
        // Only zero is valid: other data can let a kernel start before the kernel that it depends on has ended.
        ensure_valid(edges.iter().all(|edge| *edge == 0))?;
        capture.update_dependencies(part, nodes, flags == SET_DEPENDENCIES);
        Ok(())
    })
}

functions! {
    Init fn cuStreamUpdateCaptureDependencies +_ptsz(
        stream: CUstream, nodes: *const CUgraphNode, count: usize, flags: c_uint
    ) {
        update_dependencies(stream, nodes, null(), count, flags)
    }
    Init fn cuStreamUpdateCaptureDependencies_v2 +_ptsz(
        stream: CUstream, nodes: *const CUgraphNode, edges: *const u64, count: usize, flags: c_uint
    ) {
        update_dependencies(stream, nodes, edges, count, flags)
    }
    Init fn cuStreamGetCaptureInfo +_ptsz(stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64) {
        write_capture_info(stream, status, id, null_mut(), null_mut(), null_mut(), null_mut())
    }
    Init fn cuStreamGetCaptureInfo_v2 +_ptsz(
        stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64, graph: *mut CUgraph,
        dependencies: DependenciesOut, count: *mut usize
    ) { write_capture_info(stream, status, id, graph, dependencies, null_mut(), count) }
    Init fn cuStreamGetCaptureInfo_v3 +_ptsz(
        stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64, graph: *mut CUgraph,
        dependencies: DependenciesOut, edges: EdgesOut, count: *mut usize
    ) { write_capture_info(stream, status, id, graph, dependencies, edges, count) }
    Init fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) {
        let new = *read_param(mode)?;
        ensure_valid(new.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
        write_out(mode, THREAD_CAPTURE_MODE.with_value(|mode| mode.replace(new)))
    }
    Init fn cuStreamBeginCapture +_ptsz(stream: CUstream) {
        begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
    }
    Init fn cuStreamBeginCapture_v2 +_ptsz: PFN_cuStreamBeginCapture_v2, (stream, mode) { begin_capture(stream, mode) }
    Init fn cuStreamEndCapture +_ptsz: PFN_cuStreamEndCapture, (stream, graph) {
        let stream = stream_queue::find_stream(stream)?;
        ensure(stream.is_capturing(), CUDA_ERROR_ILLEGAL_STATE)?;
        write_out_if_wanted(graph, null_mut())?;
        let captured = stream.with_capture_state(StreamCapture::end_capture)?;
        // A null pointer discards the graph.
        if graph.is_null() { GRAPHS.destroy_object(captured) } else { write_out(graph, captured) }
    }
    Init fn cuStreamIsCapturing +_ptsz: PFN_cuStreamIsCapturing, (stream, status) {
        write_capture_info(stream, status, null_mut(), null_mut(), null_mut(), null_mut(), null_mut())
    }
}
