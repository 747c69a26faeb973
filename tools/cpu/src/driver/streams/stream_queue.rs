//! Streams: each has a thread that runs the stream's work in order.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Weak};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::capture_state::{self, StreamCapture};
use super::host_callbacks::{current_signal_mask, set_callback_signal_mask};
use super::queued_work::{QueuedWork, WorkFunction};
use crate::driver::addresses::address_reuse::AddressReuseGuard;
use crate::driver::base::current_context::{
    self, Context, ContextId, current_context, current_context_or_none,
};
use crate::driver::base::driver_call::NULL_IS_PER_THREAD;
use crate::driver::base::handle_registry::new_object_number;
use crate::driver::base::init_state::is_forked;
use crate::driver::base::prelude::*;
use crate::thread_signals_and_values::{PerThreadValue, spawn_without_signals};

pub const GREATEST_PRIORITY: c_int = -5;

/// Held while work is enqueued. A wait for a stream or an event is thus for earlier work only, and no cycle can form.
///
/// The lock also orders the signals and the waits of a binary semaphore.
static ENQUEUE_ORDER: Mutex<()> = Mutex::new(());

/// All streams, of each kind, until they are closed and their work has ended.
static OPEN_STREAMS: Mutex<Vec<Weak<Stream>>> = Mutex::new(Vec::new());

pub static STREAMS: HandleRegistry<Stream> = HandleRegistry::new(2, CUDA_ERROR_INVALID_HANDLE);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StreamKind {
    /// The default stream, which waits for the blocking streams, and for which the blocking streams wait.
    Legacy,
    Blocking,
    NonBlocking,
}

pub struct Stream {
    pub id: u64,
    pub context: Arc<Context>,
    pub kind: StreamKind,
    /// The priority that cuStreamGetPriority returns. A priority has no effect in this driver.
    priority: c_int,
    /// `None` once the stream is closed.
    open: Mutex<Option<StreamWorkQueue>>,
    last: Mutex<Option<Arc<WorkCompletion>>>,
}

struct StreamWorkQueue {
    /// When the sender is dropped, the thread ends after the items that were sent.
    queue: Sender<StreamQueueItem>,
    recording: StreamCapture,
}

/// Work in a stream's queue, and the completions that the work waits for.
struct StreamQueueItem {
    after: Vec<Arc<WorkCompletion>>,
    run: WorkFunction,
    unfinished: AddressReuseGuard,
    end: Arc<WorkCompletion>,
}

#[derive(Default)]
pub struct WorkCompletion {
    completion_time: Mutex<Option<Instant>>,
    completed: Condvar,
}

impl WorkCompletion {
    pub fn mark_complete(&self) {
        *lock(&self.completion_time) = Some(Instant::now());
        self.completed.notify_all();
    }

    pub fn wait_for_completion(&self) {
        self.wait_for_completion_at_most(Duration::MAX);
    }

    pub fn wait_for_completion_at_most(&self, time: Duration) {
        drop(self.completed.wait_timeout_while(lock(&self.completion_time), time, |time| time.is_none()));
    }

    pub fn completion_time(&self) -> Option<Instant> {
        *lock(&self.completion_time)
    }
}

impl Stream {
    pub fn new(context: &Arc<Context>, kind: StreamKind, priority: c_int) -> CudaResult<Arc<Self>> {
        let (queue, to_do) = channel::<StreamQueueItem>();
        let open = Mutex::new(Some(StreamWorkQueue { queue, recording: StreamCapture::default() }));
        let (id, context, last) = (new_object_number(), context.clone(), Mutex::default());
        let stream = Arc::new(Self { id, context, kind, priority, open, last });
        let (this, mask) = (stream.clone(), current_signal_mask());
        let thread = Builder::new().name("cuda-external-cpu stream".to_owned());
        let started = spawn_without_signals(thread, move || {
            set_callback_signal_mask(mask);
            to_do.iter().for_each(|item| this.run_queue_item(item));
        });
        ensure(started.is_ok(), CUDA_ERROR_OUT_OF_MEMORY)?;
        let mut open = lock(&OPEN_STREAMS);
        open.retain(|stream| stream.strong_count() > 0);
        open.push(Arc::downgrade(&stream));
        drop(open);
        Ok(stream)
    }

