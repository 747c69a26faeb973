//! A fake driver for the tests of the check: what the family and its neighbors do, on the CPU, with nothing behind it.
//!
//! Memory and semaphores are memfds. A mistake has the code, and does to descriptors, what docs/file-descriptors.md and
//! docs/measured.md have of a real driver. Where that crashes, this one aborts.

#![allow(non_snake_case, clippy::missing_safety_doc)]

mod objects;
mod work;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::process::abort;
use std::sync::{Mutex, MutexGuard};

use cuda_external_sys::*;

/// What the driver knows. Handles are numbers that it counts up, so that none comes twice.
#[derive(Default)]
pub struct Driver {
    next: usize,
    mapped: u64,
    pub primary_references: usize,
    pub contexts: HashMap<usize, ()>,
    pub imports: HashMap<usize, objects::Import>,
    pub buffers: HashMap<u64, usize>,
    /// Where a mapping ended, which the next allocation gets.
    pub freed: Option<u64>,
    /// Imports of this size whose first end was refused.
    pub refused: Vec<usize>,
    pub arrays: HashMap<usize, usize>,
    pub allocations: HashMap<u64, c_int>,
    pub graphs: HashMap<usize, ()>,
    pub streams: HashMap<usize, work::Stream>,
    pub events: HashMap<usize, (usize, bool)>,
    pub lost: Option<CUresult>,
}

static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);

/// The lock, which nothing that fails holds.
pub fn driver() -> Guard {
    let mut guard = DRIVER.lock().unwrap_or_else(|_| abort());
    guard.get_or_insert_default();
    Guard(guard)
}

pub struct Guard(MutexGuard<'static, Option<Driver>>);

impl std::ops::Deref for Guard {
    type Target = Driver;
    fn deref(&self) -> &Driver {
        self.0.as_ref().unwrap_or_else(|| abort())
    }
}

impl std::ops::DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut Driver {
        self.0.as_mut().unwrap_or_else(|| abort())
    }
}

impl Driver {
    /// A range of addresses with nothing behind it. None comes twice.
    pub fn address(&mut self, size: u64) -> u64 {
        self.mapped += size.next_multiple_of(0x1000);
        (1 << 40) + self.mapped
    }

    pub fn handle(&mut self) -> usize {
        self.next += 1;
        self.next * 0x1000
    }
}

pub fn success_if(condition: bool) -> CUresult {
    if condition { CUDA_SUCCESS } else { CUDA_ERROR_INVALID_VALUE }
}

thread_local! {
    /// The stack of contexts would be one too many: one is current.
    static CURRENT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

pub fn current() -> usize {
    CURRENT.get()
}

/// Exports functions of the driver's.
#[macro_export]
macro_rules! export {
    ($($name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
                #[allow(unused_unsafe)]
                unsafe { $body }
            }
        )*
        pub static EXPORTED: &[(&str, usize_of::Function)] = &[$((stringify!($name), usize_of::Function($name as *const ()))),*];
    };
}

/// A function's address in a static.
pub mod usize_of {
    pub struct Function(pub *const ());
    // SAFETY: the address of a function.
    unsafe impl Sync for Function {}
}

/// The primary context's handle.
const PRIMARY: usize = 0x77;

export! {
    cuInit(_flags: c_uint) { CUDA_SUCCESS }
    cuDriverGetVersion(version: *mut c_int) {
        *version = 13000;
        CUDA_SUCCESS
    }
    cuDeviceGetCount(count: *mut c_int) {
        *count = std::env::var("FAKE_GPUS").ok().and_then(|gpus| gpus.parse().ok()).unwrap_or(1);
        CUDA_SUCCESS
    }
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int) {
        *device = ordinal;
        CUDA_SUCCESS
    }
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, _device: CUdevice) {
        driver().primary_references += 1;
        *context = PRIMARY as CUcontext;
        CUDA_SUCCESS
    }
    cuDevicePrimaryCtxRelease_v2(_device: CUdevice) {
        let mut driver = driver();
        driver.primary_references = driver.primary_references.saturating_sub(1);
        CUDA_SUCCESS
    }
    cuDevicePrimaryCtxGetState(_device: CUdevice, flags: *mut c_uint, is_active: *mut c_int) {
        (*flags, *is_active) = (0, (driver().primary_references > 0).into());
        CUDA_SUCCESS
    }
    cuCtxCreate_v2(context: *mut CUcontext, _flags: c_uint, _device: CUdevice) {
        let mut driver = driver();
        let handle = driver.handle();
        driver.contexts.insert(handle, ());
        *context = handle as CUcontext;
        CURRENT.set(handle);
        CUDA_SUCCESS
    }
    cuCtxDestroy_v2(context: CUcontext) {
        if CURRENT.get() == context.addr() {
            CURRENT.set(0);
        }
        success_if(driver().contexts.remove(&context.addr()).is_some())
    }
    cuCtxSetCurrent(context: CUcontext) {
        CURRENT.set(context.addr());
        CUDA_SUCCESS
    }
    cuCtxGetCurrent(context: *mut CUcontext) {
        *context = CURRENT.get() as CUcontext;
        CUDA_SUCCESS
    }
    cuGreenCtxCreate(_out: *mut CUgreenCtx, _resource: *mut c_void, _device: CUdevice, _flags: c_uint) { CUDA_SUCCESS }
    cuGetProcAddress_v2(
        symbol: *const c_char,
        out: *mut *mut c_void,
        _version: c_int,
        _flags: c_ulonglong,
        _status: *mut c_uint,
    ) {
        let name = CStr::from_ptr(symbol).to_str().unwrap_or_default();
        let named = |(exported, _): &&(&str, usize_of::Function)| {
            *exported == name || exported.strip_suffix("_v2") == Some(name)
        };
        let mut all = EXPORTED.iter().chain(objects::EXPORTED).chain(work::EXPORTED);
        let Some((_, function)) = all.find(named) else { return CUDA_ERROR_NOT_FOUND };
        *out = function.0.cast_mut().cast();
        CUDA_SUCCESS
    }
}
