//! Where the program called a function, and in which thread.

use cuda_external_in_process::Section;

use crate::call_stack::frames;
use crate::layer::host_process::current_process::check;
use crate::shared_file::{DEPTH, Frames};

#[derive(Clone, Debug, Default)]
pub struct Site {
    pub call: &'static str,
    pub stack: Frames,
}

impl Site {
    /// This call, with its stack. The unwinder may take locks of the loader.
    pub fn here(_unlocked: &mut Section, call: &'static str) -> Self {
        let stack = check().map_or([0; DEPTH], |check| frames(check.shared));
        Self { call, stack }
    }
}

/// The number of this thread.
pub fn thread() -> i32 {
    // SAFETY: the function only returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Waits for this many microseconds, in a system call that is not a cancellation point.
pub fn pause(microseconds: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: i64::from(microseconds) * 1000 };
    // SAFETY: the system call only reads the struct.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
}