    pub fn enqueue_work(&self, work: QueuedWork) -> CudaResult {
        self.context.ensure_context_not_lost()?;
        let mut open = lock(&self.open);
        let queue = open.as_mut().ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        if let Some((capture, part)) = queue.recording.capture_part() {
            return capture.capture_work(part, work);
        }
        drop(open);
        self.enqueue_uncaptured_work(work, Vec::new()).map(drop)
    }

    pub fn with_capture_state<T>(
        &self,
        with: impl FnOnce(&mut StreamCapture) -> CudaResult<T>,
    ) -> CudaResult<T> {
        with(&mut lock(&self.open).as_mut().ok_or(CUDA_ERROR_INVALID_HANDLE)?.recording)
    }

    pub fn is_capturing(&self) -> bool {
        self.with_capture_state(|recording| Ok(recording.capture_status())).is_ok_and(|state| state.is_some())
    }

    /// For a call that cannot be captured: if the stream is captured, invalidates the capture and returns `code`.
    pub fn invalidate_capture(&self, code: CUresult) -> CudaResult {
        self.with_capture_state(|recording| match recording.capture_part() {
            Some((capture, _)) => capture.invalidate_capture(code),
            None => Ok(()),
        })
    }

    pub fn run_and_wait(&self, work: QueuedWork) -> CudaResult {
        self.enqueue_uncaptured_work(work, Vec::new())?.wait_for_completion();
        self.context.ensure_context_not_lost()
    }

    /// Enqueues work that also waits for the completions `after`. Returns the completion of the work.
    pub fn enqueue_uncaptured_work(
        &self,
        work: QueuedWork,
        mut after: Vec<Arc<WorkCompletion>>,
    ) -> CudaResult<Arc<WorkCompletion>> {
        let _order = lock(&ENQUEUE_ORDER);
        after.extend(self.default_stream_dependencies());
        let open = lock(&self.open);
        let queue = &open.as_ref().ok_or(CUDA_ERROR_INVALID_HANDLE)?.queue;
        let end = Arc::<WorkCompletion>::default();
        let (run, unfinished) = (work.into_function(), AddressReuseGuard::guard_new_work());
        let item = StreamQueueItem { after, run, unfinished, end: end.clone() };
        queue.send(item).map_err(|_| CUDA_ERROR_INVALID_HANDLE)?;
        *lock(&self.last) = Some(end.clone());
        Ok(end)
    }

    /// Returns the completions that the next item waits for by the rules of the default stream.
    fn default_stream_dependencies(&self) -> Vec<Arc<WorkCompletion>> {
        let others = match self.kind {
            StreamKind::Legacy => StreamKind::Blocking,
            StreamKind::Blocking => StreamKind::Legacy,
            StreamKind::NonBlocking => return Vec::new(),
        };
        let streams =
            open_streams_of_context(self.context.id).into_iter().filter(|stream| stream.kind == others);
        streams.filter_map(|stream| stream.last_pending_completion()).collect()
    }

    pub fn last_pending_completion(&self) -> Option<Arc<WorkCompletion>> {
        lock(&self.last).clone().filter(|last| last.completion_time().is_none())
    }

    /// Returns the completion of this stream's pending work and, for the legacy stream, those of the blocking streams.
    fn pending_completions(&self) -> Vec<Arc<WorkCompletion>> {
        let others =
            if self.kind == StreamKind::Legacy { self.default_stream_dependencies() } else { Vec::new() };
        others.into_iter().chain(self.last_pending_completion()).collect()
    }

    pub fn close_stream(&self) {
        // Releases the lock before the capture is dropped, since the drop may lock `GRAPHS` and remove the graph there.
        let ended = lock(&self.open).take();
        drop(ended);
    }

    fn run_queue_item(&self, StreamQueueItem { after, run, unfinished, end }: StreamQueueItem) {
        after.iter().for_each(|completion| completion.wait_for_completion());
        // A panic counts as a failed launch: the context is lost, and the stream's thread goes on.
        let result = catch_unwind(AssertUnwindSafe(&*run)).unwrap_or(Err(CUDA_ERROR_LAUNCH_FAILED));
        if let Err(code) = result {
            self.context.mark_context_lost(code);
        }
        // Drops the objects that the work used before another thread can see that the work has ended.
        drop((run, unfinished));
        end.mark_complete();
    }
}

