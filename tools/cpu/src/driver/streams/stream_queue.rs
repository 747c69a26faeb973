//! Streams: each has a thread that does its work in order.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Weak};
use std::thread::Builder;
use std::time::{Duration, Instant};

use cuda_external_in_process::{Local, spawn};

use super::capture_state::{self, Recording};
use super::queued_work::{Task, Work};
use crate::driver::base::current_context::{self, Context, ContextId};
use crate::driver::base::init_state::is_forked;
use crate::driver::base::prelude::*;
use crate::driver::base::results::has_stream_of_thread;

pub const GREATEST_PRIORITY: c_int = -5;

/// This lock is held while work is enqueued in any stream. Work therefore waits only for work that was enqueued before
/// it: waits cannot form a circle, and the signals and waits of a binary semaphore have one order.
static ORDER: Mutex<()> = Mutex::new(());

/// The streams that the program has not destroyed, and the default streams.
static OPEN: Mutex<Vec<Weak<Stream>>> = Mutex::new(Vec::new());

/// The default streams that synchronize with the blocking streams, one for each context.
static LEGACY: Mutex<Vec<Arc<Stream>>> = Mutex::new(Vec::new());

pub static STREAMS: Registry<Stream> = Registry::new(2, CUDA_ERROR_INVALID_HANDLE);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The default stream: it waits for the blocking streams, and they for it.
    Legacy,
    Blocking,
    NonBlocking,
}

pub struct Stream {
    pub context: Arc<Context>,
    pub kind: Kind,
    priority: AtomicI32,
    /// `None` once the program has destroyed it.
    open: Mutex<Option<Open>>,
    last: Mutex<Option<Arc<Completion>>>,
}

/// The objects that end with a stream.
struct Open {
    /// The thread ends when it has done what is here.
    queue: Sender<Item>,
    recording: Recording,
}

struct Item {
    after: Vec<Arc<Completion>>,
    run: Task,
    end: Arc<Completion>,
}

/// When a stream has done an item.
#[derive(Default)]
pub struct Completion {
    time: Mutex<Option<Instant>>,
    completed: Condvar,
}

impl Completion {
    fn complete(&self) {
        *lock(&self.time) = Some(Instant::now());
        self.completed.notify_all();
    }

    /// Returns the completion of work that is done.
    pub fn done() -> Arc<Self> {
        let done = Self::default();
        done.complete();
        Arc::new(done)
    }

    pub fn wait(&self) {
        self.wait_at_most(Duration::MAX);
    }

    pub fn wait_at_most(&self, time: Duration) {
        drop(self.completed.wait_timeout_while(lock(&self.time), time, |time| time.is_none()));
    }

    pub fn time(&self) -> Option<Instant> {
        *lock(&self.time)
    }
}

impl Stream {
    pub fn new(context: &Arc<Context>, kind: Kind) -> CudaResult<Arc<Self>> {
        let (queue, to_do) = channel::<Item>();
        let open = Mutex::new(Some(Open { queue, recording: Recording::default() }));
        let (last, priority) = Default::default();
        let stream = Arc::new(Self { context: context.clone(), kind, priority, open, last });
        let this = stream.clone();
        let thread = Builder::new().name("cuda-external-cpu stream".to_owned());
        let started = spawn(thread, move || to_do.iter().for_each(|item| this.work(item)));
        check(started.is_ok(), CUDA_ERROR_OUT_OF_MEMORY)?;
        let mut open = lock(&OPEN);
        open.retain(|stream| stream.strong_count() > 0);
        open.push(Arc::downgrade(&stream));
        drop(open);
        Ok(stream)
    }

    /// A priority changes no order here.
    pub fn priority(&self) -> i32 {
        self.priority.load(Relaxed)
    }

    /// Enqueues work, or adds it to the capture that the stream takes part in.
    pub fn enqueue(&self, work: Work) -> CudaResult {
        self.context.usable()?;
        match self.record(|recording| recording.add(work))? {
            Some(work) => self.enqueue_uncaptured(work, Vec::new()).map(drop),
            None => Ok(()),
        }
    }

    /// Calls a function with what the stream records into.
    pub fn record<T>(&self, with: impl FnOnce(&mut Recording) -> CudaResult<T>) -> CudaResult<T> {
        with(&mut lock(&self.open).as_mut().ok_or(CUDA_ERROR_INVALID_HANDLE)?.recording)
    }

