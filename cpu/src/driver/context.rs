//! Contexts, and each thread's stack of them.

use std::cell::RefCell;
use std::ptr::null_mut;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cuda_external_guest::Local;

use super::prelude::*;
use super::stream::{Kind, Moment, Stream};
use super::{array, capture, device, external_memory, external_semaphore, ranges, stream};

/// One life of a context. A primary context has the same handle in each of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextId(u64);

pub struct Context {
    pub id: ContextId,
    pub device: usize,
    /// The streams that the program has not destroyed, and the default streams.
    streams: Mutex<Vec<Weak<Stream>>>,
    /// The default stream that synchronizes with the blocking streams.
    legacy: Mutex<Option<Arc<Stream>>>,
    lost: AtomicBool,
}

pub static CONTEXTS: Registry<Context> = Registry::new(1, CUDA_ERROR_INVALID_CONTEXT);

/// A device's primary context: its flags, how often it is retained, and its handle, which stays the same.
struct Primary {
    flags: u32,
    retained: u32,
    context: u64,
}

static PRIMARIES: Mutex<[Primary; device::MOST_DEVICES]> =
    Mutex::new([const { Primary { flags: 0, retained: 0, context: 0 } }; device::MOST_DEVICES]);

static STACK: Local<RefCell<Vec<u64>>> = Local::new();

impl Context {
    fn new(device: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = ContextId(NEXT.fetch_add(1, Ordering::Relaxed));
        let (streams, legacy, lost) = Default::default();
        Self { id, device, streams, legacy, lost }
    }

    /// Returns an error once the device was lost.
    pub fn usable(&self) -> Answer {
        check(!self.lost.load(Ordering::Relaxed), CUDA_ERROR_LAUNCH_FAILED)
    }

