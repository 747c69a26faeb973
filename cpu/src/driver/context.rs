//! Contexts, and each thread's stack of them.

use std::cell::RefCell;
use std::ffi::c_uint;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, given, require};
use super::handle::{Handle, Lookup, Registry};
use super::stream::{Kind, Moment, Stream};
use super::{array, capture, device, external_memory, external_semaphore, lock, ranges, stream};

pub struct Context {
    pub number: u64,
    pub device: usize,
    flags: AtomicU32,
    /// The streams that the program has not destroyed, and the default streams.
    streams: Mutex<Vec<Weak<Stream>>>,
    /// The default stream that synchronizes with the blocking streams.
    legacy: Mutex<Option<Arc<Stream>>>,
    /// The code that every call returns once the device was lost, or 0.
    lost: AtomicU32,
}

pub static CONTEXTS: Registry<Context> = Registry::new(1);

/// A device's primary context: its flags, how often it is retained, and its handle while it is.
struct Primary {
    flags: u32,
    retained: u32,
    context: u64,
}

static PRIMARIES: Mutex<[Primary; 8]> =
    Mutex::new([const { Primary { flags: 0, retained: 0, context: 0 } }; 8]);

thread_local! {
    static STACK: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl Context {
    fn new(number: u64, device: usize, flags: u32) -> Self {
        let (streams, legacy) = (Mutex::default(), Mutex::default());
        Self { number, device, flags: flags.into(), streams, legacy, lost: AtomicU32::new(0) }
    }

    /// Returns an error once the device was lost.
    pub fn usable(&self) -> Answer {
        match self.lost.load(Ordering::Relaxed) {
            0 => Ok(()),
            code => Err(code.into()),
        }
    }

    /// Makes every later call in the context fail.
    pub fn lose(&self) {
        self.lost.store(CUDA_ERROR_LAUNCH_FAILED.0, Ordering::Relaxed);
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
        if legacy.is_none() {
            *legacy = Some(Stream::new(self, Kind::Legacy)?);
        }
        legacy.clone().ok_or(CUDA_ERROR_OUT_OF_MEMORY)
    }

    /// Returns the ends of what is enqueued.
    fn ends(&self) -> Vec<Arc<Moment>> {
        self.streams().iter().filter_map(|stream| stream.end()).collect()
    }

    /// Waits for what is enqueued, as NVIDIA's driver does before it frees memory. Work that waits for a semaphore is not
    /// waited for much longer: it keeps what it uses.
    pub fn settle(&self) {
        let end = Instant::now() + Duration::from_secs(2);
        self.ends().iter().for_each(|moment| moment.wait_before(end));
    }
}

/// Ends a context. What is enqueued still runs, but nobody waits for it: a wait may never end.
fn destroy(number: u64) -> Answer {
    let context = CONTEXTS.remove(number).or(CUDA_ERROR_INVALID_CONTEXT)?;
    context.streams().iter().for_each(|stream| stream.close());
    lock(&context.legacy).take();
    stream::STREAMS.remove_if(|stream| stream.context.number == number);
    ranges::remove_of(number);
    array::MIPMAPS.remove_if(|mipmap| mipmap.context == number);
    external_memory::IMPORTS.remove_if(|import| import.context == number);
    external_semaphore::SEMAPHORES.remove_if(|semaphore| semaphore.context == number);
    Ok(())
}

/// Returns the thread's current context.
pub fn current() -> Answer<Arc<Context>> {
    let number = STACK.with_borrow(|stack| stack.last().copied()).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
    let context = CONTEXTS.find(number).or(CUDA_ERROR_CONTEXT_IS_DESTROYED)?;
    context.usable()?;
    Ok(context)
}

pub fn lose_current() {
    if let Ok(context) = current() {
        context.lose();
    }
}

/// Returns a context by its handle.
fn find(context: CUcontext) -> Answer<Arc<Context>> {
    match CONTEXTS.find(context) {
        Lookup::Live(context) => Ok(context),
        Lookup::Destroyed => Err(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        _ => Err(CUDA_ERROR_INVALID_CONTEXT),
    }
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
    let number = CONTEXTS.add_with(|number| Context::new(number, device, flags));
    STACK.with_borrow_mut(|stack| stack.push(number));
    // SAFETY: the caller's pointer.
    unsafe { context.put(CUcontext::from_number(number)) }
}

/// Changes how often a device's primary context is retained, and ends it with the last one.
fn release(device: CUdevice, change: impl FnOnce(u32) -> Answer<u32>) -> Answer {
    let device = device::index(device)?;
    let mut primaries = lock(&PRIMARIES);
    let primary = &mut primaries[device];
    let left = change(primary.retained)?;
    let before = std::mem::replace(&mut primary.retained, left);
    let ended = (before > 0 && left == 0).then_some(primary.context);
    drop(primaries);
    ended.map_or(Ok(()), destroy)
}

functions! {
    Init fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain, (context, device) {
        let device = device::index(device)?;
        require(!context.is_null())?;
        let mut primaries = lock(&PRIMARIES);
        let primary = &mut primaries[device];
        let flags = primary.flags;
        if primary.context == 0 {
            primary.context = CONTEXTS.add_with(|number| Context::new(number, device, flags));
        } else if primary.retained == 0 {
            // The primary context always has the same handle.
            CONTEXTS.revive(primary.context, Context::new(primary.context, device, flags));
        }
        primary.retained += 1;
        context.put(CUcontext::from_number(primary.context))
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
        let primary = &mut lock(&PRIMARIES)[device];
        primary.flags = flags;
        if let Lookup::Live(context) = CONTEXTS.find(primary.context) {
            context.flags.store(flags, Ordering::Relaxed);
        }
        Ok(())
    }
    Init fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState, (device, flags, active) {
        let device = device::index(device)?;
        let primary = &lock(&PRIMARIES)[device];
        flags.put(primary.flags)?;
        active.put((primary.retained > 0).into())
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
        let number = find(context)?.number;
        let primary = lock(&PRIMARIES).iter().any(|primary| primary.retained > 0 && primary.context == number);
        check(!primary, CUDA_ERROR_INVALID_CONTEXT)?;
        STACK.with_borrow_mut(|stack| {
            if stack.last() == Some(&number) {
                stack.pop();
            }
        });
        destroy(number)
    }
    Init fn cuCtxSetCurrent: PFN_cuCtxSetCurrent, (context) {
        let number = if context.is_null() { None } else { Some(find(context)?.number) };
        STACK.with_borrow_mut(|stack| {
            stack.pop();
            stack.extend(number);
        });
        Ok(())
    }
    Init fn cuCtxGetCurrent: PFN_cuCtxGetCurrent, (context) {
        let number = STACK.with_borrow(|stack| stack.last().copied());
        context.put(number.map_or(null_mut(), CUcontext::from_number))
    }
    Init fn cuCtxPushCurrent | cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2, (context) {
        let number = find(context)?.number;
        STACK.with_borrow_mut(|stack| stack.push(number));
        Ok(())
    }
    Init fn cuCtxPopCurrent | cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2, (context) {
        let number = STACK.with_borrow_mut(Vec::pop).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        context.put_if_wanted(CUcontext::from_number(number));
        Ok(())
    }
    Init fn cuCtxGetDevice: PFN_cuCtxGetDevice, (device) { device.put(current()?.device as CUdevice) }
    Init fn cuCtxSynchronize: PFN_cuCtxSynchronize, () {
        let context = current()?;
        capture::refuse_in_capture()?;
        context.ends().iter().for_each(|moment| moment.wait());
        context.usable()
    }
    Init fn cuCtxGetStreamPriorityRange: PFN_cuCtxGetStreamPriorityRange, (least, greatest) {
        current()?;
        least.put_if_wanted(0);
        greatest.put_if_wanted(stream::GREATEST_PRIORITY);
        Ok(())
    }
}