    pub fn is_capturing(&self) -> bool {
        self.record(|recording| Ok(recording.state())).is_ok_and(|state| state.is_some())
    }

    /// Returns an error where the context or the stream's capture is of no use any more.
    pub fn usable(&self) -> CudaResult {
        self.context.usable()?;
        self.record(|recording| recording.state().unwrap_or(Ok(())))
    }

    /// Refuses what a captured stream cannot do. The capture is invalid then.
    pub fn refuse_capturing(&self, code: CUresult) -> CudaResult {
        self.record(|recording| recording.refuse(code))
    }

    /// Enqueues work and waits for its end.
    pub fn run_and_wait(&self, work: Work) -> CudaResult {
        self.enqueue_uncaptured(work, Vec::new())?.wait();
        self.context.usable()
    }

    /// Enqueues work that waits for these completions too. Returns its end.
    pub fn enqueue_uncaptured(
        &self,
        work: Work,
        mut after: Vec<Arc<Completion>>,
    ) -> CudaResult<Arc<Completion>> {
        let _order = lock(&ORDER);
        after.extend(self.ends_of_others());
        let open = lock(&self.open);
        let queue = &open.as_ref().ok_or(CUDA_ERROR_INVALID_HANDLE)?.queue;
        let end = Arc::<Completion>::default();
        let item = Item { after, run: work.into_task(), end: end.clone() };
        queue.send(item).map_err(|_| CUDA_ERROR_INVALID_HANDLE)?;
        *lock(&self.last) = Some(end.clone());
        Ok(end)
    }

    /// Returns the ends that the next item waits for, by the rules of the default stream.
    fn ends_of_others(&self) -> Vec<Arc<Completion>> {
        let others = match self.kind {
            Kind::Legacy => Kind::Blocking,
            Kind::Blocking => Kind::Legacy,
            Kind::NonBlocking => return Vec::new(),
        };
        let streams = streams_of(self.context.id).into_iter().filter(|stream| stream.kind == others);
        streams.filter_map(|stream| stream.end()).collect()
    }

    /// The end of what is enqueued, unless it is done.
    pub fn end(&self) -> Option<Arc<Completion>> {
        lock(&self.last).clone().filter(|last| last.time().is_none())
    }

    /// The ends of what a synchronization waits for: for the default stream the blocking streams' work too.
    fn ends(&self) -> Vec<Arc<Completion>> {
        let others = if self.kind == Kind::Legacy { self.ends_of_others() } else { Vec::new() };
        others.into_iter().chain(self.end()).collect()
    }

    pub fn close(&self) {
        let ended = lock(&self.open).take();
        drop(ended);
    }

    /// Runs an item in the stream's thread.
    fn work(&self, Item { after, run, end }: Item) {
        after.iter().for_each(|completion| completion.wait());
        // A kernel that panics is one that fails on a GPU: the context is lost, and the stream goes on.
        if catch_unwind(AssertUnwindSafe(&*run)).is_err() {
            self.context.lose(CUDA_ERROR_LAUNCH_FAILED);
        }
        // The objects of the work are dropped before any thread learns that the work is done.
        drop(run);
        end.complete();
    }
}

/// The thread's default stream of each context, for the functions whose names end in `_ptsz`.
static PER_THREAD: Local<RefCell<Vec<OwnStream>>> = Local::new();

/// A stream that no handle names. It is closed with its owner.
pub struct OwnStream(pub Arc<Stream>);

impl Drop for OwnStream {
    fn drop(&mut self) {
        // In a child of fork another thread may have held the lock.
        if !is_forked() {
            self.0.close();
        }
    }
}

fn per_thread() -> CudaResult<Arc<Stream>> {
    let context = current_context::current()?;
    PER_THREAD.with(|streams| {
        let mut streams = streams.borrow_mut();
        if let Some(known) = streams.iter().find(|known| Arc::ptr_eq(&known.0.context, &context)) {
            return Ok(known.0.clone());
        }
        let stream = Stream::new(&context, Kind::Blocking)?;
        streams.push(OwnStream(stream.clone()));
        Ok(stream)
    })
}

