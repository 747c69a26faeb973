//! A call of the program's: where it came from, and what its result means.

use std::cell::Cell;

use cuda_external_sys::*;

use crate::stack::{Frames, Stack, frames, stack};
use crate::sys;

/// A call of the program's.
#[derive(Clone, Debug)]
pub struct Site {
    pub call: &'static str,
    pub thread: i32,
    pub stack: Frames,
}

/// A call that made or ended an object. Its stack is shared with what else came from there.
#[derive(Clone, Debug)]
pub struct Origin {
    pub call: &'static str,
    pub stack: Stack,
}

thread_local! {
    static THREAD: Cell<i32> = const { Cell::new(0) };
}

/// The number of this thread, which is asked for once.
pub fn thread() -> i32 {
    // SAFETY: returns a number.
    let ask = || unsafe { sys::gettid() };
    THREAD
        .try_with(|thread| {
            if thread.get() == 0 {
                thread.set(ask());
            }
            thread.get()
        })
        .unwrap_or_else(|_| ask())
}

/// This call, with its stack.
pub fn site(call: &'static str) -> Site {
    Site { call, thread: thread(), stack: frames() }
}

/// This call, as what an object keeps of it.
pub fn origin(call: &'static str) -> Origin {
    Origin { call, stack: stack() }
}

/// In a forked process, whose thread has another number.
pub fn in_forked_process() {
    _ = THREAD.try_with(|thread| thread.set(0));
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
