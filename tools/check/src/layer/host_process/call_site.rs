//! Where the program called a function, and in which thread.

use cuda_external_in_process::HookScope;

use crate::call_stack::{capture_stack, has_new_files};
use crate::layer::host_process::current_process::active_check;
use crate::python_frames::find_interpreter;
use crate::shared_file::{DEPTH, StackFrames};

#[derive(Clone, Debug, Default)]
pub struct CallSite {
    pub call: &'static str,
    pub stack: StackFrames,
}

impl CallSite {
    /// This call, with its stack. The unwinder may take locks of the loader.
    pub fn capture_call_site(_unlocked: &mut HookScope, call: &'static str) -> Self {
        let Some(check) = active_check() else { return Self { call, stack: [0; DEPTH] } };
        let stack = capture_stack(check.shared);
        // One of them may be the interpreter of Python.
        let is_new = has_new_files() && find_interpreter();
        Self { call, stack: if is_new { capture_stack(check.shared) } else { stack } }
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
