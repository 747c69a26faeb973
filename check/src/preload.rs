//! The library that the loader puts before all others of the program (LD_PRELOAD). It sees which numbers of descriptors the
//! program closes, that a process ends by `_exit`, and at the end of a process whether the driver was opened past the layer.
//!
//! It is loaded into every process that the program starts. It therefore has no standard library and does next to nothing:
//! `close` costs a few loads more. What to do about a number is the layer's decision, by the functions in [`Watch`].

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::transmute;
use core::ptr;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, AtomicU32, Ordering::Relaxed};

use crate::quiet::Quiet;
use crate::shared::watch::{Close, OnClose, OnExit, Watch};
use crate::shared::{self, Shared};

/// The layer finds it by its name.
#[unsafe(no_mangle)]
pub static cuda_external_check_watch: Watch = Watch::new();

/// The number that was closed last. Where several threads close at once, a series may be taken for two.
static LAST: AtomicI32 = AtomicI32::new(-2);
static SERIES: AtomicU32 = AtomicU32::new(0);

/// The directory of the check, as the process began with it: the program may clear its environment.
static DIRECTORY: [AtomicU8; 4096] = [const { AtomicU8::new(0) }; 4096];

/// The C library's function, or that of another library which stands before it.
fn next(place: &AtomicPtr<c_void>, name: &CStr) -> *mut c_void {
    let known = place.load(Relaxed);
    if !known.is_null() {
        return known;
    }
    // SAFETY: the name ends in zero.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    place.store(found, Relaxed);
    found
}

static CLOSE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static EXIT: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The C library's `close`, which the layer is told of where it watches the number.
#[unsafe(no_mangle)]
pub extern "C" fn close(fd: c_int) -> c_int {
    let next = next(&CLOSE, c"close");
    if next.is_null() {
        return -1;
    }
    // SAFETY: the C library's function of this name; the program's own call.
    let code = unsafe { transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> c_int>(next)(fd) };
    let last = LAST.swap(fd, Relaxed);
    if fd.abs_diff(last) != 1 {
        SERIES.fetch_add(1, Relaxed);
    }
    let watch = &cuda_external_check_watch;
    let on_close = watch.on_close.load(Relaxed);
    if !on_close.is_null() && (code != 0 || watch.has(fd)) {
        let call = Close { fd, was_open: code == 0, is_watched: watch.has(fd), series: SERIES.load(Relaxed) };
        // SAFETY: the layer stored its function, and stays loaded.
        unsafe { transmute::<*mut c_void, OnClose>(on_close)(&call) };
    }
    code
}

/// The C library's `_exit`, before which the layer learns that no signal ended the process.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: c_int) -> ! {
    let on_exit = cuda_external_check_watch.on_exit.load(Relaxed);
    if !on_exit.is_null() {
        // SAFETY: as above.
        unsafe { transmute::<*mut c_void, OnExit>(on_exit)() };
    }
    let next = next(&EXIT, c"_exit");
    if !next.is_null() {
        // SAFETY: the C library's function of this name.
        unsafe { transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> !>(next)(status) };
    }
    // SAFETY: ends the process.
    unsafe { libc::syscall(libc::SYS_exit_group, status) };
    loop {}
}

#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}

/// Looks up what `close` and `_exit` need: a signal handler may be the first to call them.
extern "C" fn begin() {
    next(&CLOSE, c"close");
    next(&EXIT, c"_exit");
    // SAFETY: the name ends in zero, and the result is null or a string.
    let directory = unsafe {
        let value = libc::getenv(c"CUDA_EXTERNAL_CHECK_DIRECTORY".as_ptr());
        if value.is_null() { c"" } else { CStr::from_ptr(value) }
    };
    let bytes = DIRECTORY.iter().zip(directory.to_bytes());
    bytes.for_each(|(to, byte)| to.store(*byte, Relaxed));
}

/// The directory with the name of a file in it, and the length without it.
fn path_of(file: &str, path: &mut [u8; 4200]) -> usize {
    let bytes = DIRECTORY.iter().map(|byte| byte.load(Relaxed)).take_while(|byte| *byte != 0);
    let length = path.iter_mut().take(4096).zip(bytes).map(|(to, byte)| *to = byte).count();
    path[length] = b'/';
    path[length + 1..].iter_mut().zip(file.bytes()).for_each(|(to, byte)| *to = byte);
    length
}

/// The files that a search of the loaded ones found.
struct Loaded {
    directory: [u8; 4200],
    length: usize,
    has_layer: bool,
    driver: *const c_char,
}

unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader's struct, and what is passed below.
    let (loaded, name) = unsafe { (&mut *data.cast::<Loaded>(), (*info).dlpi_name) };
    // SAFETY: null or a string of the loader.
    let bytes = if name.is_null() { &[] } else { unsafe { CStr::from_ptr(name) }.to_bytes() };
    let directory = &loaded.directory[..=loaded.length];
    let file = bytes.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if bytes.starts_with(directory) {
        loaded.has_layer |= file.starts_with(b"libcuda.so");
    } else if file.starts_with(b"libcuda.so") {
        loaded.driver = name;
    }
    0
}

/// Notes where the driver was opened by a path of the program, so that the layer does not stand before it.
extern "C" fn end() {
    let mut loaded = Loaded { directory: [0; 4200], length: 0, has_layer: false, driver: ptr::null() };
    loaded.length = path_of(shared::FILE, &mut loaded.directory);
    if loaded.length == 0 {
        return;
    }
    let _quiet = Quiet::begin();
    // SAFETY: the function gets back the pointer. The names are strings that end in zero.
    unsafe {
        libc::dl_iterate_phdr(Some(each), (&raw mut loaded).cast());
        if loaded.has_layer || loaded.driver.is_null() {
            return;
        }
        let Some(shared) = Shared::open(CStr::from_ptr(loaded.directory.as_ptr().cast())) else { return };
        shared.bypass(CStr::from_ptr(loaded.driver).to_bytes());
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

// Code of `core` that is compiled for unwinding names this function, which belongs to the standard library. Nothing unwinds
// through such code here. The symbol is hidden: other libraries have their own.
core::arch::global_asm!(
    ".hidden rust_eh_personality",
    ".globl rust_eh_personality",
    "rust_eh_personality:",
    ".byte 0, 0, 0, 0",
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
