//! A section of code in which no signal handler runs and no cancellation acts in this thread.

use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ptr;

const DISABLE: c_int = 1;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// From `begin` until it is dropped. Signals of faults are not blocked: a fault would end the process without its handler.
pub struct Quiet {
    mask: libc::sigset_t,
    cancel: c_int,
}

impl Quiet {
    pub fn begin() -> Self {
        const FAULTS: [c_int; 7] = [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGSYS,
            libc::SIGABRT,
        ];
        let (mut all, mut mask) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let mut cancel = 0;
        // SAFETY: sets of signals and a number, written before they are read.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            FAULTS.iter().for_each(|signal| _ = libc::sigdelset(all.as_mut_ptr(), *signal));
            libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), mask.as_mut_ptr());
            pthread_setcancelstate(DISABLE, &mut cancel);
            Self { mask: mask.assume_init(), cancel }
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // A handler that was held back runs in the second call, and may leave it by siglongjmp.
        // SAFETY: what `begin` read.
        unsafe {
            pthread_setcancelstate(self.cancel, ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask, ptr::null_mut());
        }
    }
}
