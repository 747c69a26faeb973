//! The functions of [`crate::error`].

#[cfg(doc)]
use crate::*; // for the links

/// Returns the name of an error, for example `CUDA_ERROR_INVALID_VALUE`.
///
/// It may be called before [`cuInit`]. `{}` and `{:?}` of a [`CUresult`] print the name without the driver, which may be
/// missing or too old to know the code. *Measured*: a toolkit's stub library crashes in this function.
///
/// # Parameters
///
/// - `error`: the code.
/// - `pStr`: receives the address of the text: ASCII with a zero at its end. The text belongs to the
///   driver, never changes and is never freed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is then null.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pStr` must be valid for writing a pointer.
///
/// Since CUDA 6.0. Source: driver API manual, "Error Handling".
#[doc(alias = "cudaGetErrorName")]
pub use crate::bindings::cuGetErrorName;

/// Returns a description of an error, in English.
///
/// Without a driver this function fails like any other. `{}` of a [`CUresult`] needs no driver: it prints the name and
/// the number.
///
/// It may be called before [`cuInit`].
///
/// # Parameters
///
/// - `error`: the code.
/// - `pStr`: receives the address of the text: ASCII with a zero at its end. The text belongs to the
///   driver, never changes and is never freed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is then null.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pStr` must be valid for writing a pointer.
///
/// Since CUDA 6.0. Source: driver API manual, "Error Handling".
#[doc(alias = "cudaGetErrorString")]
pub use crate::bindings::cuGetErrorString;
