//! The real driver: the library that the layer needs under the name libcuda_real.so.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use cuda_external_guest::Known;
use cuda_external_sys::*;

use crate::layer::call::Call;
use crate::layer::exports::wrapped;
use crate::layer::fds;
use crate::layer::process::{image, process};
use crate::shared::Frames;
use crate::stack::{self, module_of};

/// A function of the real driver, looked up when it is first needed. Not to be called under a lock.
pub struct Real {
    pub name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(ptr::null_mut()) }
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

/// Calls the driver where it may crash, so that the program can name the call: by its number, from 1 on.
pub fn suspected(call: &Call<'_>, why: u32) -> CUresult {
    let note = |number| image().into_iter().for_each(|image| image.suspect.store(number, Ordering::Relaxed));
    let at = wrapped().position(|wrapped| wrapped.real.name.to_bytes() == call.name.as_bytes());
    note(at.map_or(0, |at| at as u32 + 1) | why);
    let code = call.driver();
    note(0);
    code
}

fn symbol(name: &CStr) -> *mut c_void {
    static LIBRARY: Known = Known::new();
    // It is loaded already, since the layer needs it.
    // SAFETY: the names end in zeros.
    let library = LIBRARY.or_find(|| unsafe {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        libc::dlopen(c"libcuda_real.so".as_ptr(), flags).addr()
    });
    if library == 0 {
        return ptr::null_mut();
    }
    // SAFETY: as above; the library is never closed.
    unsafe { libc::dlsym(library as *mut c_void, name.as_ptr()) }
}

fn module(address: usize) -> u64 {
    process().map_or(0, |process| module_of(stack::frame(process.shared, address)))
}

/// The file whose code made a call, behind the frames of the layer and of the preloaded library.
pub fn caller(stack: &Frames) -> u64 {
    let own = [module(fds::address_of_preloaded()), module(caller as *const () as usize)];
    let mut modules = stack.iter().map(|frame| module_of(*frame));
    modules.find(|module| !own.contains(module)).unwrap_or(0)
}

/// Whether the driver itself made a call.
pub fn called(stack: &Frames) -> bool {
    static INIT: Real = Real::new(c"cuInit");
    let first = caller(stack);
    first != 0 && first == module(INIT.address().addr())
}

/// Calls that the layer makes for itself. None is made under a lock.
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
    ctx_get_device as c"cuCtxGetDevice"(device: *mut CUdevice);
    device_uuid as c"cuDeviceGetUuid_v2"(uuid: *mut CUuuid, device: CUdevice);
    device_get_count as c"cuDeviceGetCount"(count: *mut c_int);
    primary_state as c"cuDevicePrimaryCtxGetState"(device: CUdevice, flags: *mut c_uint, is_active: *mut c_int);
    stream_is_capturing as c"cuStreamIsCapturing"(stream: CUstream, status: *mut c_uint);
    stream_get_context as c"cuStreamGetCtx"(stream: CUstream, context: *mut CUcontext);
    stream_query as c"cuStreamQuery"(stream: CUstream);
    capture_info as c"cuStreamGetCaptureInfo_v2"(
        stream: CUstream,
        status: *mut c_uint,
        id: *mut u64,
        graph: *mut CUgraph,
        last: *mut *const CUgraphNode,
        count: *mut usize
    );
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

/// The UUID of the current context's device.
pub fn current_uuid() -> Option<[u8; 16]> {
    let (mut device, mut uuid) = (0, CUuuid::default());
    let is_known =
        ctx_get_device(&mut device) == CUDA_SUCCESS && device_uuid(&mut uuid, device) == CUDA_SUCCESS;
    is_known.then(|| uuid.to_bytes())
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

/// The graph that a stream is captured into, and the node that was captured last: 0 where there are several.
pub fn captured(stream: usize) -> Option<(usize, usize)> {
    let (mut status, mut id, mut graph, mut last, mut count) = (0, 0, ptr::null_mut(), ptr::null(), 0);
    let code = capture_info(stream as CUstream, &mut status, &mut id, &mut graph, &mut last, &mut count);
    if code != CUDA_SUCCESS || graph.is_null() {
        return None;
    }
    // SAFETY: the driver wrote a list of that length, which is valid until the next call in the stream.
    let node = if count == 1 && !last.is_null() { unsafe { *last }.addr() } else { 0 };
    Some((graph.addr(), node))
}

/// Whether an address belongs to an allocation now.
pub fn is_allocated(address: CUdeviceptr) -> bool {
    const MEMORY_TYPE: c_uint = 2;
    let mut kind: c_uint = 0;
    pointer_attribute((&raw mut kind).cast(), MEMORY_TYPE, address) == CUDA_SUCCESS
}

/// Runs calls of the layer that a capture in this thread would otherwise forbid.
pub fn outside_of_captures<T>(run: impl FnOnce() -> T) -> T {
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED.0;
    let changed = exchange_capture_mode(&mut mode) == CUDA_SUCCESS;
    let result = run();
    if changed {
        _ = exchange_capture_mode(&mut mode);
    }
    result
}

/// The GPUs that the system lists. First called when the layer is loaded: later the program may not open files.
pub fn gpus_listed() -> usize {
    static LISTED: Known = Known::new();
    LISTED.or_find(|| std::fs::read_dir("/proc/driver/nvidia/gpus").map(Iterator::count).unwrap_or(0))
}

/// How many GPUs the host has, also those that this process does not see.
pub fn gpus_of_the_host() -> usize {
    static GPUS: Known = Known::new();
    GPUS.or_find(|| {
        let mut count = 0;
        _ = device_get_count(&mut count);
        gpus_listed().max(count.max(0) as usize)
    })
}
