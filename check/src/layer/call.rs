//! A call of the program: where it came from, what the driver says of its thread and stream, and what its result means.

use std::cell::Cell;

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::lock::Section;
use crate::layer::process::process;
use crate::layer::report::Finding;
use crate::layer::state::note_lost;
use crate::rules::Rule;
use crate::shared::{DEPTH, Frames};
use crate::stack::frames;

/// A call of a wrapped function. It is the layer's section of the lock's discipline.
pub struct Call<'a> {
    pub name: &'static str,
    /// The driver's function, with the program's arguments.
    driver: &'a dyn Fn() -> CUresult,
    section: Section,
    /// Whether the driver succeeded, and so wrote what it writes.
    pub has_written: Cell<bool>,
}

impl<'a> Call<'a> {
    pub fn new(name: &'static str, driver: &'a dyn Fn() -> CUresult) -> Self {
        Self { name, driver, section: Section::begin(), has_written: Cell::new(false) }
    }

    /// Calls the driver. Not to be called under a lock, nor is `site`.
    pub fn driver(&self) -> CUresult {
        let code = self.section.without(self.driver);
        self.has_written.set(code == CUDA_SUCCESS);
        if is_sticky(code) {
            note_lost(self, code);
        }
        code
    }

    pub fn site(&self) -> Site {
        Site::here(self.name)
    }

    pub fn finding(&self, rule: Rule, text: impl Into<String>) -> Finding {
        Finding::new(rule, self.name, text)
    }

    /// A stream, where 0 is the default stream of all threads (1) or, for this function, of this one (2).
    pub fn stream(&self, handle: CUstream) -> usize {
        match handle.is_null() {
            true if self.name.ends_with("_ptsz") => 2,
            true => LEGACY,
            false => handle.addr(),
        }
    }
}

/// What a wrapped function returns: the driver's code, or the one in place of a call of the driver.
pub type Answer = Result<CUresult, CUresult>;

pub trait IntoCode {
    fn into_code(self) -> CUresult;
}

impl IntoCode for CUresult {
    fn into_code(self) -> CUresult {
        self
    }
}

impl IntoCode for Answer {
    fn into_code(self) -> CUresult {
        self.unwrap_or_else(|code| code)
    }
}

/// Where the program called a function.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pub call: &'static str,
    pub stack: Frames,
}

impl Site {
    /// This call, with its stack. Not to be called under a lock.
    pub fn here(call: &'static str) -> Self {
        let stack = process().map_or([0; DEPTH], |process| frames(process.shared));
        Self { call, stack }
    }
}

/// The number of this thread.
pub fn thread() -> i32 {
    // SAFETY: returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// The default stream of all threads.
pub const LEGACY: usize = 1;

/// What the driver says of a call, asked before the lock is taken.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The current context: 0 where there is none. None where the driver does not tell.
    pub current: Option<usize>,
    /// The context of the stream, where it is not a default one.
    pub of_stream: usize,
    pub is_capturing: bool,
}

impl Place {
    /// Of a call without a stream.
    pub fn of_thread() -> Self {
        Self { current: driver::current(), of_stream: 0, is_capturing: false }
    }

    /// Of a call in a stream, which is alive.
    pub fn of_stream(stream: usize) -> Self {
        let of_stream = if stream > 2 { driver::context_of(stream) } else { 0 };
        Self { of_stream, is_capturing: driver::is_capturing(stream), ..Self::of_thread() }
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
    let on = std::ptr::without_provenance_mut;
    let stream = |name, handle| Call::new(name, &|| CUDA_SUCCESS).stream(on(handle));
    assert_eq!((stream("cuGraphLaunch", 0), stream("cuGraphLaunch_ptsz", 0)), (1, 2));
    assert_eq!((stream("cuGraphLaunch", 0x70), stream("cuGraphLaunch_ptsz", 0x70)), (0x70, 0x70));
}

/// Waits. It is no cancellation point.
pub fn pause(microseconds: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: i64::from(microseconds) * 1000 };
    // SAFETY: a system call that reads the struct.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
}
