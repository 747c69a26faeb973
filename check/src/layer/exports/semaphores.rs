//! Signals and waits in streams.

use std::ffi::c_uint;

use cuda_external_sys::*;

use super::trace::traced;
use super::wrap;
use crate::layer::call::stream;
use crate::layer::semaphores::{self, Params};

macro_rules! functions {
    ($($name:ident: $pfn:ident($params:ty);)*) => {
        wrap! { $($name: $pfn(
            semaphores: *const CUexternalSemaphore,
            params: *const $params,
            count: c_uint,
            on: CUstream,
        ) |call, real| {
            // SAFETY: the program's arguments are as the driver needs them.
            traced(call, Some(stream(on, call)), || unsafe { shown(semaphores, params, count, on) }, || unsafe {
                semaphores::enqueue(call, semaphores, params, count, stream(on, call), real)
            })
        };)* }
    };
}

functions! {
    cuSignalExternalSemaphoresAsync: PFN_cuSignalExternalSemaphoresAsync(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);
    cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync_ptsz(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);
    cuWaitExternalSemaphoresAsync: PFN_cuWaitExternalSemaphoresAsync(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);
    cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync_ptsz(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);
}

/// The semaphores with their values.
unsafe fn shown<P: Params>(
    all: *const CUexternalSemaphore,
    params: *const P,
    count: c_uint,
    on: CUstream,
) -> String {
    // SAFETY: the caller's promise.
    let entries = unsafe { semaphores::read(all, params, count) };
    let shown = |(handle, params): &(u64, P)| {
        format!("{handle:#x}: value {}, flags {:#x}", params.value(), params.flags())
    };
    let shown: Vec<String> = entries.iter().flatten().map(shown).collect();
    format!("[{}], {count}, {on:?}", shown.join(", "))
}
