//! The C library's functions that the layer and the program use. rustc compiles the layer without other crates, so they are
//! declared here.

use core::ffi::{c_char, c_int, c_long, c_void};

pub const F_GETFD: c_int = 1;
pub const F_SETSIG: c_int = 10;
pub const F_GETSIG: c_int = 11;
pub const RTLD_LAZY: c_int = 1;
pub const RTLD_NOLOAD: c_int = 4;
pub const PROT_READ_WRITE: c_int = 3;
pub const MAP_SHARED: c_int = 1;
pub const SIGINT: c_int = 2;
pub const SIGQUIT: c_int = 3;
pub const SIG_IGN: usize = 1;

/// What `dladdr` returns.
#[repr(C)]
pub struct DlInfo {
    pub file_name: *const c_char,
    pub base: *mut c_void,
    pub symbol_name: *const c_char,
    pub symbol: *mut c_void,
}

impl Default for DlInfo {
    fn default() -> Self {
        let null = core::ptr::null_mut();
        Self { file_name: null, base: null.cast(), symbol_name: null, symbol: null.cast() }
    }
}

unsafe extern "C" {
    pub fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    pub fn __errno_location() -> *mut c_int;
    pub fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    pub fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn dladdr(address: *const c_void, info: *mut DlInfo) -> c_int;
    pub fn gettid() -> c_int;
    pub fn kill(process: c_int, signal: c_int) -> c_int;
    pub fn signal(signal: c_int, handler: usize) -> usize;
    pub fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    pub fn mmap(
        at: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: c_long,
    ) -> *mut c_void;
}

unsafe extern "C-unwind" {
    pub fn _Unwind_Backtrace(
        each: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    pub fn _Unwind_GetIP(context: *mut c_void) -> usize;
    pub fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}
