//! Recording streams into a graph.

use std::cell::Cell;
use std::sync::Weak;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, ThreadId};

use cuda_external_in_process::Local;

use super::graph_definition::Graph;
use super::queued_work::Work;
use crate::driver::base::current_context::{self, Context, ContextId};
use crate::driver::base::prelude::*;

pub struct Capture {
    graph: Graph,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    /// The code that a further use returns: success, or why the capture is over.
    state: AtomicU32,
    context: ContextId,
    /// The context whose default stream would wait for the stream where it began.
    blocks: Option<ContextId>,
}

/// What a stream records into. The stream where a capture began is the only one that owns it: the capture ends with the stream.
#[derive(Default)]
pub struct Recording {
    own: Option<Arc<Capture>>,
    part: Option<CapturePart>,
}

/// A stream's part in a capture. An event keeps it as it was when the event was recorded.
#[derive(Clone)]
pub struct CapturePart {
    capture: Weak<Capture>,
    /// The nodes that the next one depends on.
    last: Vec<u64>,
}

/// The captures that have not ended, and some that have.
static CAPTURES: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

impl Capture {
    /// Ends the use of the capture.
    fn invalidate(&self, code: CUresult) -> CudaResult {
        self.state.store(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED.0, Ordering::Relaxed);
        Err(code)
    }

    fn usable(&self) -> CudaResult {
        CUresult::from(self.state.load(Ordering::Relaxed)).result()
    }

    fn is_of_this_thread(&self) -> bool {
        self.thread == thread::current().id()
    }
}

impl CapturePart {
    /// Returns why nobody can wait for the record. The capture is invalid then.
    pub fn refuse(&self) -> CudaResult {
        self.alive()?.invalidate(CUDA_ERROR_CAPTURED_EVENT)
    }

    /// Returns the capture, or INVALID_VALUE where it has ended or is invalid.
    pub fn alive(&self) -> CudaResult<Arc<Capture>> {
        let capture = self.capture.upgrade().ok_or(CUDA_ERROR_INVALID_VALUE)?;
        capture.usable().or(Err(CUDA_ERROR_INVALID_VALUE))?;
        Ok(capture)
    }
}

impl Recording {
    /// Makes the next node depend on a record. A stream that is in no capture joins the record's capture.
    pub fn join(&mut self, record: &CapturePart) -> CudaResult {
        let capture = record.alive()?;
        match self.part() {
            None => {
                self.part = Some(record.clone());
                Ok(())
            }
            Some((own, part)) if Arc::ptr_eq(&own, &capture) => {
                part.last.extend(&record.last);
                Ok(())
            }
            Some((another, _)) => another.invalidate(CUDA_ERROR_STREAM_CAPTURE_MERGE),
        }
    }

    /// Returns success in a capture, the reason if the capture is invalid, or `None` if nothing is captured.
    pub fn state(&mut self) -> Option<CudaResult> {
        self.part().map(|(capture, _)| capture.usable())
    }

    /// Returns the number of the capture, if something is captured.
    pub fn number(&mut self) -> Option<u64> {
        self.part().map(|(capture, _)| Arc::as_ptr(&capture).addr() as u64)
    }

    /// Returns what an event records, if something is captured. An event of other processes' cannot be.
    pub fn record(&mut self, is_interprocess: bool) -> CudaResult<Option<CapturePart>> {
        let Some((capture, part)) = self.part() else { return Ok(None) };
        capture.usable()?;
        check(!is_interprocess, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        Ok(Some(part.clone()))
    }

    /// Refuses what cannot be captured. The capture is invalid then.
    pub fn refuse(&mut self, code: CUresult) -> CudaResult {
        self.part().map_or(Ok(()), |(capture, _)| capture.invalidate(code))
    }

    /// The part in a capture that has not ended.
    fn part(&mut self) -> Option<(Arc<Capture>, &mut CapturePart)> {
        let part = self.part.as_mut()?;
        Some((part.capture.upgrade()?, part))
    }

    /// Adds work as a node. Returns it where nothing is captured.
    pub fn add(&mut self, work: Work) -> CudaResult<Option<Work>> {
        let Some((capture, part)) = self.part() else { return Ok(Some(work)) };
        capture.usable()?;
        part.last = vec![capture.graph.add(std::mem::take(&mut part.last), work)];
        Ok(None)
    }

    pub fn begin(
        &mut self,
        context: ContextId,
        blocks: Option<ContextId>,
        mode: CUstreamCaptureMode,
    ) -> CudaResult {
        check(self.part().is_none(), CUDA_ERROR_ILLEGAL_STATE)?;
        let capture = Arc::new(Capture {
            graph: Graph::default(),
            mode,
            thread: thread::current().id(),
            state: AtomicU32::new(CUDA_SUCCESS.0),
            context,
            blocks,
        });
        let mut captures = lock(&CAPTURES);
        captures.retain(|capture| capture.strong_count() > 0);
        captures.push(Arc::downgrade(&capture));
        self.part = Some(CapturePart { capture: Arc::downgrade(&capture), last: Vec::new() });
        self.own = Some(capture);
        Ok(())
    }

    /// Ends a capture. It ends in any case; without a graph where it returns an error.
    pub fn end(&mut self) -> CudaResult<Graph> {
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

/// Refuses a call where it would disturb captures, which are invalid then.
fn refuse(code: CUresult, disturbs: impl Fn(&Capture) -> bool) -> CudaResult {
    let captures = Vec::from_iter(lock(&CAPTURES).iter().filter_map(Weak::upgrade));
    let disturbed = captures.iter().filter(|capture| disturbs(capture));
    disturbed.map(|capture| capture.invalidate(code)).fold(Ok(()), CudaResult::and)
}

/// The captures that calls of this thread may disturb, as cuThreadExchangeStreamCaptureMode has set it.
static MODE: Local<Cell<CUstreamCaptureMode>> = Local::new();

pub fn exchange_mode(new: CUstreamCaptureMode) -> CUstreamCaptureMode {
    MODE.with(|mode| mode.replace(new))
}

/// Returns the current context, for a call that could disturb a capture. Both come before the call's arguments.
pub fn ready() -> CudaResult<Arc<Context>> {
    let context = current_context::current()?;
    refuse_in_capture()?;
    Ok(context)
}

/// Refuses a call that could disturb a capture.
pub fn refuse_in_capture() -> CudaResult {
    let of_thread = MODE.with(Cell::get);
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, |capture| match (capture.mode, of_thread) {
        (CU_STREAM_CAPTURE_MODE_RELAXED, _) | (_, CU_STREAM_CAPTURE_MODE_RELAXED) => false,
        (CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL) => true,
        _ => capture.is_of_this_thread(),
    })
}

/// Refuses a call that waits for everything in a context.
pub fn refuse_in_context(context: ContextId) -> CudaResult {
    // It invalidates the captures that either of them would.
    let of_thread = refuse_in_capture();
    refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, |capture| capture.context == context).and(of_thread)
}

/// Refuses work in a context's default stream, which would have to wait for a captured one.
pub fn refuse_legacy(context: ContextId) -> CudaResult {
    refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, |capture| capture.blocks == Some(context))
}
