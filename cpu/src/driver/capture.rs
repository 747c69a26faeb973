//! Recording streams into a graph.

use std::collections::HashSet;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, ThreadId};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions};
use super::context::Context;
use super::graph::{GRAPHS, Graph, Template};
use super::handle::Handle;
use super::stream::{self, Stream};
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
    /// The streams that take part, the first one being where it began, with the nodes that the next one depends on.
    streams: Mutex<Vec<(Weak<Stream>, Vec<u64>)>>,
}

static CAPTURES: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

impl Capture {
    fn invalidate<T>(&self, code: CUresult) -> Answer<T> {
        self.invalid.store(true, Ordering::Relaxed);
        Err(code)
    }

    fn usable(&self) -> Answer {
        check(!self.invalid.load(Ordering::Relaxed), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    }

    /// Calls with the nodes that the stream's next one depends on.
    fn with_last<T>(&self, stream: &Arc<Stream>, with: impl FnOnce(&mut Vec<u64>) -> T) -> T {
        let mut streams = lock(&self.streams);
        let index =
            streams.iter().position(|(of, _)| of.as_ptr() == Arc::as_ptr(stream)).unwrap_or_else(|| {
                streams.push((Arc::downgrade(stream), Vec::new()));
                streams.len() - 1
            });
        with(&mut streams[index].1)
    }

    /// Adds work as a node.
    pub fn add(&self, stream: &Arc<Stream>, work: Work) -> Answer {
        self.usable()?;
        if matches!(work, Work::After(_)) {
            // The event was recorded outside of the capture.
            return self.invalidate(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        }
        let graph = GRAPHS.find(self.graph).or(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)?;
        self.with_last(stream, |last| {
            let node = graph::add(&graph, last.clone(), Template::of(work));
            *last = vec![node];
        });
        Ok(())
    }

    /// Whether what every stream did is before the end of the first one's work.
    fn is_joined(&self) -> bool {
        let streams = lock(&self.streams);
        let mut open: Vec<u64> = streams.first().map(|(_, last)| last.clone()).unwrap_or_default();
        let mut before = HashSet::new();
        while let Some(node) = open.pop() {
            if before.insert(node) {
                open.extend(graph::dependencies(node));
            }
        }
        streams.iter().flat_map(|(_, last)| last).all(|node| before.contains(node))
    }

    fn end(&self) {
        for (stream, _) in lock(&self.streams).drain(..) {
            if let Some(stream) = stream.upgrade() {
                lock(&stream.capture).take();
            }
        }
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
        let own = lock(&stream.capture).get_or_insert_with(|| capture.clone()).clone();
        if !Arc::ptr_eq(&own, &capture) {
            return own.invalidate(CUDA_ERROR_STREAM_CAPTURE_MERGE);
        }
        capture.with_last(stream, |last| last.extend(&self.nodes));
        Ok(())
    }
}

/// Returns the record of an event, if the stream is captured.
pub fn record(stream: &Arc<Stream>) -> Answer<Option<CapturedMoment>> {
    let Some(capture) = lock(&stream.capture).clone() else { return Ok(None) };
    capture.usable()?;
    let nodes = capture.with_last(stream, |last| last.clone());
    Ok(Some(CapturedMoment { capture: Arc::downgrade(&capture), nodes }))
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
    let disturbed = captures().into_iter().filter(disturbs);
    let refuse = |capture: Arc<Capture>| capture.invalidate::<()>(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    disturbed.map(refuse).fold(Ok(()), Answer::and)
}

/// Refuses work in the default stream, which would have to wait for a captured one.
pub fn refuse_legacy(context: &Context) -> Answer {
    let waits = captures().into_iter().find(|capture| capture.blocking && capture.context == context.number);
    waits.map_or(Ok(()), |capture| capture.invalidate(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT))
}

/// Refuses to wait for a captured stream.
pub fn refuse_capturing(stream: &Stream) -> Answer {
    let capture = lock(&stream.capture).clone();
    capture.map_or(Ok(()), |capture| capture.invalidate(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED))
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> Answer {
    check(!matches!(stream.addr(), 0 | 1), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let stream = stream::find(stream)?;
    check(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0, CUDA_ERROR_INVALID_VALUE)?;
    let mut slot = lock(&stream.capture);
    check(slot.is_none(), CUDA_ERROR_ILLEGAL_STATE)?;
    let capture = Arc::new(Capture {
        graph: GRAPHS.add_with(Graph::new),
        mode,
        thread: thread::current().id(),
        context: stream.context.number,
        blocking: stream.is_blocking(),
        invalid: AtomicBool::new(false),
        streams: Mutex::new(vec![(Arc::downgrade(&stream), Vec::new())]),
    });
    lock(&CAPTURES).push(Arc::downgrade(&capture));
    *slot = Some(capture);
    Ok(())
}

/// Ends a capture. It ends in any case; without a graph where it returns an error.
fn end(stream: &Arc<Stream>) -> Answer<u64> {
    let capture = lock(&stream.capture).clone().ok_or(CUDA_ERROR_ILLEGAL_STATE)?;
    let is_first =
        lock(&capture.streams).first().is_some_and(|(first, _)| first.as_ptr() == Arc::as_ptr(stream));
    check(is_first, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)?;
    let relaxed = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    let right_thread = relaxed || capture.thread == thread::current().id();
    let result = capture
        .usable()
        .and_then(|()| check(right_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD))
        .and_then(|()| check(capture.is_joined(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
    capture.end();
    if result.is_err() {
        GRAPHS.remove(capture.graph);
    }
    result.map(|()| capture.graph)
}

functions! {
    Init fn cuStreamBeginCapture: unsafe extern "C" fn(CUstream) -> CUresult, (stream: CUstream) {
        begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)
    }
    Init fn cuStreamBeginCapture_v2: PFN_cuStreamBeginCapture_v2, (stream: CUstream, mode: CUstreamCaptureMode) {
        begin(stream, mode)
    }
    Init fn cuStreamEndCapture: PFN_cuStreamEndCapture, (stream: CUstream, graph: *mut CUgraph) {
        graph.put(null_mut())?;
        graph.put(CUgraph::from_number(end(&stream::find(stream)?)?))
    }
    Init fn cuStreamIsCapturing: PFN_cuStreamIsCapturing, (stream: CUstream, status: *mut CUstreamCaptureStatus) {
        let capture = lock(&stream::find(stream)?.capture).clone();
        status.put(match capture.map(|capture| capture.usable()) {
            None => CU_STREAM_CAPTURE_STATUS_NONE,
            Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        })
    }
}
