//! Captures, which record the work of streams into a graph.

use std::cell::Cell;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use crate::thread_signals_and_values::PerThreadValue;

use super::graph_definition::{GRAPHS, Graph};
use super::queued_work::QueuedWork;
use crate::driver::base::current_context::{self, Context, ContextId};
use crate::driver::base::handle_registry::new_object_number;
use crate::driver::base::prelude::*;

pub struct Capture {
    pub id: u64,
    pub graph: Arc<Graph>,
    /// The graph's handle, which the program can get during the capture.
    pub graph_handle: u64,
    has_ended: AtomicBool,
    /// The captured nodes that no captured node depends on.
    ends: Mutex<Vec<u64>>,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    is_invalid: AtomicBool,
    context: ContextId,
    /// If the capture began in a blocking stream: the context whose default stream would wait for that stream.
    blocks: Option<ContextId>,
}

/// A capture, kept by the stream in which the capture began. Dropping this value ends the capture, even if other
/// threads use the capture. Dropping also destroys the captured graph, unless `end_capture` returned the graph.
struct OwnedCapture {
    capture: Arc<Capture>,
    hands_graph_over: bool,
}

/// A stream's part in a capture. Also the capture itself if it began in the stream: closing the stream then ends it.
#[derive(Default)]
pub struct StreamCapture {
    own: Option<OwnedCapture>,
    live_part: Option<CapturePart>,
}

/// A stream's part in a capture. If an event is recorded in the stream, the event keeps a copy of the part.
#[derive(Clone)]
pub struct CapturePart {
    capture: Weak<Capture>,
    /// The nodes that the next node will depend on.
    pub last: Vec<u64>,
    /// What cuStreamGetCaptureInfo_v3 returns: a zero for each node of `last`, as edges have no data in this driver.
    pub edges: Vec<u64>,
}

/// All captures. `begin_capture` removes the captures that have ended.
static CAPTURES: Mutex<Vec<Weak<Capture>>> = Mutex::new(Vec::new());

impl Capture {
    pub fn invalidate_capture(&self, code: CUresult) -> CudaResult {
        self.is_invalid.store(true, Ordering::Relaxed);
        Err(code)
    }

    pub fn ensure_valid_capture(&self) -> CudaResult {
        ensure(!self.is_invalid.load(Ordering::Relaxed), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    }

    /// Adds a node that depends on the last nodes of `part`. The new node then replaces them in `part`.
    pub fn capture_work(&self, part: &mut CapturePart, work: QueuedWork) -> CudaResult {
        self.ensure_valid_capture()?;
        let mut ends = lock(&self.ends);
        ends.retain(|end| !part.last.contains(end));
        let node = self.graph.push_node(std::mem::take(&mut part.last), work);
        ends.push(node);
        part.last = vec![node];
        Ok(())
    }

    /// Changes the nodes that the next node of `part` will depend on: adds `nodes`, or replaces all by `nodes`.
    pub fn update_dependencies(&self, part: &mut CapturePart, nodes: Vec<u64>, replaces: bool) {
        if replaces {
            // `end_capture` does not require the removed nodes to be joined.
            lock(&self.ends).retain(|end| !part.last.contains(end));
            part.last.clear();
        }
        for node in nodes {
            if !part.last.contains(&node) {
                part.last.push(node);
            }
        }
    }

    fn is_of_this_thread(&self) -> bool {
        self.thread == thread::current().id()
    }
}

impl Drop for OwnedCapture {
    fn drop(&mut self) {
        self.capture.has_ended.store(true, Ordering::Relaxed);
        if !self.hands_graph_over {
            GRAPHS.remove_object(self.capture.graph_handle);
        }
    }
}

fn live_capture(capture: &Weak<Capture>) -> Option<Arc<Capture>> {
    capture.upgrade().filter(|capture| !capture.has_ended.load(Ordering::Relaxed))
}

impl CapturePart {
    /// Invalidates the capture of an event's record. Returns the error of a call that queries or waits for the event.
    pub fn invalidate_by_record_wait(&self) -> CudaResult {
        self.capture_of_record()?.invalidate_capture(CUDA_ERROR_CAPTURED_EVENT)
    }

    pub fn capture_of_record(&self) -> CudaResult<Arc<Capture>> {
        let capture = live_capture(&self.capture).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        capture.ensure_valid_capture().or(Err(CUDA_ERROR_INVALID_VALUE))?;
        Ok(capture)
    }
}

impl StreamCapture {
    /// Makes the stream's next node depend on an event's record. An uncaptured stream joins the record's capture.
    pub fn join_record(&mut self, record: &CapturePart) -> CudaResult {
        let capture = record.capture_of_record()?;
        match self.capture_part() {
            None => {
                self.live_part = Some(record.clone());
                Ok(())
            }
            Some((own, part)) if Arc::ptr_eq(&own, &capture) => {
                part.last.extend(&record.last);
                Ok(())
            }
            Some((another, _)) => another.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_MERGE),
        }
    }

