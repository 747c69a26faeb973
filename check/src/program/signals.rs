//! Signals that come to this program and not to the checked one, and what a program inherits of them.

use std::ffi::{c_int, c_void};
use std::mem;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// The process that signals are passed on to.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// What the program would have inherited without the check.
pub struct Signals([(c_int, libc::sigaction); 2]);

impl Signals {
    /// This program waits for its child, also where its parent ignores SIGCHLD, and says that a file is too large.
    pub fn new() -> Self {
        Self([(libc::SIGCHLD, libc::SIG_DFL), (libc::SIGXFSZ, libc::SIG_IGN)].map(|(signal, handler)| {
            // SAFETY: structs of zeros but for the handler.
            unsafe {
                let (mut new, mut old) = (mem::zeroed::<libc::sigaction>(), mem::zeroed());
                new.sa_sigaction = handler;
                libc::sigaction(signal, &new, &mut old);
                (signal, old)
            }
        }))
    }

    pub fn restore_in(&self, command: &mut Command) {
        let actions = self.0;
        let restore = move || {
            // SAFETY: what `new` read.
            actions
                .iter()
                .for_each(|(signal, old)| unsafe { _ = libc::sigaction(*signal, old, ptr::null_mut()) });
            Ok(())
        };
        // SAFETY: sets the actions of signals, which the child of a fork may do.
        unsafe { command.pre_exec(restore) };
    }
}

/// The terminal sends its signals to the program too, which decides what becomes of them. Others are for this process alone.
extern "C" fn pass_on(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: the system's struct; sends a signal, which a handler may do.
    unsafe {
        if (*info).si_code <= 0 {
            libc::kill(CHILD.load(Ordering::Relaxed), signal);
        }
    }
}

/// From now on signals go to the child. Those that are ignored stay so.
pub fn pass_on_to(child: u32) {
    CHILD.store(child as i32, Ordering::Relaxed);
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGTERM] {
        // SAFETY: structs of zeros but for the handler, which does what handlers may do.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = pass_on as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, ptr::null_mut());
        }
    }
}