fn streams_of(context: ContextId) -> Vec<Arc<Stream>> {
    let open = Vec::from_iter(lock(&OPEN).iter().filter_map(Weak::upgrade));
    open.into_iter().filter(|stream| stream.context.id == context).collect()
}

/// Returns the default stream of the current context. It is an error while a stream that the default stream would wait
/// for is captured.
pub fn legacy() -> CudaResult<Arc<Stream>> {
    let context = current_context::current()?;
    capture_state::refuse_legacy(context.id)?;
    let mut all = lock(&LEGACY);
    if let Some(known) = all.iter().find(|known| known.context.id == context.id) {
        return Ok(known.clone());
    }
    let stream = Stream::new(&context, Kind::Legacy)?;
    all.push(stream.clone());
    Ok(stream)
}

/// Returns the ends of what is enqueued in a context.
pub fn ends_of(context: &Context) -> Vec<Arc<Completion>> {
    streams_of(context.id).iter().filter_map(|stream| stream.end()).collect()
}

/// Waits for the work that is enqueued in a context, as NVIDIA's driver does before it frees memory. The wait ends
/// after two seconds, since work may wait for a semaphore; such work keeps what it uses.
pub fn settle(context: &Context) {
    let end = Instant::now() + Duration::from_secs(2);
    for completion in ends_of(context) {
        completion.wait_at_most(end.saturating_duration_since(Instant::now()));
    }
}

/// The same for the current context. Without one nothing is waited for: what is freed lives as long as work uses it.
pub fn settle_current() -> CudaResult {
    if let Some(context) = current_context::current_if_any()? {
        settle(&context);
    }
    Ok(())
}

/// Closes the streams of a context.
pub fn end_of(context: ContextId) {
    streams_of(context).iter().for_each(|stream| stream.close());
    lock(&LEGACY).retain(|stream| stream.context.id != context);
    STREAMS.remove_if(|stream| stream.context.id == context);
}

/// Returns a stream by its handle. 1 and 2 are cuda.h's names for the default streams.
pub fn find(stream: CUstream) -> CudaResult<Arc<Stream>> {
    match stream.addr() {
        0 if has_stream_of_thread() => per_thread(),
        0 | 1 => legacy(),
        2 => per_thread(),
        _ => live(stream),
    }
}

/// The same, for what is enqueued: the stream is checked before what it would do.
pub fn find_usable(stream: CUstream) -> CudaResult<Arc<Stream>> {
    let stream = find(stream)?;
    stream.usable()?;
    Ok(stream)
}

fn live(stream: CUstream) -> CudaResult<Arc<Stream>> {
    STREAMS.find_or_crash(stream, "the stream is destroyed")
}

/// Returns a stream that may be waited for.
fn find_to_wait(stream: CUstream) -> CudaResult<Arc<Stream>> {
    let stream = find(stream)?;
    stream.context.usable()?;
    stream.refuse_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)?;
    capture_state::refuse_in_capture()?;
    Ok(stream)
}

unsafe fn create(stream: *mut CUstream, flags: c_uint) -> CudaResult {
    let kind = match CUstream_flags(flags) {
        CU_STREAM_DEFAULT => Kind::Blocking,
        CU_STREAM_NON_BLOCKING => Kind::NonBlocking,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    };
    // SAFETY: the caller passes a valid pointer.
    unsafe { STREAMS.create(stream, || Stream::new(&current_context::current()?, kind)) }
}

functions! {
    Init fn cuStreamCreate: PFN_cuStreamCreate, (stream, flags) { create(stream, flags) }
    Init fn cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority, (stream, flags, priority) {
        create(stream, flags)?;
        live(*stream)?.priority.store(priority.clamp(GREATEST_PRIORITY, 0), Relaxed);
        Ok(())
    }
    Init fn cuStreamDestroy | cuStreamDestroy_v2: PFN_cuStreamDestroy_v2, (stream) {
        live(stream)?.close();
        STREAMS.destroy(stream)
    }
    Init fn cuStreamQuery: PFN_cuStreamQuery, (stream) {
        check(find_to_wait(stream)?.ends().is_empty(), CUDA_ERROR_NOT_READY)
    }
    Init fn cuStreamSynchronize: PFN_cuStreamSynchronize, (stream) {
        let stream = find_to_wait(stream)?;
        stream.ends().iter().for_each(|end| end.wait());
        stream.context.usable()
    }
}
