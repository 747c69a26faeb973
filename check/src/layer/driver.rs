//! The real driver: the library that the layer needs under the name libcuda_real.so.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use cuda_external_sys::{
    CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, CUDA_SUCCESS, CUcontext,
    CUdevice, CUdeviceptr, CUevent,
};
use cuda_external_sys::{CUresult, CUstream};

use crate::stack::Frames;
use crate::sys;

/// Where the number of the function goes that a thread is in, once there is a journal.
static INSIDE: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

pub fn note_inside(of: &'static AtomicU32) {
    INSIDE.store(ptr::from_ref(of).cast_mut(), Ordering::Release);
}

/// The parent's journal is not the forked process's.
pub fn leave_in_forked_process() {
    INSIDE.store(ptr::null_mut(), Ordering::Release);
}

/// A function of the real driver, looked up when it is first needed.
pub struct Real {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
    /// Its place among the wrapped functions, counted from 1.
    number: AtomicU32,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(ptr::null_mut()), number: AtomicU32::new(0) }
    }

    pub fn set_number(&self, number: u32) {
        self.number.store(number, Ordering::Relaxed);
    }

    /// Notes for the report of a crash that a thread is in this function.
    pub fn enter(&self) -> Inside {
        let inside = INSIDE.load(Ordering::Relaxed);
        // SAFETY: it is null or the journal's, which is never unmapped.
        let inside = unsafe { inside.as_ref() };
        Inside {
            of: inside,
            before: inside.map_or(0, |of| of.swap(self.number.load(Ordering::Relaxed), Ordering::Relaxed)),
        }
    }

    /// The address, or null where this driver lacks the function.
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        let found = symbol(self.name);
        self.address.store(found, Ordering::Release);
        found
    }
}

/// While a thread is in a function.
pub struct Inside {
    of: Option<&'static AtomicU32>,
    before: u32,
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.of.iter().for_each(|of| of.store(self.before, Ordering::Relaxed));
    }
}

fn symbol(name: &CStr) -> *mut c_void {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    // It is loaded already, since the layer needs it.
    // SAFETY: the names end in zeros.
    let library = *LIBRARY.get_or_init(|| unsafe {
        let flags = sys::RTLD_LAZY | sys::RTLD_NOLOAD;
        sys::dlopen(c"libcuda_real.so".as_ptr(), flags).addr()
    });
    if library == 0 {
        return ptr::null_mut();
    }
    // SAFETY: as above; the library is never closed.
    unsafe { sys::dlsym(library as *mut c_void, name.as_ptr()) }
}

/// Whether a stack begins in the driver, behind the frames of the layer and of the preloaded library.
pub fn called(stack: &Frames) -> bool {
    let library = |address: *const c_void| {
        let mut info = sys::DlInfo::default();
        // SAFETY: a struct to be filled.
        (unsafe { sys::dladdr(address, &mut info) } != 0).then(|| info.base.addr())
    };
    // SAFETY: the name ends in zero; null stands for the libraries of the program.
    let preloaded = unsafe { sys::dlsym(ptr::null_mut(), c"cuda_external_check_watch".as_ptr()) };
    let own = [library(preloaded), library(called as *const c_void)];
    let frames =
        stack.iter().filter(|address| **address != 0).map(|address| library(*address as *const c_void));
    let first = frames.into_iter().find(|library| !own.contains(library));
    first.is_some_and(|first| first.is_some() && first == library(symbol(c"cuInit")))
}

/// Calls of the layer's own.
macro_rules! real_functions {
    ($($(#[$doc:meta])* $name:ident as $symbol:literal($($arg:ident: $ty:ty),*);)*) => {$(
        $(#[$doc])*
        pub fn $name($($arg: $ty),*) -> CUresult {
            static REAL: Real = Real::new($symbol);
            let address = REAL.address();
            if address.is_null() {
                return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
            }
            // SAFETY: the driver's function of this name has this type, and the layer passes valid arguments.
            unsafe { transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> CUresult>(address)($($arg),*) }
        }
    )*};
}

real_functions! {
    ctx_get_current as c"cuCtxGetCurrent"(context: *mut CUcontext);
    device_get_count as c"cuDeviceGetCount"(count: *mut c_int);
    primary_state as c"cuDevicePrimaryCtxGetState"(device: CUdevice, flags: *mut c_uint, is_active: *mut c_int);
    stream_is_capturing as c"cuStreamIsCapturing"(stream: CUstream, status: *mut c_uint);
    stream_get_context as c"cuStreamGetCtx"(stream: CUstream, context: *mut CUcontext);
    stream_query as c"cuStreamQuery"(stream: CUstream);
    exchange_capture_mode as c"cuThreadExchangeStreamCaptureMode"(mode: *mut c_uint);
    event_create as c"cuEventCreate"(event: *mut CUevent, flags: c_uint);
    event_record as c"cuEventRecord"(event: CUevent, stream: CUstream);
    event_query as c"cuEventQuery"(event: CUevent);
    pointer_attribute as c"cuPointerGetAttribute"(data: *mut c_void, attribute: c_uint, address: CUdeviceptr);
}

/// The context that is current in this thread: 0 where there is none, None where the driver does not say.
pub fn current() -> Option<usize> {
    let mut context: CUcontext = ptr::null_mut();
    (ctx_get_current(&mut context) == CUDA_SUCCESS).then(|| context.addr())
}

/// The context that is current in this thread, or 0.
pub fn current_context() -> usize {
    current().unwrap_or(0)
}

/// The context of a stream, or 0.
pub fn context_of(stream: usize) -> usize {
    let mut context: CUcontext = ptr::null_mut();
    match stream_get_context(stream as CUstream, &mut context) {
        CUDA_SUCCESS => context.addr(),
        _ => 0,
    }
}

/// Whether a stream is being captured, where nothing is executed. A driver that cannot tell is not asked to do more.
pub fn is_capturing(stream: usize) -> bool {
    let mut status = 0;
    stream_is_capturing(stream as CUstream, &mut status) != CUDA_SUCCESS || status != 0
}

/// Whether an address belongs to an allocation now.
pub fn is_allocated(address: CUdeviceptr) -> bool {
    const MEMORY_TYPE: c_uint = 2;
    let mut kind: c_uint = 0;
    pointer_attribute((&raw mut kind).cast(), MEMORY_TYPE, address) == CUDA_SUCCESS
}

/// Runs calls of the layer's own that a capture in this thread would otherwise forbid.
pub fn outside_of_captures<T>(run: impl FnOnce() -> T) -> T {
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED.0;
    let changed = exchange_capture_mode(&mut mode) == CUDA_SUCCESS;
    let result = run();
    if changed {
        _ = exchange_capture_mode(&mut mode);
    }
    result
}

/// How many GPUs the host has, also those that this process does not see.
pub fn gpus_of_the_host() -> usize {
    static GPUS: OnceLock<usize> = OnceLock::new();
    *GPUS.get_or_init(|| {
        let listed = std::fs::read_dir("/proc/driver/nvidia/gpus").map(Iterator::count).unwrap_or(0);
        let mut count = 0;
        _ = device_get_count(&mut count);
        listed.max(count.max(0) as usize)
    })
}
