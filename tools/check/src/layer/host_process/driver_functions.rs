//! Calls functions of the real driver, to which the layer is linked under the name libcuda_real.so.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;

use cuda_external_in_process::{HookScope, LazyWord};
use cuda_external_sys::*;

/// A function of the real driver, looked up when it is first needed.
pub struct RealDriverFunction {
    pub name: &'static CStr,
    address: LazyWord,
}

impl RealDriverFunction {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: LazyWord::new() }
    }

    /// Returns the function's address, or null if the driver lacks the function.
    pub fn driver_address(&self) -> *mut c_void {
        self.address.get_or_find(|| driver_symbol(self.name).addr()) as *mut c_void
    }
}

fn driver_symbol(name: &CStr) -> *mut c_void {
    static LIBRARY: LazyWord = LazyWord::new();
    // SAFETY: the name is a C string literal. The layer is linked to the driver, so the driver is loaded already.
    let library = LIBRARY.get_or_find(|| unsafe {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        libc::dlopen(c"libcuda_real.so".as_ptr(), flags).addr()
    });
    if library == 0 {
        return ptr::null_mut();
    }
    // SAFETY: the name ends in zero, and the library is never closed.
    unsafe { libc::dlsym(library as *mut c_void, name.as_ptr()) }
}

pub fn address_within_driver(_unlocked: &mut HookScope) -> usize {
    driver_symbol(c"cuInit").addr()
}

/// Each function borrows the hook scope mutably: the compiler refuses a call while a lock's guard borrows the scope.
macro_rules! driver_functions {
    ($($name:ident as $symbol:literal($($arg:ident: $ty:ty),*);)*) => {$(
        pub fn $name(_unlocked: &mut HookScope, $($arg: $ty),*) -> CUresult {
            static REAL: RealDriverFunction = RealDriverFunction::new($symbol);
            let address = REAL.driver_address();
            if address.is_null() {
                return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
            }
            // SAFETY: the driver's function of this name has this type, and the layer passes valid arguments.
            unsafe { transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> CUresult>(address)($($arg),*) }
        }
    )*};
}

driver_functions! {
    ctx_get_current as c"cuCtxGetCurrent"(context: *mut CUcontext);
    ctx_get_device as c"cuCtxGetDevice"(device: *mut CUdevice);
    device_uuid as c"cuDeviceGetUuid_v2"(uuid: *mut CUuuid, device: CUdevice);
    device_get_count as c"cuDeviceGetCount"(count: *mut c_int);
    primary_state as c"cuDevicePrimaryCtxGetState"(device: CUdevice, flags: *mut c_uint, is_active: *mut c_int);
    stream_is_capturing as c"cuStreamIsCapturing"(stream: CUstream, status: *mut c_uint);
    stream_get_context as c"cuStreamGetCtx"(stream: CUstream, context: *mut CUcontext);
    capture_info as c"cuStreamGetCaptureInfo_v2"(
        stream: CUstream, status: *mut c_uint, id: *mut u64, graph: *mut CUgraph, last: *mut *const CUgraphNode,
        count: *mut usize
    );
    launch_host_func as c"cuLaunchHostFunc"(stream: CUstream, function: CUhostFn, data: *mut c_void);
    exchange_capture_mode as c"cuThreadExchangeStreamCaptureMode"(mode: *mut c_uint);
    event_create as c"cuEventCreate"(event: *mut CUevent, flags: c_uint);
    event_record as c"cuEventRecord"(event: CUevent, stream: CUstream);
    event_query as c"cuEventQuery"(event: CUevent);
    func_param_info as c"cuFuncGetParamInfo"(function: CUfunction, at: usize, offset: *mut usize, size: *mut usize);
    kernel_param_info as c"cuKernelGetParamInfo"(kernel: CUkernel, at: usize, offset: *mut usize, size: *mut usize);
    pointer_attribute as c"cuPointerGetAttribute"(data: *mut c_void, attribute: c_uint, address: CUdeviceptr);
}

/// Returns the current context of this thread: 0 if there is none, `None` if the driver returns an error.
pub fn current_context(section: &mut HookScope) -> Option<usize> {
    let mut context: CUcontext = ptr::null_mut();
    (ctx_get_current(section, &mut context) == CUDA_SUCCESS).then(|| context.addr())
}

/// Returns the size of a kernel's argument `at`. Returns `None` if the kernel has no such argument, or if the driver is
/// older than CUDA 12.4. `function` may also be a `CUkernel`.
pub fn argument_size(section: &mut HookScope, function: CUfunction, at: usize) -> Option<usize> {
    let (mut offset, mut size) = (0, 0);
    let is_known = func_param_info(section, function, at, &mut offset, &mut size) == CUDA_SUCCESS
        || kernel_param_info(section, function.cast(), at, &mut offset, &mut size) == CUDA_SUCCESS;
    is_known.then_some(size)
}

/// Returns whether the driver reports a kernel's arguments. Drivers older than CUDA 12.4 do not.
pub fn reports_kernel_arguments(section: &mut HookScope) -> bool {
    let (none, at) = (ptr::null_mut(), ptr::null_mut());
    func_param_info(section, none, 0, at, at) != CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
}

