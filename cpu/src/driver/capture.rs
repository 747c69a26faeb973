//! Recording streams into a graph.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, ThreadId};

use super::context::Context;
use super::graph::{GRAPHS, Graph};
use super::prelude::*;
use super::stream::{self, Kind, Stream};
use super::work::Work;

pub struct Capture {
    graph: Graph,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    /// What a further use returns: success, or why it is over.
    state: AtomicU32,
    /// Where it began, and the other streams that take part.
    first: Arc<Stream>,
    others: Mutex<Vec<Arc<Stream>>>,
}

/// A stream's part in a capture. An event keeps it as it was when the event was recorded.
#[derive(Clone)]
pub struct Part {
    capture: Arc<Capture>,
    /// The nodes that the next one depends on.
    last: Vec<u64>,
}

/// The ones that have not ended.
static CAPTURES: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());

impl Capture {
    /// Ends the use of the capture.
    fn invalidate(&self, code: CUresult) -> Answer {
        self.state.store(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED.0, Ordering::Relaxed);
        Err(code)
    }

    fn usable(&self) -> Answer {
        CUresult::from(self.state.load(Ordering::Relaxed)).result()
    }

    fn is_of_this_thread(&self) -> bool {
        self.thread == thread::current().id()
    }
}

impl Part {
    /// Adds work as a node.
    pub fn add(&mut self, work: Work) -> Answer {
        self.capture.usable()?;
        self.last = vec![self.capture.graph.add(std::mem::take(&mut self.last), work)];
        Ok(())
    }

    /// Makes a stream's next node depend on this record. A stream that takes part in no capture joins this one.
    pub fn join(&self, stream: &Arc<Stream>) -> Answer {
        self.capture.usable()?;
        let mut slot = lock(&stream.capture);
        let part = slot.get_or_insert_with(|| {
            lock(&self.capture.others).push(stream.clone());
            Part { capture: self.capture.clone(), last: Vec::new() }
        });
        if !Arc::ptr_eq(&part.capture, &self.capture) {
            return part.capture.invalidate(CUDA_ERROR_STREAM_CAPTURE_MERGE);
        }
        part.last.extend(&self.last);
        Ok(())
    }
}

fn part(stream: &Stream) -> Option<Part> {
    lock(&stream.capture).clone()
}

pub fn is_capturing(stream: &Stream) -> bool {
    part(stream).is_some()
}

/// Returns the record of an event, if the stream is captured.
pub fn record(stream: &Stream) -> Answer<Option<Part>> {
    let part = part(stream);
    part.iter().try_for_each(|part| part.capture.usable())?;
    Ok(part)
}

/// Refuses a call where it would disturb captures, which are invalid then.
fn refuse(code: CUresult, disturbs: impl Fn(&Capture) -> bool) -> Answer {
    let captures = lock(&CAPTURES);
    let disturbed = captures.iter().filter(|capture| disturbs(capture));
    disturbed.map(|capture| capture.invalidate(code)).fold(Ok(()), Answer::and)
}

/// Refuses a call that could disturb a capture.
pub fn refuse_in_capture() -> Answer {
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, |capture| match capture.mode {
        CU_STREAM_CAPTURE_MODE_GLOBAL => true,
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL => capture.is_of_this_thread(),
        _ => false,
    })
}

/// Refuses work in the default stream, which would have to wait for a captured one.
pub fn refuse_legacy(context: &Arc<Context>) -> Answer {
    refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, |capture| {
        capture.first.kind == Kind::Blocking && Arc::ptr_eq(&capture.first.context, context)
    })
}

/// Refuses what a captured stream cannot do. The capture is invalid then.
pub fn refuse_capturing(stream: &Stream, code: CUresult) -> Answer {
    part(stream).map_or(Ok(()), |part| part.capture.invalidate(code))
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> Answer {
    check(!matches!(stream.addr(), 0 | 1), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let stream = stream::find(stream)?;
    require(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
    let mut slot = lock(&stream.capture);
    check(slot.is_none(), CUDA_ERROR_ILLEGAL_STATE)?;
    let capture = Arc::new(Capture {
        graph: Graph::default(),
        mode,
        thread: thread::current().id(),
        state: AtomicU32::new(CUDA_SUCCESS.0),
        first: stream.clone(),
        others: Mutex::default(),
    });
    lock(&CAPTURES).push(capture.clone());
    *slot = Some(Part { capture, last: Vec::new() });
    Ok(())
}

/// Ends a capture. It ends in any case; without a graph where it returns an error.
fn end(stream: &Arc<Stream>) -> Answer<Graph> {
    let Part { capture, last } = part(stream).ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
    check(Arc::ptr_eq(&capture.first, stream), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)?;
    lock(&CAPTURES).retain(|known| !Arc::ptr_eq(known, &capture));
    let others = std::mem::take(&mut *lock(&capture.others));
    others.iter().chain([stream]).for_each(|stream| drop(lock(&stream.capture).take()));
    capture.usable()?;
    // What an event has recorded there can be joined no more.
    capture.state.store(CUDA_ERROR_CAPTURED_EVENT.0, Ordering::Relaxed);
    let right_thread = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.is_of_this_thread();
    check(right_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)?;
    check(capture.graph.ends_with(&last), CUDA_ERROR_STREAM_CAPTURE_UNJOINED)?;
    Ok(capture.graph.take())
}

functions! {
    Init fn cuStreamBeginCapture: unsafe extern "C" fn(CUstream) -> CUresult, (stream) {
        begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
    }
    Init fn cuStreamBeginCapture_v2: PFN_cuStreamBeginCapture_v2, (stream, mode) { begin(stream, mode) }
    Init fn cuStreamEndCapture: PFN_cuStreamEndCapture, (stream, graph) {
        put(graph, null_mut())?;
        let captured = end(&stream::find(stream)?)?;
        GRAPHS.create(graph, || Ok(captured))
    }
    Init fn cuStreamIsCapturing: PFN_cuStreamIsCapturing, (stream, status) {
        put(status, match part(&*stream::find(stream)?).map(|part| part.capture.usable()) {
            None => CU_STREAM_CAPTURE_STATUS_NONE,
            Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        })
    }
}
