//! The functions that record streams into a graph.

use std::ptr::null_mut;

use super::capture_state::{self, StreamCapture};
use super::graph_definition::GRAPHS;
use super::stream_queue::{self, StreamKind};
use crate::driver::base::prelude::*;

fn begin_capture(stream: CUstream, mode: CUstreamCaptureMode) -> CudaResult {
    ensure_valid(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
    let stream = stream_queue::find_stream(stream)?;
    ensure(stream.kind != StreamKind::Legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let blocks = (stream.kind == StreamKind::Blocking).then_some(stream.context.id);
    stream.with_capture(|recording| recording.begin_capture(stream.context.id, blocks, mode))
}

/// Returns a stream's state, and the number of its capture or 0.
fn capture_status_and_id(stream: CUstream) -> CudaResult<(CUstreamCaptureStatus, u64)> {
    stream_queue::find_stream(stream)?.with_capture(|recording| {
        let status = match recording.capture_status() {
            None => CU_STREAM_CAPTURE_STATUS_NONE,
            Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        };
        Ok((status, recording.capture_id().unwrap_or(0)))
    })
}

type Out = *mut *const c_void;

/// Writes whether a stream is captured, and the capture's number. A capture has no graph before its end, so asking
/// for one is an error.
unsafe fn write_capture_info(
    stream: CUstream,
    to: *mut CUstreamCaptureStatus,
    id: *mut u64,
    wants_graph: bool,
) -> CudaResult {
    ensure_valid(!to.is_null())?;
    let (found, number) = capture_status_and_id(stream)?;
    ensure(number == 0 || !wants_graph, CUDA_ERROR_NOT_SUPPORTED)?;
    // SAFETY: the caller's pointers.
    unsafe {
        write_out(to, found)?;
        if number != 0 {
            write_if_wanted(id, number);
        }
    }
    Ok(())
}

functions! {
    Init fn cuStreamGetCaptureInfo +_ptsz(stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64) {
        write_capture_info(stream, status, id, false)
    }
    Init fn cuStreamGetCaptureInfo_v2 +_ptsz(
        stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64, graph: Out, dependencies: Out,
        _count: *mut usize
    ) {
        write_capture_info(stream, status, id, !graph.is_null() || !dependencies.is_null())
    }
    Init fn cuStreamGetCaptureInfo_v3 +_ptsz(
        stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64, graph: Out, dependencies: Out,
        edges: Out, _count: *mut usize
    ) {
        write_capture_info(stream, status, id, !graph.is_null() || !dependencies.is_null() || !edges.is_null())
    }
    Init fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) {
        let new = *read_param(mode)?;
        ensure_valid(new.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
        write_out(mode, capture_state::exchange_thread_capture_mode(new))
    }
    Init fn cuStreamBeginCapture +_ptsz(stream: CUstream) {
        begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
    }
    Init fn cuStreamBeginCapture_v2 +_ptsz: PFN_cuStreamBeginCapture_v2, (stream, mode) { begin_capture(stream, mode) }
    Init fn cuStreamEndCapture +_ptsz: PFN_cuStreamEndCapture, (stream, graph) {
        let stream = stream_queue::find_stream(stream)?;
        ensure(stream.is_capturing(), CUDA_ERROR_ILLEGAL_STATE)?;
        write_if_wanted(graph, null_mut());
        let captured = stream.with_capture(StreamCapture::end_capture)?;
        // Without a place for it, the graph is lost.
        if graph.is_null() {
            return Ok(());
        }
        GRAPHS.create_object(graph, || Ok(captured))
    }
    Init fn cuStreamIsCapturing +_ptsz: PFN_cuStreamIsCapturing, (stream, status) {
        write_out(status, capture_status_and_id(stream)?.0)
    }
}
