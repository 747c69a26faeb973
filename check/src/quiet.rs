//! A section of code in which no signal handler runs and no cancellation acts in this thread.

use core::cell::Cell;
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ptr;

const DISABLE: c_int = 1;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// From `begin` until it is dropped. Signals of faults are not blocked: a fault would end the process without its handler.
pub struct Quiet(Cell<Before>);

type Before = (libc::sigset_t, c_int);

impl Quiet {
    pub fn begin() -> Self {
        Self(Cell::new(block()))
    }

    /// Runs code of others as it would run without the section.
    pub fn without<T>(&self, run: impl FnOnce() -> T) -> T {
        restore(self.0.get());
        let result = run();
        self.0.set(block());
        result
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        restore(self.0.get());
    }
}

fn block() -> Before {
    use libc::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    let (mut all, mut mask, mut cancel) = (MaybeUninit::uninit(), MaybeUninit::uninit(), 0);
    // SAFETY: sets of signals and a number, written before they are read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT] {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), mask.as_mut_ptr());
        pthread_setcancelstate(DISABLE, &mut cancel);
        (mask.assume_init(), cancel)
    }
}

/// A handler that was held back runs in the second call, and may leave it by siglongjmp.
fn restore((mask, cancel): Before) {
    // SAFETY: what `block` read.
    unsafe {
        pthread_setcancelstate(cancel, ptr::null_mut());
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, ptr::null_mut());
    }
}
