//! The functions of [`crate::context`].

#[cfg(doc)]
use crate::*; // for the links

/// Takes a reference to a device's primary context, making the context where there is none yet.
///
/// It does not become current by this: [`cuCtxSetCurrent`] follows.
///
/// # Parameters
///
/// - `pctx`: where the context is put.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuDevicePrimaryCtxRelease_v2`], once for each call. Since CUDA 7.0. Source: driver API
/// manual, "Primary Context Management".
#[doc(alias = "cudaSetDevice")]
pub use crate::bindings::cuDevicePrimaryCtxRetain;

/// Gives a reference to a device's primary context back. With the last one the context goes, and everything
/// in it.
///
/// Imports, mappings and streams of the context must be gone before.
///
/// # Parameters
///
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: there is no reference to give back.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the context after the last reference is given back.
///
/// Since CUDA 11.0. Source: driver API manual, "Primary Context Management".
#[doc(alias = "cuDevicePrimaryCtxRelease")]
pub use crate::bindings::cuDevicePrimaryCtxRelease_v2;

/// Makes a context the calling thread's current one.
///
/// Each thread has its own current context, at first none. Nearly every function of this crate works in it.
///
/// # Parameters
///
/// - `ctx`: the context; null for none.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: it is no context.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The context must not have been destroyed.
///
/// Since CUDA 4.0. Source: driver API manual, "Context Management".
#[doc(alias = "cudaSetDevice")]
pub use crate::bindings::cuCtxSetCurrent;

/// Gives the calling thread's current context.
///
/// # Parameters
///
/// - `pctx`: where the context is put; null where there is none, which is no error.
///
/// # Errors
///
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 4.0. Source: driver API manual, "Context Management".
#[doc(alias = "cudaGetDevice")]
pub use crate::bindings::cuCtxGetCurrent;

/// Waits until all work of the current context is done.
///
/// Where a stream waits for a semaphore that nobody signals, it never returns.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: no context is current.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// None of its own: it takes no pointer.
///
/// Since CUDA 2.0. Source: driver API manual, "Context Management".
#[doc(alias = "cudaDeviceSynchronize")]
pub use crate::bindings::cuCtxSynchronize;

pub use crate::bindings::{cuCtxGetDevice, cuCtxPopCurrent_v2, cuCtxPushCurrent_v2};

pub use crate::bindings::{cuCtxPopCurrent, cuCtxPushCurrent, cuDevicePrimaryCtxRelease};
