//! Where the program called a function, and in which thread.

use cuda_external_in_process::HookScope;

use crate::call_stack::capture_stack;
use crate::layer::host_process::current_process::active_check;
use crate::shared_file::{DEPTH, StackFrames};

#[derive(Clone, Debug, Default)]
pub struct CallSite {
    pub call: &'static str,
    pub stack: StackFrames,
}

impl CallSite {
    /// This call, with its stack. The unwinder may take locks of the loader.
    pub fn capture(_unlocked: &mut HookScope, call: &'static str) -> Self {
        let stack = active_check().map_or([0; DEPTH], |check| capture_stack(check.shared));
        Self { call, stack }
    }
}

pub fn thread_id() -> i32 {
    // SAFETY: the function only returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Waits for this many microseconds, in a system call that is not a cancellation point.
pub fn sleep_microseconds(microseconds: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: i64::from(microseconds) * 1000 };
    // SAFETY: the system call only reads the struct.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
}