pub fn current_device_uuid(section: &mut HookScope) -> Option<[u8; 16]> {
    let mut device = 0;
    (ctx_get_device(section, &mut device) == CUDA_SUCCESS).then(|| uuid_of_device(section, device))?
}

pub fn uuid_of_device(section: &mut HookScope, device: CUdevice) -> Option<[u8; 16]> {
    let mut uuid = CUuuid::default();
    (device_uuid(section, &mut uuid, device) == CUDA_SUCCESS).then(|| uuid.to_bytes())
}

pub fn stream_context(section: &mut HookScope, stream: usize) -> usize {
    let mut context: CUcontext = ptr::null_mut();
    match stream_get_context(section, stream as CUstream, &mut context) {
        CUDA_SUCCESS => context.addr(),
        _ => 0,
    }
}

/// Returns true if a stream is being captured, so that its work is not executed, or if the driver returns an error.
pub fn is_stream_capturing(section: &mut HookScope, stream: usize) -> bool {
    let mut status = 0;
    stream_is_capturing(section, stream as CUstream, &mut status) != CUDA_SUCCESS || status != 0
}

/// Returns the graph into which a stream is captured, and the stream's last captured node. If there is no such node, or
/// if there are several, the node is 0. Returns `None` if the stream is not being captured or the driver returns an
/// error.
pub fn captured_graph_and_node(section: &mut HookScope, stream: usize) -> Option<(usize, usize)> {
    let (mut status, mut id, mut graph, mut last, mut count) = (0, 0, ptr::null_mut(), ptr::null(), 0);
    let code =
        capture_info(section, stream as CUstream, &mut status, &mut id, &mut graph, &mut last, &mut count);
    if code != CUDA_SUCCESS || graph.is_null() {
        return None;
    }
    // SAFETY: the driver wrote a list of `count` nodes, which is valid until the next call in the stream.
    let node = if count == 1 && !last.is_null() { unsafe { *last }.addr() } else { 0 };
    Some((graph.addr(), node))
}

pub fn is_allocated_address(section: &mut HookScope, address: CUdeviceptr) -> bool {
    const MEMORY_TYPE: c_uint = 2;
    let mut kind: c_uint = 0;
    pointer_attribute(section, (&raw mut kind).cast(), MEMORY_TYPE, address) == CUDA_SUCCESS
}

/// Runs the layer's calls in the relaxed capture mode: in another mode, a capture may forbid the calls.
fn with_relaxed_capture_mode<T>(section: &mut HookScope, run: impl FnOnce(&mut HookScope) -> T) -> T {
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED.0;
    let changed = exchange_capture_mode(section, &mut mode) == CUDA_SUCCESS;
    let result = run(section);
    if changed {
        _ = exchange_capture_mode(section, &mut mode);
    }
    result
}

pub fn create_event(section: &mut HookScope) -> Option<usize> {
    const DISABLE_TIMING: u32 = 2;
    let mut event: CUevent = ptr::null_mut();
    let code =
        with_relaxed_capture_mode(section, |section| event_create(section, &mut event, DISABLE_TIMING));
    (code == CUDA_SUCCESS).then(|| event.addr())
}

/// Returns whether an event is still pending after up to `pauses` pauses. Counts pauses instead of reading a clock,
/// since a checked process may have a fake clock that stands still.
pub fn is_event_pending(section: &mut HookScope, event: usize, pauses: u32) -> bool {
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 50_000 };
    with_relaxed_capture_mode(section, |section| {
        let mut is_pending = || event_query(section, event as CUevent) == CUDA_ERROR_NOT_READY;
        for _ in 0..pauses {
            if !is_pending() {
                return false;
            }
            // SAFETY: the system call only reads the struct.
            unsafe { libc::syscall(libc::SYS_nanosleep, &raw const pause, 0) };
        }
        is_pending()
    })
}

/// Returns whether a primary context is active, or true if the driver returns an error.
pub fn is_primary_context_active(section: &mut HookScope, device: CUdevice) -> bool {
    let (mut flags, mut is_active) = (0, 1);
    primary_state(section, device, &mut flags, &mut is_active) != CUDA_SUCCESS || is_active != 0
}

/// Returns the number of GPUs that NVIDIA's driver lists in /proc, or 0 if there is no list. The layer first calls this
/// function when the layer is loaded, since the process may later lose the permission to open files.
pub fn count_gpus_in_proc() -> usize {
    static LISTED: LazyWord = LazyWord::new();
    LISTED.get_or_find(|| std::fs::read_dir("/proc/driver/nvidia/gpus").map(Iterator::count).unwrap_or(0))
}

/// Returns the number of the host's GPUs, including those in /proc that CUDA does not show to this process.
pub fn host_gpu_count(section: &mut HookScope) -> usize {
    static GPUS: LazyWord = LazyWord::new();
    GPUS.get_or_find(|| {
        let mut count = 0;
        _ = device_get_count(section, &mut count);
        count_gpus_in_proc().max(count.max(0) as usize)
    })
}
