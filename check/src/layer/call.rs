//! A call of the program: where it came from, what the driver says of its thread and stream, and what its result means.

use std::cell::Cell;

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::process::process;
use crate::shared::{DEPTH, Frames};
use crate::stack::frames;

/// A call of the program.
#[derive(Clone, Debug)]
pub struct Site {
    pub call: &'static str,
    pub thread: i32,
    pub stack: Frames,
}

impl Site {
    /// This call, with its stack. Not to be called under a lock.
    pub fn here(call: &'static str) -> Self {
        Self::of(call, thread())
    }

    /// The same in a signal handler, where nothing of the thread is kept.
    pub fn in_handler(call: &'static str) -> Self {
        Self::of(call, ask_thread())
    }

    fn of(call: &'static str, thread: i32) -> Self {
        let stack = process().map_or([0; DEPTH], |process| frames(process.shared));
        Self { call, thread, stack }
    }
}

thread_local! {
    static THREAD: Cell<i32> = const { Cell::new(0) };
}

/// The number of this thread.
pub fn thread() -> i32 {
    if THREAD.get() == 0 {
        THREAD.set(ask_thread());
    }
    THREAD.get()
}

fn ask_thread() -> i32 {
    // SAFETY: returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// After fork the thread has another number.
pub fn in_child() {
    THREAD.set(0);
}

/// The default stream of all threads.
pub const LEGACY: usize = 1;

/// A stream, where 0 is the default stream of all threads (1) or, for this function, of this one (2).
pub fn stream(handle: CUstream, call: &str) -> usize {
    match handle.is_null() {
        true if call.ends_with("_ptsz") => 2,
        true => LEGACY,
        false => handle.addr(),
    }
}

/// What the driver says of a call, asked before the lock is taken.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The current context: 0 where there is none. None where the driver does not tell.
    pub current: Option<usize>,
    /// The stream, and its context where it is not a default one.
    pub stream: usize,
    pub of_stream: usize,
    pub is_capturing: bool,
}

impl Place {
    /// Of a call without a stream.
    pub fn of_thread() -> Self {
        Self { current: driver::current(), stream: LEGACY, of_stream: 0, is_capturing: false }
    }

    /// Of a call in a stream, which is alive.
    pub fn of_stream(stream: usize) -> Self {
        let of_stream = if stream > 2 { driver::context_of(stream) } else { 0 };
        Self { stream, of_stream, is_capturing: driver::is_capturing(stream), ..Self::of_thread() }
    }

    pub fn context(&self) -> usize {
        self.current.unwrap_or(0)
    }
}

/// What stands for a stream: the default stream of a thread is another one in each thread.
pub fn key_of(stream: usize) -> usize {
    const PER_THREAD: usize = 2;
    if stream != PER_THREAD {
        return stream;
    }
    PER_THREAD | (thread() as usize) << 32
}

/// Whether every later call in the context returns this code too.
#[inline]
pub fn is_sticky(code: CUresult) -> bool {
    code != CUDA_SUCCESS
        && matches!(
            code,
            CUDA_ERROR_ILLEGAL_ADDRESS
                | CUDA_ERROR_LAUNCH_TIMEOUT
                | CUDA_ERROR_ASSERT
                | CUDA_ERROR_HARDWARE_STACK_ERROR
                | CUDA_ERROR_ILLEGAL_INSTRUCTION
                | CUDA_ERROR_MISALIGNED_ADDRESS
                | CUDA_ERROR_INVALID_ADDRESS_SPACE
                | CUDA_ERROR_INVALID_PC
                | CUDA_ERROR_LAUNCH_FAILED
                | CUDA_ERROR_ECC_UNCORRECTABLE
                | CUDA_ERROR_NVLINK_UNCORRECTABLE
                | CUDA_ERROR_EXTERNAL_DEVICE
                | CUDA_ERROR_CONTAINED
                | CUDA_ERROR_TENSOR_MEMORY_LEAK
        )
}

/// Whether an object is gone after a call that was to free it: also where the context is.
pub fn is_gone_after(code: CUresult) -> bool {
    code == CUDA_SUCCESS
        || is_sticky(code)
        || matches!(code, CUDA_ERROR_DEINITIALIZED | CUDA_ERROR_CONTEXT_IS_DESTROYED)
}

#[test]
fn the_default_stream_is_of_all_threads_or_of_one() {
    let default = std::ptr::null_mut();
    assert_eq!((stream(default, "cuGraphLaunch"), stream(default, "cuGraphLaunch_ptsz")), (1, 2));
    let created = std::ptr::without_provenance_mut(0x70);
    assert_eq!((stream(created, "cuGraphLaunch"), stream(created, "cuGraphLaunch_ptsz")), (0x70, 0x70));
}

/// Waits. It is no cancellation point.
pub fn pause(microseconds: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: i64::from(microseconds) * 1000 };
    // SAFETY: a system call that reads the struct.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
}
