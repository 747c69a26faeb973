//! Recording streams into a graph.

use std::ptr::null_mut;
use std::sync::Weak;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, ThreadId};

use super::context::{Context, ContextId};
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
    /// Of the stream where it began.
    kind: Kind,
    context: ContextId,
}

/// What a stream records into. The stream where a capture began is the only one that owns it: the capture ends with the stream.
#[derive(Default)]
pub struct Recording {
    own: Option<Arc<Capture>>,
    part: Option<Part>,
}

/// A stream's part in a capture. An event keeps it as it was when the event was recorded.
#[derive(Clone)]
pub struct Part {
    capture: Weak<Capture>,
    /// The nodes that the next one depends on.
    last: Vec<u64>,
}

/// Those that have not ended, and some that have.
static CAPTURES: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

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
    /// Makes a stream's next node depend on this record. A stream that takes part in no capture joins this one.
    pub fn join(&self, stream: &Stream) -> Answer {
        let capture = self.capture.upgrade().ok_or(CUDA_ERROR_CAPTURED_EVENT)?;
        capture.usable()?;
        stream.record(|recording| match recording.part() {
            None => {
                recording.part = Some(self.clone());
                Ok(())
            }
            Some((of_stream, part)) if Arc::ptr_eq(&of_stream, &capture) => {
                part.last.extend(&self.last);
                Ok(())
            }
            Some((another, _)) => another.invalidate(CUDA_ERROR_STREAM_CAPTURE_MERGE),
        })
    }
}

impl Recording {
    /// The part in a capture that has not ended.
    fn part(&mut self) -> Option<(Arc<Capture>, &mut Part)> {
        let part = self.part.as_mut()?;
        Some((part.capture.upgrade()?, part))
    }

    /// Adds work as a node. Returns it where nothing is captured.
    pub fn add(&mut self, work: Work) -> Answer<Option<Work>> {
        let Some((capture, part)) = self.part() else { return Ok(Some(work)) };
        capture.usable()?;
        part.last = vec![capture.graph.add(std::mem::take(&mut part.last), work)];
        Ok(None)
    }

    fn begin(&mut self, stream: &Stream, mode: CUstreamCaptureMode) -> Answer {
        check(self.part().is_none(), CUDA_ERROR_ILLEGAL_STATE)?;
        let capture = Arc::new(Capture {
            graph: Graph::default(),
            mode,
            thread: thread::current().id(),
            state: AtomicU32::new(CUDA_SUCCESS.0),
            kind: stream.kind,
            context: stream.context.id,
        });
        let mut captures = lock(&CAPTURES);
        captures.retain(|capture| capture.strong_count() > 0);
        captures.push(Arc::downgrade(&capture));
        self.part = Some(Part { capture: Arc::downgrade(&capture), last: Vec::new() });
        self.own = Some(capture);
        Ok(())
    }

    /// Ends a capture. It ends in any case; without a graph where it returns an error.
    fn end(&mut self) -> Answer<Graph> {
        check(self.part().is_some(), CUDA_ERROR_ILLEGAL_STATE)?;
        let capture = self.own.take().ok_or(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)?;
        let last = self.part.take().map_or(Vec::new(), |part| part.last);
        capture.usable()?;
        let right_thread = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.is_of_this_thread();
        check(right_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)?;
        check(capture.graph.ends_with(&last), CUDA_ERROR_STREAM_CAPTURE_UNJOINED)?;
        Ok(capture.graph.take())
    }
}

/// Returns the capture that a stream takes part in.
fn of(stream: &Stream) -> Option<(Arc<Capture>, Part)> {
    let found =
        stream.record(|recording| Ok(recording.part().map(|(capture, part)| (capture, part.clone()))));
    found.ok().flatten()
}

pub fn is_capturing(stream: &Stream) -> bool {
    of(stream).is_some()
}

/// Returns the record of an event, if the stream is captured.
pub fn record(stream: &Stream) -> Answer<Option<Part>> {
    let Some((capture, part)) = of(stream) else { return Ok(None) };
    capture.usable()?;
    Ok(Some(part))
}

/// Refuses a call where it would disturb captures, which are invalid then.
fn refuse(code: CUresult, disturbs: impl Fn(&Capture) -> bool) -> Answer {
    let captures = Vec::from_iter(lock(&CAPTURES).iter().filter_map(Weak::upgrade));
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
pub fn refuse_legacy(context: &Context) -> Answer {
    refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, |capture| {
        capture.kind == Kind::Blocking && capture.context == context.id
    })
}

/// Refuses what a captured stream cannot do. The capture is invalid then.
pub fn refuse_capturing(stream: &Stream, code: CUresult) -> Answer {
    of(stream).map_or(Ok(()), |(capture, _)| capture.invalidate(code))
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> Answer {
    check(!matches!(stream.addr(), 0 | 1), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    let stream = stream::find(stream)?;
    require(mode.0 <= CU_STREAM_CAPTURE_MODE_RELAXED.0)?;
    stream.record(|recording| recording.begin(&stream, mode))
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
        put(status, match of(&*stream::find(stream)?).map(|(capture, _)| capture.usable()) {
            None => CU_STREAM_CAPTURE_STATUS_NONE,
            Some(Ok(())) => CU_STREAM_CAPTURE_STATUS_ACTIVE,
            Some(Err(_)) => CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        })
    }
}
