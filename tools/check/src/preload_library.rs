//! The preloaded library. Observes `close` and `_exit`, and at `exit` looks for a driver opened without the layer.
//!
//! LD_PRELOAD also loads this library into most processes that the program starts. Therefore the library does without
//! Rust's standard library, and adds only a few atomic operations to a `close` that it does not report to the layer.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt::Write;
use core::mem::transmute;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering::Relaxed};

use cuda_external_in_process::{LazyWord, SignalsBlocked};

use crate::close_watch::{CloseWatch, ProcessExitCallback, WatchedCloseCall, WatchedCloseCallback};
use crate::shared_file::{self, SharedFile};

/// The data that this library shares with the layer. The layer looks this static up by name.
#[unsafe(no_mangle)]
pub static cuda_external_check_watch: CloseWatch = CloseWatch::new();

/// The descriptor of the last call of `close`.
static LAST: AtomicI32 = AtomicI32::new(-2);
/// The number of the current series of calls of `close`. A call for a descriptor adjacent to `LAST` continues the
/// series. If several threads call `close` at once, one series may count as two.
static SERIES: AtomicU32 = AtomicU32::new(0);

/// The mapped file that the checked processes share with the check, or null.
static SHARED: AtomicPtr<SharedFile> = AtomicPtr::new(ptr::null_mut());

static CLOSE: LazyWord = LazyWord::new();
static EXIT: LazyWord = LazyWord::new();

/// Returns the function of this name that the dynamic loader finds after this library, usually the C library's, or 0.
fn find_next_function(word: &LazyWord, name: &CStr) -> usize {
    // SAFETY: the name is a C string.
    word.get_or_find(|| unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.addr())
}

/// Calls the C library's `close`. Reports the call to the layer if the descriptor is watched or was not open.
#[unsafe(no_mangle)]
pub extern "C" fn close(fd: c_int) -> c_int {
    let next = find_next_function(&CLOSE, c"close");
    if next == 0 {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type. The program itself asked to close this number.
    let code = unsafe { transmute::<usize, unsafe extern "C" fn(c_int) -> c_int>(next)(fd) };
    // SAFETY: the address is this thread's errno. With any error but EBADF, Linux has closed the descriptor.
    let was_open = code == 0 || unsafe { *libc::__errno_location() } != libc::EBADF;
    let last = LAST.swap(fd, Relaxed);
    if fd.abs_diff(last) != 1 {
        SERIES.fetch_add(1, Relaxed);
    }
    let watch = &cuda_external_check_watch;
    let close_callback = watch.close_callback.load(Relaxed);
    if !close_callback.is_null() && (!was_open || watch.watches_fd(fd)) {
        let call =
            WatchedCloseCall { fd, was_open, is_watched: watch.watches_fd(fd), series: SERIES.load(Relaxed) };
        // SAFETY: the layer stored its function, and stays loaded.
        unsafe { transmute::<*mut c_void, WatchedCloseCallback>(close_callback)(&call) };
    }
    code
}

/// Lets the layer record that the process calls `_exit`, and calls the C library's `_exit`.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: c_int) -> ! {
    let on_exit = cuda_external_check_watch.on_exit.load(Relaxed);
    if !on_exit.is_null() {
        // SAFETY: the layer stored its function, and stays loaded.
        unsafe { transmute::<*mut c_void, ProcessExitCallback>(on_exit)() };
    }
    let next = find_next_function(&EXIT, c"_exit");
    if next != 0 {
        // SAFETY: the C library's function of this name has this type.
        unsafe { transmute::<usize, unsafe extern "C" fn(c_int) -> !>(next)(status) };
    }
    // SAFETY: the call only ends the process.
    unsafe { libc::syscall(libc::SYS_exit_group, status) };
    loop {}
}

#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}

/// Runs when this library is loaded. Calls `dlsym` now, since the first call of `close` may come from a signal handler,
/// which must not call `dlsym`. Maps the shared file now, since the program may later clear the environment, and with
/// it CUDA_EXTERNAL_CHECK_DIRECTORY.
extern "C" fn initialize_preload() {
    find_next_function(&CLOSE, c"close");
    find_next_function(&EXIT, c"_exit");
    // SAFETY: the name ends in zero, and the result is null or a string.
    let directory = unsafe {
        let value = libc::getenv(c"CUDA_EXTERNAL_CHECK_DIRECTORY".as_ptr());
        if value.is_null() { c"" } else { CStr::from_ptr(value) }
    };
    let mut path = [0; 4096];
    let bytes = directory.to_bytes().iter().chain(b"/").chain(shared_file::FILE_NAME.as_bytes());
    path.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    let shared = CStr::from_bytes_until_nul(&path).ok().and_then(SharedFile::map_shared_file);
    SHARED.store(shared.map_or(ptr::null_mut(), |shared| ptr::from_ref(shared).cast_mut()), Relaxed);
}

/// The search for the first loaded file with the driver's name. A program that opens the driver by name gets this file.
struct DriverBypassSearch {
    /// The address of a function of the layer, or null if the process has not loaded the layer.
    of_layer: *mut c_void,
    path: *const c_char,
    is_layer: bool,
}

/// Notes the path of a file with the driver's name and whether the file is the layer, and returns 1, which ends the
/// search. Returns 0 at any other file. `dl_iterate_phdr` lists the files in the order in which the dynamic loader
/// searches them.
unsafe extern "C" fn stop_at_driver_file(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    driver: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes its own valid struct, and the pointer from `note_driver_bypass`.
    unsafe {
        let (info, driver) = (&*info, &mut *driver.cast::<DriverBypassSearch>());
        let path = if info.dlpi_name.is_null() { &[] } else { CStr::from_ptr(info.dlpi_name).to_bytes() };
        let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if !file.starts_with(b"libcuda.so") {
            return 0;
        }
        driver.path = info.dlpi_name;
        let inside = (driver.of_layer as u64).wrapping_sub(info.dlpi_addr);
        driver.is_layer = slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into())
            .iter()
            .any(|of| of.p_type == libc::PT_LOAD && inside.wrapping_sub(of.p_vaddr) < of.p_memsz);
    }
    1
}

extern "C" fn note_driver_bypass() {
    // SAFETY: the pointer is null, or points to the mapping that `initialize_preload` made, which is never unmapped.
    let Some(shared) = (unsafe { SHARED.load(Relaxed).as_ref() }) else { return };
    let _quiet = SignalsBlocked::block_signals();
    // `on_exit` has the address of one of the layer's functions.
    let of_layer = cuda_external_check_watch.on_exit.load(Relaxed);
    let mut driver = DriverBypassSearch { of_layer, path: ptr::null(), is_layer: false };
    // SAFETY: `stop_at_driver_file` gets the pointer to `driver`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(stop_at_driver_file), (&raw mut driver).cast()) };
    if driver.path.is_null() || driver.is_layer {
        return;
    }
    // SAFETY: the loader's name of a file is a C string that exists while the file is loaded.
    let path = unsafe { CStr::from_ptr(driver.path) }.to_bytes();
    if let Some(mut message) = shared.claim_message_slot() {
        _ = message.write_str("bypass\t");
        for chunk in path.utf8_chunks() {
            _ = message.write_str(chunk.valid());
        }
    } else {
        shared.lost.fetch_add(1, Relaxed);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = initialize_preload;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = note_driver_bypass;

// `core` refers to this symbol, but nothing unwinds here. The symbol is hidden, since other libraries have it too.
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
