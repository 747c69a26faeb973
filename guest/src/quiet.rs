//! A section of code in which no signal handler runs and no cancellation acts in this thread.

use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ptr;

const DISABLE: c_int = 1;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// A thread is quiet from `begin` until this value is dropped, which restores the thread's earlier signal mask and
/// cancelability.
pub struct Quiet(libc::sigset_t, c_int);

impl Quiet {
    /// Holds signals back. Those of faults are not blocked: a fault would end the process without its handler.
    pub fn begin() -> Self {
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
            Self(mask.assume_init(), cancel)
        }
    }
}

impl Quiet {
    /// The signals that the thread blocks otherwise.
    #[cfg(feature = "std")]
    pub(crate) fn mask(&self) -> libc::sigset_t {
        self.0
    }
}

impl Drop for Quiet {
    /// A handler that was held back runs in the second call, and may leave it by siglongjmp.
    fn drop(&mut self) {
        // SAFETY: what `begin` read.
        unsafe {
            pthread_setcancelstate(self.1, ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut());
        }
    }
}
