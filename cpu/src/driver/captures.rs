//! The functions that record streams into a graph.

use std::ptr::null_mut;

use super::capture::Recording;
use super::nodes::GRAPHS;
use super::prelude::*;
use super::stream::{self, Kind};

fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> Answer {
    check(!matches!(stream.addr(), 0 | 1), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let stream = stream::find(stream)?;
    require(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
    let blocks = (stream.kind == Kind::Blocking).then_some(stream.context.id);
    stream.record(|recording| recording.begin(blocks, mode))
}

functions! {
    Init fn cuStreamBeginCapture: unsafe extern "C" fn(CUstream) -> CUresult, (stream) {
        begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
    }
    Init fn cuStreamBeginCapture_v2: PFN_cuStreamBeginCapture_v2, (stream, mode) { begin(stream, mode) }
    Init fn cuStreamEndCapture: PFN_cuStreamEndCapture, (stream, graph) {
        put(graph, null_mut())?;
        let captured = stream::find(stream)?.record(Recording::end)?;
        GRAPHS.create(graph, || Ok(captured))
    }
    Init fn cuStreamIsCapturing: PFN_cuStreamIsCapturing, (stream, status) {
        put(status, match stream::find(stream)?.record(|recording| Ok(recording.state()))? {
            None => CU_STREAM_CAPTURE_STATUS_NONE,
            Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        })
    }
}
