//! Whether the driver may be called: it is a state of the process.

use cuda_external_in_process::{ForkStage, ForkState};
use cuda_external_sys::*;

use super::results::{CudaResult, ensure};

static STATE: ForkState = ForkState::new();

/// A child of fork has none of the threads, and another thread may have held the driver's locks.
extern "C" fn after_fork_in_child() {
    STATE.after_fork_in_child();
}

/// Functions of `atexit` that were registered before `cuInit` run after this. NVIDIA's driver is gone then (measured,
/// 580.159).
extern "C" fn at_exit() {
    STATE.mark_ended();
}

pub fn is_forked() -> bool {
    STATE.fork_stage() == ForkStage::Forked
}

pub fn initialize_driver() -> CudaResult {
    if STATE.mark_initialized() == ForkStage::Fresh {
        // SAFETY: both functions only set the state.
        let code =
            unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) | libc::atexit(at_exit) };
        ensure(code == 0, CUDA_ERROR_OUT_OF_MEMORY)?;
    }
    ensure_initialized()
}

pub fn ensure_initialized() -> CudaResult {
    match STATE.fork_stage() {
        ForkStage::Initialized => Ok(()),
        ForkStage::Ended => Err(CUDA_ERROR_DEINITIALIZED),
        ForkStage::Fresh | ForkStage::Forked => Err(CUDA_ERROR_NOT_INITIALIZED),
    }
}
