//! Passes signals on from the check to the checked program, and restores the signal settings that the program inherits.
//!
//! The check blocks the signals until it can pass them on. Otherwise an early signal would end only the check.

use std::ffi::{c_int, c_void};
use std::mem;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

const PASSED_ON: [c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGTERM];

/// The program's process id. `start_signal_forwarding` clears it before `Child::wait` reads the exit status, since
/// another process may get the id after that.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// The signal settings that the program would have inherited without the check.
pub struct InheritedSignals {
    actions: [(c_int, libc::sigaction); 2],
    mask: libc::sigset_t,
}

impl InheritedSignals {
    /// Blocks the signals in `PASSED_ON`. Sets SIGCHLD to its default: if SIGCHLD is ignored, the program's exit status
    /// is lost. Ignores SIGXFSZ, so that a write past the limit on file sizes returns an error. Returns the earlier
    /// settings.
    pub fn hold_forwarded_signals() -> Self {
        let actions = [(libc::SIGCHLD, libc::SIG_DFL), (libc::SIGXFSZ, libc::SIG_IGN)];
        let actions = actions.map(|(signal, handler)| (signal, set_signal_action(signal, handler, 0)));
        // SAFETY: zeros are valid for sets of signals, and each pointer is to one set.
        unsafe {
            let (mut held, mut mask) = (mem::zeroed(), mem::zeroed());
            libc::sigemptyset(&mut held);
            for signal in PASSED_ON {
                libc::sigaddset(&mut held, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &held, &mut mask);
            Self { actions, mask }
        }
    }

    pub fn restore_signals_in_child(&self, command: &mut Command) {
        let (actions, mask) = (self.actions, self.mask);
        let restore = move || {
            for (signal, old) in &actions {
                // SAFETY: `hold_forwarded_signals` read this action from the system.
                unsafe { libc::sigaction(*signal, old, ptr::null_mut()) };
            }
            // SAFETY: `hold_forwarded_signals` read this mask from the system.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &mask, ptr::null_mut()) };
            Ok(())
        };
        // SAFETY: both calls are async-signal-safe, so the child of a fork may make them.
        unsafe { command.pre_exec(restore) };
    }

    /// Passes on to the child each signal in `PASSED_ON` that a process sends, until the child has ended. Restores the
    /// inherited signal mask in the calling thread only. Start other threads after `hold_forwarded_signals` and before
    /// this call: the signals stay blocked in those threads, so that the calling thread receives the signals.
    pub fn start_signal_forwarding(&self, child: &Child) {
        CHILD.store(child.id() as i32, Ordering::Relaxed);
        let handler = forward_signal_to_child as *const () as usize;
        for signal in PASSED_ON {
            set_signal_action(signal, handler, libc::SA_SIGINFO | libc::SA_RESTART);
        }
        // SAFETY: `hold_forwarded_signals` read the mask from the system. Zeros are valid for the struct of `waitid`.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask, ptr::null_mut());
            let mut ended = mem::zeroed();
            let child = child.id() as libc::id_t;
            // WNOWAIT leaves the exit status unread, so that the child keeps its process id until `CHILD` is 0.
            while libc::waitid(libc::P_PID, child, &mut ended, libc::WEXITED | libc::WNOWAIT) != 0 {
                if *libc::__errno_location() != libc::EINTR {
                    break;
                }
            }
        }
        CHILD.store(0, Ordering::Relaxed);
    }
}

/// Sets the default actions of the signals in `PASSED_ON`: from now on these signals end the check.
pub fn stop_signal_forwarding() {
    for signal in PASSED_ON {
        set_signal_action(signal, libc::SIG_DFL, 0);
    }
}

fn set_signal_action(signal: c_int, handler: usize, flags: c_int) -> libc::sigaction {
    // SAFETY: zeros are valid for the structs. The handler is SIG_DFL, SIG_IGN or a function that calls only `kill`.
    unsafe {
        let (mut new, mut old) = (mem::zeroed::<libc::sigaction>(), mem::zeroed());
        new.sa_sigaction = handler;
        new.sa_flags = flags;
        libc::sigaction(signal, &new, &mut old);
        old
    }
}

/// Passes on a signal that a process sent. Ignores a signal of the terminal, which the program receives itself.
extern "C" fn forward_signal_to_child(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    let child = CHILD.load(Ordering::Relaxed);
    // SAFETY: the system passes a valid `info`, and `kill` is async-signal-safe.
    unsafe {
        if (*info).si_code <= 0 && child != 0 {
            libc::kill(child, signal);
        }
    }
}
