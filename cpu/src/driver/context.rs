//! Contexts, and each thread's stack of them.

use std::cell::RefCell;
use std::ffi::{c_int, c_uint};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, functions, given};
use super::handle::{Handle, Lookup, Registry};
use super::stream::{Kind, Stream};
use super::{array, capture, device, external_memory, external_semaphore, lock, ranges, stream};

pub struct Context {
    pub number: u64,
    pub device: usize,
    flags: AtomicU32,
    /// The streams that the program has not destroyed, and the default streams.
    streams: Mutex<Vec<Weak<Stream>>>,
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

    /// Returns the default stream that synchronizes with the blocking streams.
    pub fn legacy(self: &Arc<Self>) -> Arc<Stream> {
        lock(&self.legacy).get_or_insert_with(|| Stream::new(self, Kind::Legacy)).clone()
    }

    pub fn legacy_if_used(&self) -> Option<Arc<Stream>> {
        lock(&self.legacy).clone()
    }

    pub fn synchronize(&self) -> Answer {
        self.streams().iter().for_each(|stream| stream.finish());
        self.usable()
    }

    /// Waits for what is enqueued, as NVIDIA's driver does before it frees memory. Work that waits for a semaphore is not
    /// waited for much longer: it keeps what it uses.
    pub fn settle(&self) {
        let end = Instant::now() + Duration::from_secs(2);
        self.streams().iter().for_each(|stream| stream.finish_before(end));
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
    check(known && (schedule == 0 || schedule.is_power_of_two()), CUDA_ERROR_INVALID_VALUE)
}

unsafe fn create(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> Answer {
    let device = device::index(device)?;
    check_flags(flags)?;
    check(!context.is_null(), CUDA_ERROR_INVALID_VALUE)?;
    let number = CONTEXTS.add_with(|number| Context::new(number, device, flags));
    STACK.with_borrow_mut(|stack| stack.push(number));
    // SAFETY: the caller's pointer.
    unsafe { context.put(CUcontext::from_number(number)) }
}

functions! {
    Init fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain, (context: *mut CUcontext, device: CUdevice) {
        let device = device::index(device)?;
        check(!context.is_null(), CUDA_ERROR_INVALID_VALUE)?;
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
    Init fn cuDevicePrimaryCtxRelease: PFN_cuDevicePrimaryCtxRelease_v2, (device: CUdevice) {
        let device = device::index(device)?;
        let mut primaries = lock(&PRIMARIES);
        let primary = &mut primaries[device];
        primary.retained = primary.retained.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        let ended = (primary.retained == 0).then_some(primary.context);
        drop(primaries);
        ended.map_or(Ok(()), destroy)
    }
    Init fn cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device: CUdevice) {
        cuDevicePrimaryCtxRelease(device).result()
    }
    Init fn cuDevicePrimaryCtxReset: PFN_cuDevicePrimaryCtxRelease_v2, (device: CUdevice) {
        let device = device::index(device)?;
        let mut primaries = lock(&PRIMARIES);
        let primary = &mut primaries[device];
        let ended = (std::mem::take(&mut primary.retained) > 0).then_some(primary.context);
        drop(primaries);
        ended.map_or(Ok(()), destroy)
    }
    Init fn cuDevicePrimaryCtxReset_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device: CUdevice) {
        cuDevicePrimaryCtxReset(device).result()
    }
    Init fn cuDevicePrimaryCtxSetFlags: PFN_cuDevicePrimaryCtxSetFlags_v2, (device: CUdevice, flags: c_uint) {
        let device = device::index(device)?;
        check_flags(flags)?;
        let primary = &mut lock(&PRIMARIES)[device];
        primary.flags = flags;
        if let Lookup::Live(context) = CONTEXTS.find(primary.context) {
            context.flags.store(flags, Ordering::Relaxed);
        }
        Ok(())
    }
    Init fn cuDevicePrimaryCtxSetFlags_v2: PFN_cuDevicePrimaryCtxSetFlags_v2, (device: CUdevice, flags: c_uint) {
        cuDevicePrimaryCtxSetFlags(device, flags).result()
    }
    Init fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState,
        (device: CUdevice, flags: *mut c_uint, active: *mut c_int)
    {
        let device = device::index(device)?;
        let primary = &lock(&PRIMARIES)[device];
        flags.put(primary.flags)?;
        active.put((primary.retained > 0).into())
    }
    Init fn cuCtxCreate: PFN_cuCtxCreate_v2, (context: *mut CUcontext, flags: c_uint, device: CUdevice) {
        create(context, flags, device)
    }
    Init fn cuCtxCreate_v2: PFN_cuCtxCreate_v2, (context: *mut CUcontext, flags: c_uint, device: CUdevice) {
        create(context, flags, device)
    }
    Init fn cuCtxCreate_v4: PFN_cuCtxCreate_v4,
        (context: *mut CUcontext, params: *mut CUctxCreateParams, flags: c_uint, device: CUdevice)
    {
        // Affinity and CUDA in Graphics need a GPU.
        let plain = given(params).map_or(true, |params| params.execAffinityParams.is_null() && params.cigParams.is_null());
        check(plain, CUDA_ERROR_NOT_SUPPORTED)?;
        create(context, flags, device)
    }
    Init fn cuCtxDestroy: PFN_cuCtxDestroy_v2, (context: CUcontext) {
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
    Init fn cuCtxDestroy_v2: PFN_cuCtxDestroy_v2, (context: CUcontext) { cuCtxDestroy(context).result() }
    Init fn cuCtxSetCurrent: PFN_cuCtxSetCurrent, (context: CUcontext) {
        let number = if context.is_null() { None } else { Some(find(context)?.number) };
        STACK.with_borrow_mut(|stack| {
            stack.pop();
            stack.extend(number);
        });
        Ok(())
    }
    Init fn cuCtxGetCurrent: PFN_cuCtxGetCurrent, (context: *mut CUcontext) {
        let number = STACK.with_borrow(|stack| stack.last().copied());
        context.put(number.map_or(null_mut(), CUcontext::from_number))
    }
    Init fn cuCtxPushCurrent: PFN_cuCtxPushCurrent_v2, (context: CUcontext) {
        let number = find(context)?.number;
        STACK.with_borrow_mut(|stack| stack.push(number));
        Ok(())
    }
    Init fn cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2, (context: CUcontext) { cuCtxPushCurrent(context).result() }
    Init fn cuCtxPopCurrent: PFN_cuCtxPopCurrent_v2, (context: *mut CUcontext) {
        let number = STACK.with_borrow_mut(Vec::pop).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        if !context.is_null() {
            context.put(CUcontext::from_number(number))?;
        }
        Ok(())
    }
    Init fn cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2, (context: *mut CUcontext) { cuCtxPopCurrent(context).result() }
    Init fn cuCtxGetDevice: PFN_cuCtxGetDevice, (device: *mut CUdevice) { device.put(current()?.device as CUdevice) }
    Init fn cuCtxSynchronize: PFN_cuCtxSynchronize, () {
        let context = current()?;
        capture::refuse_in_capture()?;
        context.synchronize()
    }
    Init fn cuCtxGetStreamPriorityRange: PFN_cuCtxGetStreamPriorityRange, (least: *mut c_int, greatest: *mut c_int) {
        current()?;
        for (to, value) in [(least, 0), (greatest, stream::GREATEST_PRIORITY)] {
            if !to.is_null() {
                to.put(value)?;
            }
        }
        Ok(())
    }
}
