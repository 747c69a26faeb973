//! Recording streams into a graph.

use std::collections::HashSet;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, ThreadId};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, require};
use super::context::Context;
use super::graph::{GRAPHS, Graph};
use super::handle::Handle;
use super::stream::{self, Kind, Stream};
use super::work::Work;
use super::{graph, lock};

pub struct Capture {
    graph: u64,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    context: u64,
    /// Whether the default stream would have to wait for the capture.
    blocking: bool,
    invalid: AtomicBool,
    /// The streams that take part, the first one being where it began.
    streams: Mutex<Vec<Arc<Stream>>>,
}

/// A stream's part in a capture.
#[derive(Clone)]
pub struct Part {
    capture: Arc<Capture>,
    /// The nodes that the next one depends on.
    last: Vec<u64>,
}

static CAPTURES: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

impl Capture {
    fn invalidate(&self, code: CUresult) -> Answer {
        self.invalid.store(true, Ordering::Relaxed);
        Err(code)
    }

    fn usable(&self) -> Answer {
        check(!self.invalid.load(Ordering::Relaxed), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    }

    /// Whether what every stream did is before the end of the first one's work.
    fn is_joined(&self) -> bool {
        // `join` has the locks in the other order.
        let streams = lock(&self.streams).clone();
        let last = |stream: &Arc<Stream>| lock(&stream.capture).clone().map_or(Vec::new(), |part| part.last);
        let mut open = streams.first().map(last).unwrap_or_default();
        let mut before = HashSet::new();
        while let Some(node) = open.pop() {
            if before.insert(node) {
                open.extend(graph::dependencies(node));
            }
        }
        streams.iter().flat_map(last).all(|node| before.contains(&node))
    }
}

impl Part {
    /// Adds work as a node.
    pub fn add(&mut self, work: Work) -> Answer {
        self.capture.usable()?;
        let graph = GRAPHS.find(self.capture.graph).or(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)?;
        self.last = vec![graph::add(&graph, std::mem::take(&mut self.last), work)];
        Ok(())
    }
}

/// A record of an event in a captured stream.
pub struct CapturedMoment {
    capture: Weak<Capture>,
    nodes: Vec<u64>,
}

impl CapturedMoment {
    /// Makes a stream's next node depend on the record. A stream that takes part in no capture joins this one.
    pub fn join(&self, stream: &Arc<Stream>) -> Answer {
        let capture = self.capture.upgrade().ok_or(CUDA_ERROR_CAPTURED_EVENT)?;
        capture.usable()?;
        let mut slot = lock(&stream.capture);
        let part = slot.get_or_insert_with(|| {
            lock(&capture.streams).push(stream.clone());
            Part { capture: capture.clone(), last: Vec::new() }
        });
        if !Arc::ptr_eq(&part.capture, &capture) {
            return part.capture.invalidate(CUDA_ERROR_STREAM_CAPTURE_MERGE);
        }
        part.last.extend(&self.nodes);
        Ok(())
    }
}

/// Returns the record of an event, if the stream is captured.
pub fn record(stream: &Stream) -> Answer<Option<CapturedMoment>> {
    let Some(part) = lock(&stream.capture).clone() else { return Ok(None) };
    part.capture.usable()?;
    Ok(Some(CapturedMoment { capture: Arc::downgrade(&part.capture), nodes: part.last }))
}

pub fn is_capturing(stream: &Stream) -> bool {
    lock(&stream.capture).is_some()
}

fn captures() -> Vec<Arc<Capture>> {
    let mut captures = lock(&CAPTURES);
    captures.retain(|capture| capture.strong_count() > 0);
    captures.iter().filter_map(Weak::upgrade).collect()
}

/// Refuses a call that could disturb a capture, which is invalid then.
pub fn refuse_in_capture() -> Answer {
    let this = thread::current().id();
    let disturbs = |capture: &Arc<Capture>| match capture.mode {
        CU_STREAM_CAPTURE_MODE_GLOBAL => true,
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL => capture.thread == this,
        _ => false,
    };
    let refuse = |capture: Arc<Capture>| capture.invalidate(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    captures().into_iter().filter(disturbs).map(refuse).fold(Ok(()), Answer::and)
}

/// Refuses work in the default stream, which would have to wait for a captured one.
pub fn refuse_legacy(context: &Context) -> Answer {
    let waits = captures().into_iter().find(|capture| capture.blocking && capture.context == context.number);
    waits.map_or(Ok(()), |capture| capture.invalidate(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT))
}

/// Refuses what a captured stream cannot do. The capture is invalid then.
pub fn refuse_capturing(stream: &Stream, code: CUresult) -> Answer {
    let part = lock(&stream.capture).clone();
    part.map_or(Ok(()), |part| part.capture.invalidate(code))
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> Answer {
    check(!matches!(stream.addr(), 0 | 1), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let stream = stream::find(stream)?;
    require(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
    let mut slot = lock(&stream.capture);
    check(slot.is_none(), CUDA_ERROR_ILLEGAL_STATE)?;
    let capture = Arc::new(Capture {
        graph: GRAPHS.add_with(Graph::new),
        mode,
        thread: thread::current().id(),
        context: stream.context.number,
        blocking: stream.kind == Kind::Blocking,
        invalid: AtomicBool::new(false),
        streams: Mutex::new(vec![stream.clone()]),
    });
    lock(&CAPTURES).push(Arc::downgrade(&capture));
    *slot = Some(Part { capture, last: Vec::new() });
    Ok(())
}

/// Ends a capture. It ends in any case; without a graph where it returns an error.
fn end(stream: &Arc<Stream>) -> Answer<u64> {
    let capture = lock(&stream.capture).clone().ok_or(CUDA_ERROR_ILLEGAL_STATE)?.capture;
    let is_first = lock(&capture.streams).first().is_some_and(|first| Arc::ptr_eq(first, stream));
    check(is_first, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)?;
    let relaxed = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    let right_thread = relaxed || capture.thread == thread::current().id();
    let result = capture
        .usable()
        .and_then(|()| check(right_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD))
        .and_then(|()| check(capture.is_joined(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
    let streams = std::mem::take(&mut *lock(&capture.streams));
    streams.iter().for_each(|stream| drop(lock(&stream.capture).take()));
    if result.is_err() {
        GRAPHS.remove(capture.graph);
    }
    result.map(|()| capture.graph)
}

functions! {
    Init fn cuStreamBeginCapture: unsafe extern "C" fn(CUstream) -> CUresult, (stream) {
        begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
    }
    Init fn cuStreamBeginCapture_v2: PFN_cuStreamBeginCapture_v2, (stream, mode) { begin(stream, mode) }
    Init fn cuStreamEndCapture: PFN_cuStreamEndCapture, (stream, graph) {
        graph.put(null_mut())?;
        graph.put(CUgraph::from_number(end(&stream::find(stream)?)?))
    }
    Init fn cuStreamIsCapturing: PFN_cuStreamIsCapturing, (stream, status) {
        let part = lock(&stream::find(stream)?.capture).clone();
        status.put(match part.map(|part| part.capture.usable()) {
            None => CU_STREAM_CAPTURE_STATUS_NONE,
            Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        })
    }
}