/// A thread's default streams, one per context: CU_STREAM_PER_THREAD, or null for functions with `_ptsz` or `_ptds`.
static PER_THREAD_STREAMS: PerThreadValue<RefCell<Vec<OwnedStream>>> = PerThreadValue::new();

/// A stream that is not in `STREAMS`. Dropping this value closes the stream.
pub struct OwnedStream(pub Arc<Stream>);

impl Drop for OwnedStream {
    fn drop(&mut self) {
        // A child of fork could wait forever for a lock that another thread of the parent held.
        if !is_forked() {
            self.0.close_stream();
        }
    }
}

fn per_thread_stream() -> CudaResult<Arc<Stream>> {
    let context = current_context()?;
    PER_THREAD_STREAMS.with_value(|streams| {
        let mut streams = streams.borrow_mut();
        // Removes closed streams: their contexts have ended.
        streams.retain(|known| lock(&known.0.open).is_some());
        if let Some(known) = streams.iter().find(|known| Arc::ptr_eq(&known.0.context, &context)) {
            return Ok(known.0.clone());
        }
        let stream = Stream::new(&context, StreamKind::Blocking, 0)?;
        streams.push(OwnedStream(stream.clone()));
        Ok(stream)
    })
}

fn open_streams_of_context(context: ContextId) -> Vec<Arc<Stream>> {
    let open = Vec::from_iter(lock(&OPEN_STREAMS).iter().filter_map(Weak::upgrade));
    open.into_iter().filter(|stream| stream.context.id == context).collect()
}

pub fn legacy_stream() -> CudaResult<Arc<Stream>> {
    let context = current_context()?;
    capture_state::refuse_legacy_stream_during_capture(context.id)?;
    // Without this lock, two threads could create two default streams of a context.
    static CREATION: Mutex<()> = Mutex::new(());
    let _turn = lock(&CREATION);
    let known =
        open_streams_of_context(context.id).into_iter().find(|stream| stream.kind == StreamKind::Legacy);
    known.map_or_else(|| Stream::new(&context, StreamKind::Legacy, 0), Ok)
}

pub fn default_stream() -> CudaResult<Arc<Stream>> {
    if NULL_IS_PER_THREAD.get() { per_thread_stream() } else { legacy_stream() }
}

pub fn pending_completions_in_context(context: &Context) -> Vec<Arc<WorkCompletion>> {
    open_streams_of_context(context.id).iter().filter_map(|stream| stream.last_pending_completion()).collect()
}

/// Waits for a context's work, as NVIDIA's driver does in cuMemFree, but at most two seconds: the work may never end.
pub fn wait_before_free(context: &Context) {
    let end = Instant::now() + Duration::from_secs(2);
    for completion in pending_completions_in_context(context) {
        completion.wait_for_completion_at_most(end.saturating_duration_since(Instant::now()));
    }
}

pub fn wait_in_current_before_free() -> CudaResult {
    if let Some(context) = current_context_or_none()? {
        wait_before_free(&context);
    }
    Ok(())
}

pub fn close_streams_of_context(context: ContextId) {
    open_streams_of_context(context).iter().for_each(|stream| stream.close_stream());
}

/// Returns a stream by its handle. The handles 1 and 2 are CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
pub fn find_stream(stream: CUstream) -> CudaResult<Arc<Stream>> {
    match stream.addr() {
        0 => default_stream(),
        1 => legacy_stream(),
        2 => per_thread_stream(),
        _ => find_created_stream(stream),
    }
}

/// Returns a stream in which a call can enqueue work. Most calls check their stream before their other arguments.
pub fn find_usable_stream(stream: CUstream) -> CudaResult<Arc<Stream>> {
    let stream = find_stream(stream)?;
    stream.context.ensure_context_not_lost()?;
    stream.with_capture_state(|recording| recording.capture_status().unwrap_or(Ok(())))?;
    Ok(stream)
}

