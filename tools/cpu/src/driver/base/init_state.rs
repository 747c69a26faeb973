//! Whether this process can call the driver: only after `cuInit`, not in a child that is forked later, not at exit.

use cuda_external_in_process::{AtomicProcessStage, ProcessStage};
use cuda_external_sys::*;

use super::cuda_result::{CudaResult, ensure};

static STATE: AtomicProcessStage = AtomicProcessStage::new();

/// The driver cannot be used in a child of fork: the driver's threads do not exist there, and its locks may be held.
extern "C" fn after_fork_in_child() {
    STATE.after_fork_in_child();
}

/// Runs before the `atexit` functions registered before `cuInit`: NVIDIA's driver has ended when they run (measured).
extern "C" fn at_exit() {
    STATE.mark_process_ended();
}

pub fn is_forked() -> bool {
    STATE.process_stage() == ProcessStage::Forked
}

pub fn initialize_driver() -> CudaResult {
    if STATE.mark_driver_initialized() == ProcessStage::Fresh {
        // SAFETY: both registered functions only change an atomic.
        let code =
            unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) | libc::atexit(at_exit) };
        ensure(code == 0, CUDA_ERROR_OUT_OF_MEMORY)?;
    }
    ensure_initialized()
}

pub fn ensure_initialized() -> CudaResult {
    match STATE.process_stage() {
        ProcessStage::Initialized => Ok(()),
        ProcessStage::Ended => Err(CUDA_ERROR_DEINITIALIZED),
        ProcessStage::Fresh | ProcessStage::Forked => Err(CUDA_ERROR_NOT_INITIALIZED),
    }
}