    /// Makes every later call in the context fail.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    pub fn add_stream(&self, stream: &Arc<Stream>) {
        let mut streams = lock(&self.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    pub fn streams(&self) -> Vec<Arc<Stream>> {
        lock(&self.streams).iter().filter_map(Weak::upgrade).collect()
    }

    pub fn legacy(self: &Arc<Self>) -> Answer<Arc<Stream>> {
        let mut legacy = lock(&self.legacy);
        if let Some(stream) = &*legacy {
            return Ok(stream.clone());
        }
        Ok(legacy.insert(Stream::new(self, Kind::Legacy)?).clone())
    }

    /// Returns the ends of what is enqueued.
    fn ends(&self) -> Vec<Arc<Moment>> {
        self.streams().iter().filter_map(|stream| stream.end()).collect()
    }

    /// Waits for what is enqueued, as NVIDIA's driver does before it frees memory. Work that waits for a semaphore is not
    /// waited for much longer: it keeps what it uses.
    pub fn settle(&self) {
        let end = Instant::now() + Duration::from_secs(2);
        let wait = |moment: &Arc<Moment>| moment.wait_at_most(end.saturating_duration_since(Instant::now()));
        self.ends().iter().for_each(wait);
    }
}

/// Ends a context that is in the registry no more. What is enqueued still runs, but nobody waits for it: a wait may never end.
fn end(context: &Context) {
    context.streams().iter().for_each(|stream| stream.close());
    lock(&context.legacy).take();
    stream::STREAMS.remove_if(|stream| stream.context.id == context.id);
    ranges::remove_of(context.id);
    array::MIPMAPS.remove_if(|mipmap| mipmap.context == context.id);
    external_memory::IMPORTS.remove_if(|import| import.context == context.id);
    external_semaphore::SEMAPHORES.remove_if(|semaphore| semaphore.context == context.id);
}

fn top() -> Option<u64> {
    STACK.with(|stack| stack.borrow().last().copied())
}

fn push(number: u64) {
    STACK.with(|stack| stack.borrow_mut().push(number));
}

fn pop() -> Option<u64> {
    STACK.with(|stack| stack.borrow_mut().pop())
}

/// Returns the thread's current context.
pub fn current() -> Answer<Arc<Context>> {
    let number = top().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
    let context = CONTEXTS.find(number).map_err(|_| CUDA_ERROR_CONTEXT_IS_DESTROYED)?;
    context.usable()?;
    Ok(context)
}

pub fn lose_current() {
    if let Ok(context) = current() {
        context.lose();
    }
}

/// Returns the number of a context that lives.
fn find(context: CUcontext) -> Answer<u64> {
    match CONTEXTS.look_up(context) {
        Lookup::Live(_) => Ok(context.number()),
        // A primary context can be current before it is retained again: measured.
        Lookup::Destroyed if is_primary(context.number()) => Ok(context.number()),
        Lookup::Destroyed => Err(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        _ => Err(CUDA_ERROR_INVALID_CONTEXT),
    }
}

fn is_primary(context: u64) -> bool {
    lock(&PRIMARIES).iter().any(|primary| primary.context == context)
}

fn check_flags(flags: u32) -> Answer {
    let schedule = flags & CU_CTX_SCHED_MASK.0;
    let known = flags & !CU_CTX_FLAGS_MASK.0 == 0;
    require(known && (schedule == 0 || schedule.is_power_of_two()))
}

unsafe fn create(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> Answer {
    let device = device::index(device)?;
    check_flags(flags)?;
    require(!context.is_null())?;
    let number = CONTEXTS.next_number();
    CONTEXTS.insert(number, Context::new(device));
    push(number);
    // SAFETY: the caller's pointer.
    unsafe { put(context, CUcontext::from_number(number)) }
}

/// Changes how often a device's primary context is retained, and ends it with the last one.
fn release(device: CUdevice, change: impl FnOnce(u32) -> Answer<u32>) -> Answer {
    let device = device::index(device)?;
    let mut primaries = lock(&PRIMARIES);
    let primary = &mut primaries[device];
    let before = primary.retained;
    primary.retained = change(before)?;
    if before == 0 || primary.retained > 0 {
        return Ok(());
    }
    // Its life ends under the lock: whoever retains it next begins another one.
    let ended = CONTEXTS.remove(primary.context);
    drop(primaries);
    if let Lookup::Live(context) = ended {
        end(&context);
    }
    Ok(())
}

functions! {
    Init fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain, (context, device) {
        let device = device::index(device)?;
        require(!context.is_null())?;
        let primary = &mut lock(&PRIMARIES)[device];
        if primary.context == 0 {
            primary.context = CONTEXTS.next_number();
        }
        if primary.retained == 0 {
            CONTEXTS.insert(primary.context, Context::new(device));
        }
        primary.retained += 1;
        put(context, CUcontext::from_number(primary.context))
    }
    Init fn cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device) {
        release(device, |retained| retained.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT))
    }
    Init fn cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device) {
        release(device, |_| Ok(0))
    }
    Init fn cuDevicePrimaryCtxSetFlags | cuDevicePrimaryCtxSetFlags_v2: PFN_cuDevicePrimaryCtxSetFlags_v2, (device, flags) {
        let device = device::index(device)?;
        check_flags(flags)?;
        lock(&PRIMARIES)[device].flags = flags;
        Ok(())
    }
    Init fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState, (device, flags, active) {
        let primary = &lock(&PRIMARIES)[device::index(device)?];
        put(flags, primary.flags)?;
        put(active, (primary.retained > 0).into())
    }
    Init fn cuCtxCreate | cuCtxCreate_v2: PFN_cuCtxCreate_v2, (context, flags, device) {
        create(context, flags, device)
    }
    Init fn cuCtxCreate_v4: PFN_cuCtxCreate_v4, (context, params, flags, device) {
        // Affinity and CUDA in Graphics need a GPU.
        let plain = given(params).map_or(true, |params| params.execAffinityParams.is_null() && params.cigParams.is_null());
        check(plain, CUDA_ERROR_NOT_SUPPORTED)?;
        create(context, flags, device)
    }
    Init fn cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2, (context) {
        let number = find(context)?;
        let primary = lock(&PRIMARIES).iter().any(|primary| primary.retained > 0 && primary.context == number);
        check(!primary, CUDA_ERROR_INVALID_CONTEXT)?;
        if top() == Some(number) {
            pop();
        }
        let Lookup::Live(context) = CONTEXTS.remove(number) else { return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED) };
        end(&context);
        Ok(())
    }
    Init fn cuCtxSetCurrent: PFN_cuCtxSetCurrent, (context) {
        let number = if context.is_null() { None } else { Some(find(context)?) };
        pop();
        number.into_iter().for_each(push);
        Ok(())
    }
    Init fn cuCtxGetCurrent: PFN_cuCtxGetCurrent, (context) {
        put(context, top().map_or(null_mut(), CUcontext::from_number))
    }
    Init fn cuCtxPushCurrent | cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2, (context) {
        push(find(context)?);
        Ok(())
    }
    Init fn cuCtxPopCurrent | cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2, (context) {
        let number = pop().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        put_if_wanted(context, CUcontext::from_number(number));
        Ok(())
    }
    Init fn cuCtxGetDevice: PFN_cuCtxGetDevice, (device) { put(device, current()?.device as CUdevice) }
    Init fn cuCtxSynchronize: PFN_cuCtxSynchronize, () {
        let context = current()?;
        capture::refuse_in_capture()?;
        context.ends().iter().for_each(|moment| moment.wait());
        context.usable()
    }
    Init fn cuCtxGetStreamPriorityRange: PFN_cuCtxGetStreamPriorityRange, (least, greatest) {
        current()?;
        put_if_wanted(least, 0);
        put_if_wanted(greatest, stream::GREATEST_PRIORITY);
        Ok(())
    }
}
