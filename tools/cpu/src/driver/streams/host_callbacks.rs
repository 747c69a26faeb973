//! The program's functions that run in streams' threads.

use std::cell::Cell;
use std::ptr::with_exposed_provenance_mut;

use cuda_external_in_process::{KernelSignalSet, change_signal_mask};

use super::queued_work::QueuedWork;
use crate::driver::base::driver_call::run_refusing_driver_calls;
use crate::driver::base::prelude::*;

thread_local! {
    /// In a stream's thread, the signal mask of the thread that created the stream.
    static CALLBACK_SIGNAL_MASK: Cell<KernelSignalSet> = const { Cell::new(0) };
}

pub fn current_signal_mask() -> KernelSignalSet {
    change_signal_mask(libc::SIG_BLOCK, 0)
}

/// Sets the signal mask with which this stream's thread runs the program's functions.
pub fn set_callback_signal_mask(mask: KernelSignalSet) {
    CALLBACK_SIGNAL_MASK.set(mask);
}

pub type StreamCallback = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);

pub fn host_function_work(function: CUhostFn, argument: *mut c_void) -> CudaResult<QueuedWork> {
    let function = function.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let argument = argument.expose_provenance();
    // SAFETY: the program passed the function with this argument, to be called in another thread.
    Ok(callback_work(move || unsafe { function(with_exposed_provenance_mut(argument)) }))
}

pub fn stream_callback_work(
    function: Option<StreamCallback>,
    stream: CUstream,
    argument: *mut c_void,
) -> CudaResult<QueuedWork> {
    let function = function.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let (stream, argument) = (stream.expose_provenance(), argument.expose_provenance());
    // SAFETY: the program passed this function, argument and stream for a call in another thread.
    Ok(callback_work(move || unsafe {
        function(with_exposed_provenance_mut(stream), CUDA_SUCCESS, with_exposed_provenance_mut(argument));
    }))
}

/// Makes work that runs a function with the signal mask of the thread that created the stream, since child processes
/// inherit the mask. Most driver calls in the function return an error.
fn callback_work(function: impl Fn() + Send + Sync + 'static) -> QueuedWork {
    QueuedWork::new(CU_GRAPH_NODE_TYPE_HOST, function, |function| {
        let own = change_signal_mask(libc::SIG_SETMASK, CALLBACK_SIGNAL_MASK.get());
        run_refusing_driver_calls(function);
        change_signal_mask(libc::SIG_SETMASK, own);
        Ok(())
    })
}
