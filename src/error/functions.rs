//! The functions of [`crate::error`].

#[cfg(doc)]
use crate::*; // for the links

/// Gives the name of an error, `CUDA_ERROR_INVALID_VALUE` for example.
///
/// `{:?}` of a [`CUresult`] prints the name too, without the driver, which may be missing or too old to
/// know the code. A toolkit's stub library crashes in cuGetErrorName.
///
/// # Parameters
///
/// - `error`: the code.
/// - `pStr`: where the address of the text is put: ASCII with a zero at its end. It is the driver's, never
///   changes and is never freed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is null then.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 6.0. Source: driver API manual, "Error Handling".
#[doc(alias = "cudaGetErrorName")]
pub use crate::bindings::cuGetErrorName;

/// Gives a sentence on an error, in English.
///
/// It may be called before [`cuInit`].
///
/// # Parameters
///
/// - `error`: the code.
/// - `pStr`: where the address of the text is put: ASCII with a zero at its end. It is the driver's, never
///   changes and is never freed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is null then.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 6.0. Source: driver API manual, "Error Handling".
#[doc(alias = "cudaGetErrorString")]
pub use crate::bindings::cuGetErrorString;
