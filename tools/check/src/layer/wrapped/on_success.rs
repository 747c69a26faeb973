//! Records the effect of a successful call.

use cuda_external_sys::*;

use crate::layer::chassis::process_state::State;
use crate::layer::chassis::wrapped_call::Call;
use crate::layer::core_checks::graph_node_checks::written;

/// Runs a call, and notes what it changed where it succeeded.
pub fn noted(call: &mut Call<'_>, note: impl FnOnce(&mut State)) -> CUresult {
    let code = call.driver();
    if code == CUDA_SUCCESS {
        note(&mut call.state());
    }
    code
}

/// The same with the handle that the call wrote.
///
/// # Safety
///
/// The pointer is null, or a successful call writes to it.
pub unsafe fn made<T>(
    call: &mut Call<'_>,
    out: *mut *mut T,
    note: impl FnOnce(&mut State, usize),
) -> CUresult {
    noted(call, |state| {
        // SAFETY: the caller guarantees it.
        if let Some(handle) = unsafe { written(out) } {
            note(state, handle);
        }
    })
}
