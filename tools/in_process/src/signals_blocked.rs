//! Sections in which a thread is not canceled, and runs no signal handlers but those of faults, SIGABRT and libc.

use core::ffi::c_int;
use core::ptr;

const DISABLE: c_int = 1;

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// The kernel's set of signals. libc's `sigset_t` has 128 bytes, too many for the stacks of some signal handlers.
pub type KernelSignalSet = u64;

/// Changes the set of signals that this thread blocks, and returns the earlier set.
pub fn change_signal_mask(how: c_int, signals: KernelSignalSet) -> KernelSignalSet {
    let mut before: KernelSignalSet = 0;
    let (signals, old) = (&raw const signals, &raw mut before);
    // SAFETY: the kernel reads `signals` and writes `before`; both have the size that this call passes.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, signals, old, size_of::<KernelSignalSet>()) };
    before
}

/// Disables this thread's cancellation until this value is dropped. The drop restores the earlier cancelability.
pub struct CancellationDisabled(c_int);

impl CancellationDisabled {
    pub fn disable_cancellation() -> Self {
        let mut before = 0;
        // SAFETY: the call writes the earlier state to `before`.
        unsafe { pthread_setcancelstate(DISABLE, &mut before) };
        Self(before)
    }
}

impl Drop for CancellationDisabled {
    fn drop(&mut self) {
        // SAFETY: `disable_cancellation` got this state from pthread_setcancelstate.
        unsafe { pthread_setcancelstate(self.0, ptr::null_mut()) };
    }
}

/// While this value lives, this thread cannot be canceled, and blocks the signals that [`Self::block_signals`] blocks.
pub struct SignalsBlocked(KernelSignalSet, Option<CancellationDisabled>);

impl SignalsBlocked {
    /// Blocks all signals but SIGABRT, libc's 32 and 33, and those of faults: a blocked fault would end the process.
    pub fn block_signals() -> Self {
        use libc::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
        let excepted = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, 32, 33];
        let all = excepted.iter().fold(!0, |all, signal| all & !(1 << (signal - 1)));
        Self(change_signal_mask(libc::SIG_BLOCK, all), Some(CancellationDisabled::disable_cancellation()))
    }
}

impl Drop for SignalsBlocked {
    /// Restores cancelability first: a pending signal's handler runs when the mask is restored, and may use siglongjmp.
    fn drop(&mut self) {
        self.1.take();
        change_signal_mask(libc::SIG_SETMASK, self.0);
    }
}