fn find_created_stream(stream: CUstream) -> CudaResult<Arc<Stream>> {
    STREAMS.find_object_or_abort(stream, "the stream is destroyed")
}

fn find_waitable_stream(stream: CUstream) -> CudaResult<Arc<Stream>> {
    let stream = find_stream(stream)?;
    stream.context.ensure_context_not_lost()?;
    stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    capture_state::refuse_during_capture()?;
    Ok(stream)
}

unsafe fn create_stream(stream: *mut CUstream, flags: c_uint, priority: c_int) -> CudaResult {
    let kind = match CUstream_flags(flags) {
        CU_STREAM_DEFAULT => StreamKind::Blocking,
        CU_STREAM_NON_BLOCKING => StreamKind::NonBlocking,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    };
    ensure_valid(!stream.is_null())?;
    let context = current_context()?;
    let make = || Stream::new(&context, kind, priority.clamp(GREATEST_PRIORITY, 0));
    // SAFETY: `stream` is not null, and so valid for a write.
    unsafe { STREAMS.create_object(stream, Some(context.id), make) }
}

/// Returns a stream for a call such as cuStreamGetFlags. For a captured stream, such a call fails and invalidates the
/// capture (measured).
pub fn find_uncaptured_stream(stream: CUstream) -> CudaResult<Arc<Stream>> {
    let stream = find_stream(stream)?;
    stream.invalidate_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    Ok(stream)
}

fn context_of_stream(stream: CUstream) -> CudaResult<CUcontext> {
    let found = current_context::find_context_by_id(find_usable_stream(stream)?.context.id);
    Ok(found.map_or(null_mut(), |(number, _)| CUcontext::from_number(number)))
}

functions! {
    Init fn cuStreamCreate: PFN_cuStreamCreate, (stream, flags) { create_stream(stream, flags, 0) }
    Init fn cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority, (stream, flags, priority) {
        create_stream(stream, flags, priority)
    }
    Init fn cuStreamDestroy | cuStreamDestroy_v2: PFN_cuStreamDestroy_v2, (stream) {
        find_created_stream(stream)?.close_stream();
        STREAMS.destroy_object(stream)
    }
    InitInCallback fn cuStreamQuery +_ptsz: PFN_cuStreamQuery, (stream) {
        ensure(find_waitable_stream(stream)?.pending_completions().is_empty(), CUDA_ERROR_NOT_READY)
    }
    Init fn cuStreamSynchronize +_ptsz: PFN_cuStreamSynchronize, (stream) {
        let stream = find_waitable_stream(stream)?;
        stream.pending_completions().iter().for_each(|end| end.wait_for_completion());
        stream.context.ensure_context_not_lost()
    }
    Init fn cuStreamGetFlags +_ptsz(stream: CUstream, flags: *mut c_uint) {
        write_created(flags, || {
            let blocking = find_uncaptured_stream(stream)?.kind != StreamKind::NonBlocking;
            Ok(if blocking { CU_STREAM_DEFAULT.0 } else { CU_STREAM_NON_BLOCKING.0 })
        })
    }
    Init fn cuStreamGetPriority +_ptsz(stream: CUstream, priority: *mut c_int) {
        write_created(priority, || Ok(find_usable_stream(stream)?.priority))
    }
    Init fn cuStreamGetId +_ptsz(stream: CUstream, id: *mut u64) {
        write_created(id, || Ok(find_uncaptured_stream(stream)?.id))
    }
    Init fn cuStreamGetDevice +_ptsz(stream: CUstream, device: *mut CUdevice) {
        write_created(device, || Ok(find_uncaptured_stream(stream)?.context.device as CUdevice))
    }
    Init fn cuStreamGetCtx +_ptsz(stream: CUstream, context: *mut CUcontext) {
        write_created(context, || context_of_stream(stream))
    }
    Init fn cuStreamGetCtx_v2 +_ptsz(stream: CUstream, context: *mut CUcontext, green: *mut *mut c_void) {
        let found = context_of_stream(stream)?;
        write_out(context, found)?;
        write_out_if_wanted(green, null_mut())
    }
}
