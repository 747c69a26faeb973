//! Whether the driver may be called: it is a state of the process.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

use cuda_external_sys::*;

use super::results::{CudaResult, ensure};

/// Before `cuInit`.
const NEW: u8 = 0;
const READY: u8 = 1;
/// A child of fork, which has none of the threads. What needs the driver is refused there: another thread may have held its locks.
const FORKED: u8 = 2;
/// Functions of `atexit` that were registered before `cuInit` run now. NVIDIA's driver is gone then (measured, 580.159).
const ENDED: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(NEW);

extern "C" fn forked() {
    STATE.store(FORKED, SeqCst);
}

extern "C" fn ended() {
    // A child of fork stays one.
    let _ = STATE.compare_exchange(READY, ENDED, SeqCst, SeqCst);
}

pub fn is_forked() -> bool {
    STATE.load(SeqCst) == FORKED
}

/// Makes the driver ready: the first time, and not in a child of fork.
pub fn initialize() -> CudaResult {
    if STATE.compare_exchange(NEW, READY, SeqCst, SeqCst).is_ok() {
        // SAFETY: both functions only set the state.
        let code = unsafe { libc::pthread_atfork(None, None, Some(forked)) | libc::atexit(ended) };
        ensure(code == 0, CUDA_ERROR_OUT_OF_MEMORY)?;
    }
    ensure_initialized()
}

pub fn ensure_initialized() -> CudaResult {
    match STATE.load(SeqCst) {
        READY => Ok(()),
        ENDED => Err(CUDA_ERROR_DEINITIALIZED),
        _ => Err(CUDA_ERROR_NOT_INITIALIZED),
    }
}
