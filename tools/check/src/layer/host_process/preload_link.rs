//! The link to the preloaded library, which reports the program's calls of `close` and `_exit` to the layer.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::LazyWord;

use crate::close_watch::{CloseWatch, ProcessExitCallback};

/// Returns the data that the preloaded library shares with the layer, or `None` if that library is not loaded.
pub fn preloaded_close_watch() -> Option<&'static CloseWatch> {
    static WATCH: LazyWord = LazyWord::new();
    // SAFETY: the name is a C string literal.
    let find = || unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cuda_external_check_watch".as_ptr()).addr() };
    // SAFETY: the pointer is null, or points to the static that `find` looks up, which has the type `CloseWatch`.
    unsafe { (WATCH.get_or_find(find) as *const CloseWatch).as_ref() }
}

pub fn close_watch_address() -> usize {
    preloaded_close_watch().map_or(0, |watch| ptr::from_ref(watch).addr())
}

pub fn call_at_exit(on_exit: ProcessExitCallback) {
    if let Some(watch) = preloaded_close_watch() {
        watch.on_exit.store(on_exit as *mut c_void, Relaxed);
    }
}

pub fn set_watched(fd: i32, is_watched: bool) {
    if let Some(watch) = preloaded_close_watch() {
        watch.set_fd_watched(fd, is_watched);
    }
}