    pub fn capture_status(&mut self) -> Option<CudaResult> {
        self.capture_part().map(|(capture, _)| capture.ensure_valid_capture())
    }

    /// Returns the part that an event's record keeps, or `None` if the stream is not captured. In a captured stream,
    /// returns an error if the capture is invalid, or if the event is an interprocess event.
    pub fn part_for_event_record(&mut self, is_interprocess: bool) -> CudaResult<Option<CapturePart>> {
        let Some((capture, part)) = self.capture_part() else { return Ok(None) };
        capture.ensure_valid_capture()?;
        ensure(!is_interprocess, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
        Ok(Some(part.clone()))
    }

    pub fn capture_part(&mut self) -> Option<(Arc<Capture>, &mut CapturePart)> {
        let part = self.live_part.as_mut()?;
        Some((live_capture(&part.capture)?, part))
    }

    pub fn begin_capture(
        &mut self,
        context: ContextId,
        blocks: Option<ContextId>,
        mode: CUstreamCaptureMode,
    ) -> CudaResult {
        ensure(self.capture_part().is_none(), CUDA_ERROR_ILLEGAL_STATE)?;
        let graph = Arc::<Graph>::default();
        let capture = Arc::new(Capture {
            id: new_object_number(),
            graph_handle: GRAPHS.register_object(graph.clone()),
            graph,
            has_ended: AtomicBool::new(false),
            ends: Mutex::default(),
            mode,
            thread: thread::current().id(),
            is_invalid: AtomicBool::new(false),
            context,
            blocks,
        });
        let mut captures = lock(&CAPTURES);
        captures.retain(|capture| capture.strong_count() > 0);
        captures.push(Arc::downgrade(&capture));
        self.live_part =
            Some(CapturePart { capture: Arc::downgrade(&capture), last: Vec::new(), edges: Vec::new() });
        self.own = Some(OwnedCapture { capture, hands_graph_over: false });
        Ok(())
    }

    /// Ends the capture that began in this stream, and returns the captured graph. If the capture is invalid, if it has
    /// unjoined nodes, or if only another thread may end it, ends the capture, destroys the graph and returns an error.
    /// If no capture began in this stream, ends none and returns an error.
    pub fn end_capture(&mut self) -> CudaResult<CUgraph> {
        ensure(self.capture_part().is_some(), CUDA_ERROR_ILLEGAL_STATE)?;
        let mut own = self.own.take().ok_or(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)?;
        let capture = own.capture.clone();
        let last = self.live_part.take().map_or(Vec::new(), |part| part.last);
        capture.ensure_valid_capture()?;
        let right_thread = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.is_of_this_thread();
        ensure(right_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)?;
        let is_joined = lock(&capture.ends).iter().all(|end| last.contains(end));
        ensure(is_joined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED)?;
        own.hands_graph_over = true;
        Ok(CUgraph::from_number(capture.graph_handle))
    }
}

/// Returns `code` as an error if a call disturbs captures, and invalidates these captures.
fn invalidate_disturbed_captures(code: CUresult, disturbs: impl Fn(&Capture) -> bool) -> CudaResult {
    let captures = Vec::from_iter(lock(&CAPTURES).iter().filter_map(live_capture));
    let disturbed = captures.iter().filter(|capture| disturbs(capture));
    disturbed.map(|capture| capture.invalidate_capture(code)).fold(Ok(()), CudaResult::and)
}

/// The capture mode of each thread, which cuThreadExchangeStreamCaptureMode sets.
pub static THREAD_CAPTURE_MODE: PerThreadValue<Cell<CUstreamCaptureMode>> = PerThreadValue::new();

/// Returns the current context, or an error while a capture forbids calls such as cuMemAlloc.
pub fn current_context_outside_capture() -> CudaResult<Arc<Context>> {
    let context = current_context::current_context()?;
    refuse_during_capture()?;
    Ok(context)
}

pub fn refuse_during_capture() -> CudaResult {
    let of_thread = THREAD_CAPTURE_MODE.with_value(Cell::get);
    invalidate_disturbed_captures(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, |capture| {
        match (capture.mode, of_thread) {
            (CU_STREAM_CAPTURE_MODE_RELAXED, _) | (_, CU_STREAM_CAPTURE_MODE_RELAXED) => false,
            (CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL) => true,
            _ => capture.is_of_this_thread(),
        }
    })
}

/// Refuses a call that waits for all work in `context`, in two cases: a stream of `context` began a capture that has
/// not ended, or a capture forbids calls such as cuMemAlloc. Then invalidates these captures.
pub fn refuse_during_capture_in_context(context: ContextId) -> CudaResult {
    // Both checks always run, since each one invalidates captures.
    let of_thread = refuse_during_capture();
    invalidate_disturbed_captures(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, |capture| capture.context == context)
        .and(of_thread)
}

/// Refuses work in a context's default stream if that stream would have to wait for a captured stream.
pub fn refuse_legacy_stream_during_capture(context: ContextId) -> CudaResult {
    invalidate_disturbed_captures(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, |capture| {
        capture.blocks == Some(context)
    })
}
