//! Streams: each has a thread that does its work in order.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, crash, functions};
use super::capture::{self, Capture};
use super::context::{self, Context};
use super::handle::{Lookup, Registry};
use super::lock;
use super::work::Work;

pub const GREATEST_PRIORITY: c_int = -5;

/// Held while work is enqueued, in any stream: work waits only for work that was enqueued before it, so nothing waits in a
/// circle, and the signals and waits of a binary semaphore have one order.
static ORDER: Mutex<()> = Mutex::new(());

pub static STREAMS: Registry<Stream> = Registry::new(2);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The default stream: it waits for the blocking streams, and they for it.
    Legacy,
    Blocking,
    NonBlocking,
}

pub struct Stream {
    pub context: Arc<Context>,
    kind: Kind,
    queue: Mutex<Queue>,
    more: Condvar,
    pub progress: Arc<Progress>,
    /// The capture that the stream takes part in.
    pub capture: Mutex<Option<Arc<Capture>>>,
}

#[derive(Default)]
struct Queue {
    items: VecDeque<Item>,
    /// How many items were ever enqueued.
    enqueued: u64,
    running: bool,
    /// No work comes any more. The thread ends when it has done the rest.
    closed: bool,
}

struct Item {
    after: Vec<Point>,
    work: Work,
}

/// A place in a stream: the end of its n-th item.
#[derive(Clone)]
pub struct Point {
    progress: Arc<Progress>,
    item: u64,
}

impl Point {
    pub fn wait(&self) {
        self.progress.wait(self.item);
    }

    fn is_done(&self) -> bool {
        *lock(&self.progress.done) >= self.item
    }
}

/// How many items of a stream are done.
#[derive(Default)]
pub struct Progress {
    done: Mutex<u64>,
    changed: Condvar,
}

