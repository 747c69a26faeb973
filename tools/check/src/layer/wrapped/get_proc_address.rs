//! cuGetProcAddress, which returns the layer's function in place of the driver's if the layer wraps the function.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

use cuda_external_sys::*;

use super::{copy_functions, external_objects, graph_calls, lifetime_functions};
use crate::layer::chassis::wrapped_call::{WrappedCall, WrappedFunction, wrap};

pub fn wrapped_functions() -> impl Iterator<Item = &'static WrappedFunction> {
    let all = [
        external_objects::WRAPPED_FUNCTIONS,
        graph_calls::WRAPPED_FUNCTIONS,
        copy_functions::WRAPPED_FUNCTIONS,
        lifetime_functions::WRAPPED_FUNCTIONS,
        super::launch_functions::WRAPPED_FUNCTIONS,
        super::sync_calls::WRAPPED_FUNCTIONS,
        WRAPPED_FUNCTIONS,
    ];
    all.into_iter().flatten().copied()
}

/// Calls the driver. If the layer wraps the function that the driver returns, writes the layer's function to `out`. The
/// layer knows the driver's function by its address: the driver's cuGetProcAddress returns the address of a symbol that
/// the driver exports.
///
/// # Safety
///
/// `out` is null, or a successful call writes to it.
unsafe fn replace_found_function(call: &mut WrappedCall<'_>, out: *mut *mut c_void) -> CUresult {
    let code = call.call_driver();
    // SAFETY: `out` is read only if it is not null and the call succeeded: then the call has written to `out`.
    unsafe {
        if code == CUDA_SUCCESS && !out.is_null() && !(*out).is_null() {
            let same = wrapped_functions().find(|wrapped| wrapped.real.driver_address() == *out);
            if let Some(wrapped) = same {
                *out = wrapped.function.cast_mut();
            }
        }
    }
    code
}

wrap! {
    cuGetProcAddress_v2(
        symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: c_ulonglong, status: *mut c_uint,
    ) |call| replace_found_function(call, out);
    cuGetProcAddress(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: c_ulonglong) |call|
        replace_found_function(call, out);
}
