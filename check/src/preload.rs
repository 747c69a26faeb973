//! The library that the loader puts before all others of the program (LD_PRELOAD). It sees which numbers of descriptors the
//! program closes, and at the end of a process whether the driver was opened past the layer.
//!
//! It is loaded into every process that the program starts. It therefore has no standard library and does next to nothing:
//! `close` costs a few loads more. What to do about a number is the layer's decision, by the function in [`Watch`].
#![no_std]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::transmute;
use core::ptr;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering::Relaxed};

#[path = "watch.rs"]
mod watch;
use watch::{Sees, Seen, Watch};

/// The layer finds it by its name.
#[unsafe(no_mangle)]
pub static cuda_external_check_watch: Watch = Watch::empty();

/// The number that was closed last. Where several threads close at once, a series may be taken for two.
static LAST: AtomicI32 = AtomicI32::new(-2);
static SERIES: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dladdr(address: *const c_void, info: *mut [*const c_char; 4]) -> c_int;
    fn getenv(name: *const c_char) -> *const c_char;
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
    fn getpid() -> c_int;
    fn strlen(text: *const c_char) -> usize;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn write(fd: c_int, bytes: *const c_char, count: usize) -> isize;
}

/// The C library's function, or that of another library which stands before it.
fn next_close() -> Option<unsafe extern "C" fn(c_int) -> c_int> {
    static NEXT: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
    const RTLD_NEXT: usize = usize::MAX;
    let mut next = NEXT.load(Relaxed);
    if next.is_null() {
        // SAFETY: the name ends in zero.
        next = unsafe { dlsym(RTLD_NEXT as *mut c_void, c"close".as_ptr()) };
        NEXT.store(next, Relaxed);
    }
    // SAFETY: null, or the C library's function of this name.
    unsafe { transmute::<*mut c_void, Option<unsafe extern "C" fn(c_int) -> c_int>>(next) }
}

/// The C library's `close`, which the layer is told of where it watches the number.
#[unsafe(no_mangle)]
pub extern "C" fn close(fd: c_int) -> c_int {
    let Some(next) = next_close() else { return -1 };
    // SAFETY: the program's own call.
    let code = unsafe { next(fd) };
    let last = LAST.swap(fd, Relaxed);
    if fd.abs_diff(last) != 1 {
        SERIES.fetch_add(1, Relaxed);
    }
    let watch = &cuda_external_check_watch;
    let sees = watch.sees.load(Relaxed);
    if !sees.is_null() && (code != 0 || watch.has(fd)) {
        let seen = Seen { fd, was_open: code == 0, is_watched: watch.has(fd), series: SERIES.load(Relaxed) };
        // SAFETY: the layer stored its function, and stays loaded.
        unsafe { transmute::<*mut c_void, Sees>(sees)(&seen) };
    }
    code
}

/// Looks up what `close` needs: a signal handler may be the first to call it.
extern "C" fn begin() {
    _ = next_close();
}

/// Leaves a note where the driver was opened by a path of the program's, so that it is not the layer that has its name.
extern "C" fn end() {
    const LAZY_NOLOAD: c_int = 5;
    const WRITE_CREATE: c_int = 0o101;
    // SAFETY: the names end in zeros, and the buffer is as large as is said.
    unsafe {
        let library = dlopen(c"libcuda.so.1".as_ptr(), LAZY_NOLOAD);
        let directory = getenv(c"CUDA_EXTERNAL_CHECK_DIRECTORY".as_ptr());
        let is_layer = || !dlsym(library, c"cuda_external_check_layer".as_ptr()).is_null();
        if library.is_null() || directory.is_null() || is_layer() {
            return;
        }
        let (mut info, mut path) = ([ptr::null(); 4], [0; 4096]);
        let function = dlsym(library, c"cuInit".as_ptr());
        if dladdr(function, &mut info) == 0 || info[0].is_null() {
            return;
        }
        let format: &CStr = c"%s/bypass.%d";
        snprintf(path.as_mut_ptr(), path.len(), format.as_ptr(), directory, getpid());
        let fd = open(path.as_ptr(), WRITE_CREATE, 0o600);
        write(fd, info[0], strlen(info[0]));
        close(fd);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
