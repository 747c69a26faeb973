//! Calls functions of the driver, and records the effect of a call that succeeds.

use cuda_external_sys::*;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::WrappedCall;

pub fn on_success(call: &mut WrappedCall<'_>, note: impl FnOnce(&mut ProcessState)) -> CUresult {
    let code = call.call_driver();
    if code == CUDA_SUCCESS {
        note(&mut call.lock_state());
    }
    code
}

/// Calls a function of the driver that creates an object. If the call succeeds and `out` is not null, `note` gets the
/// new handle.
///
/// # Safety
///
/// The pointer is null, or a successful call writes to it.
pub unsafe fn on_created<T>(
    call: &mut WrappedCall<'_>,
    out: *mut *mut T,
    note: impl FnOnce(&mut ProcessState, usize),
) -> CUresult {
    on_success(call, |state| {
        // SAFETY: the call succeeded, and so it wrote to `out` unless that is null.
        if let Some(handle) = unsafe { written_handle(out) } {
            note(state, handle);
        }
    })
}

/// Returns the handle that a function of the driver wrote to `out`, or `None` if `out` is null.
///
/// # Safety
///
/// The pointer is null, or the call wrote to it.
pub unsafe fn written_handle<T>(out: *mut *mut T) -> Option<usize> {
    // SAFETY: `out` is not null, so the call wrote to it.
    (!out.is_null()).then(|| unsafe { *out }.addr())
}