impl Progress {
    fn wait(&self, item: u64) {
        let mut done = lock(&self.done);
        while *done < item {
            done = self.changed.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wait_before(&self, item: u64, end: Instant) {
        let mut done = lock(&self.done);
        while *done < item {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return };
            done = self.changed.wait_timeout(done, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Stream {
    pub fn new(context: &Arc<Context>, kind: Kind) -> Arc<Self> {
        let stream = Arc::new(Self {
            context: context.clone(),
            kind,
            queue: Mutex::default(),
            more: Condvar::new(),
            progress: Arc::default(),
            capture: Mutex::default(),
        });
        context.add_stream(&stream);
        stream
    }

    /// Enqueues work, or adds it to the capture that the stream takes part in.
    pub fn enqueue(self: &Arc<Self>, work: Work) -> Answer {
        self.context.usable()?;
        let capture = lock(&self.capture).clone();
        match capture {
            Some(capture) => capture.add(self, work),
            None => self.enqueue_now(work).map(|_| ()),
        }
    }

    /// Enqueues work and waits for its end.
    pub fn run(self: &Arc<Self>, work: Work) -> Answer {
        capture::refuse_in_capture()?;
        self.enqueue_now(work)?.wait();
        self.context.usable()
    }

    pub fn enqueue_now(self: &Arc<Self>, mut work: Work) -> Answer<Point> {
        if self.kind == Kind::Legacy {
            capture::refuse_legacy(&self.context)?;
        }
        let _order = lock(&ORDER);
        let after = self.implicit_dependencies();
        work.take_turns();
        let mut queue = lock(&self.queue);
        if !queue.running && !queue.closed {
            let stream = self.clone();
            let name = "cuda-external-cpu stream".to_owned();
            let started = thread::Builder::new().name(name).spawn(move || stream.work());
            check(started.is_ok(), CUDA_ERROR_OUT_OF_MEMORY)?;
            queue.running = true;
        }
        check(queue.running, CUDA_ERROR_INVALID_HANDLE)?;
        queue.items.push_back(Item { after, work });
        queue.enqueued += 1;
        let item = queue.enqueued;
        drop(queue);
        self.more.notify_one();
        Ok(Point { progress: self.progress.clone(), item })
    }

    /// What the default stream's rules make the next item wait for.
    fn implicit_dependencies(&self) -> Vec<Point> {
        let points: Vec<Point> = match self.kind {
            Kind::Legacy => self.blocking_streams().iter().map(|stream| stream.end()).collect(),
            Kind::Blocking => self.context.legacy_if_used().iter().map(|legacy| legacy.end()).collect(),
            Kind::NonBlocking => Vec::new(),
        };
        points.into_iter().filter(|point| !point.is_done()).collect()
    }

    fn blocking_streams(&self) -> Vec<Arc<Self>> {
        let mut streams = self.context.streams();
        streams.retain(|stream| stream.kind == Kind::Blocking);
        streams
    }

    /// The end of what is enqueued.
    fn end(&self) -> Point {
        Point { progress: self.progress.clone(), item: lock(&self.queue).enqueued }
    }

    /// Waits for what is enqueued. For the default stream this is also the blocking streams' work.
    pub fn finish(&self) {
        if self.kind == Kind::Legacy {
            self.blocking_streams().iter().for_each(|stream| stream.end().wait());
        }
        self.end().wait();
    }

    /// Waits for the stream's own work, but not longer than until then.
    pub fn finish_before(&self, end: Instant) {
        let Point { progress, item } = self.end();
        progress.wait_before(item, end);
    }

    fn is_done(&self) -> bool {
        let legacy = self.kind == Kind::Legacy;
        self.end().is_done()
            && !(legacy && self.blocking_streams().iter().any(|stream| !stream.end().is_done()))
    }

    pub fn is_blocking(&self) -> bool {
        self.kind == Kind::Blocking
    }

    pub fn close(&self) {
        lock(&self.queue).closed = true;
        self.more.notify_one();
    }

    /// The thread.
    fn work(&self) {
        loop {
            let mut queue = lock(&self.queue);
            let item = loop {
                match queue.items.pop_front() {
                    Some(item) => break item,
                    None if queue.closed => return,
                    None => queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            item.after.iter().for_each(Point::wait);
            // A kernel that panics is one that fails on a GPU: the context is lost, and the stream goes on.
            if catch_unwind(AssertUnwindSafe(|| item.work.run())).is_err() {
                self.context.lose();
            }
            // What it keeps alive is given back before anybody learns that it is done.
            drop(item);
            *lock(&self.progress.done) += 1;
            self.progress.changed.notify_all();
        }
    }
}

thread_local! {
    /// The thread's default stream of each context, for the functions whose names end in `_ptsz`.
    static PER_THREAD: RefCell<HashMap<u64, PerThread>> = RefCell::default();
}

struct PerThread(Arc<Stream>);

impl Drop for PerThread {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn per_thread() -> Answer<Arc<Stream>> {
    let context = context::current()?;
    let new = || PerThread(Stream::new(&context, Kind::Blocking));
    Ok(PER_THREAD.with_borrow_mut(|streams| streams.entry(context.number).or_insert_with(new).0.clone()))
}

/// Returns a stream by its handle. 1 and 2 are cuda.h's names for the default streams.
pub fn find(stream: CUstream) -> Answer<Arc<Stream>> {
    match stream.addr() {
        0 | 1 => Ok(context::current()?.legacy()),
        2 => per_thread(),
        _ => match STREAMS.find(stream) {
            Lookup::Live(stream) => Ok(stream),
            Lookup::Destroyed => crash("the stream is destroyed"),
            _ => Err(CUDA_ERROR_INVALID_HANDLE),
        },
    }
}

/// The same, where null is the thread's default stream.
pub fn find_ptsz(stream: CUstream) -> Answer<Arc<Stream>> {
    if stream.is_null() { per_thread() } else { find(stream) }
}

unsafe fn create(stream: *mut CUstream, flags: c_uint) -> Answer {
    let context = context::current()?;
    let kind = match CUstream_flags(flags) {
        CU_STREAM_DEFAULT => Kind::Blocking,
        CU_STREAM_NON_BLOCKING => Kind::NonBlocking,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    };
    check(!stream.is_null(), CUDA_ERROR_INVALID_VALUE)?;
    let made = Stream::new(&context, kind);
    // SAFETY: the caller's pointer.
    unsafe { stream.put(STREAMS.add_shared(made)) }
}

functions! {
    Init fn cuStreamCreate: PFN_cuStreamCreate, (stream: *mut CUstream, flags: c_uint) { create(stream, flags) }
    Init fn cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority,
        (stream: *mut CUstream, flags: c_uint, _priority: c_int)
    {
        create(stream, flags)
    }
    Init fn cuStreamDestroy: PFN_cuStreamDestroy_v2, (stream: CUstream) {
        let found = match STREAMS.remove(stream) {
            Lookup::Live(stream) => stream,
            Lookup::Destroyed => crash("the stream is destroyed"),
            _ => return Err(CUDA_ERROR_INVALID_HANDLE),
        };
        found.close();
        Ok(())
    }
    Init fn cuStreamDestroy_v2: PFN_cuStreamDestroy_v2, (stream: CUstream) { cuStreamDestroy(stream).result() }
    Init fn cuStreamQuery: PFN_cuStreamQuery, (stream: CUstream) {
        let stream = find(stream)?;
        stream.context.usable()?;
        capture::refuse_capturing(&stream)?;
        check(stream.is_done(), CUDA_ERROR_NOT_READY)
    }
    Init fn cuStreamSynchronize: PFN_cuStreamSynchronize, (stream: CUstream) {
        let stream = find(stream)?;
        stream.context.usable()?;
        capture::refuse_capturing(&stream)?;
        stream.finish();
        stream.context.usable()
    }
}
