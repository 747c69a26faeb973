//! The functions that fill.

#[cfg(doc)]
use crate::*; // for the links

/// Fills device memory with a byte value.
///
/// It may return before the memory is filled. Later work in the default stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: the first address.
/// - `uc`: the value.
/// - `N`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context, or a range that
///   exceeds it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemset")]
pub use crate::bindings::cuMemsetD8_v2;

pub use crate::bindings::cuMemsetD8;

/// Asynchronously fills device memory with a byte value.
///
/// # Parameters
///
/// - `dstDevice`: the first address.
/// - `uc`: the value.
/// - `N`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context, or a range that
///   exceeds it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid until the memory is filled.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemsetAsync")]
pub use crate::bindings::cuMemsetD8Async;

/// Fills device memory with a 32-bit value.
///
/// It may return before the memory is filled. Later work in the default stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: the first address, aligned to 4 bytes.
/// - `ui`: the value.
/// - `N`: how many 32-bit values.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context or is not aligned, or a
///   range that exceeds it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
pub use crate::bindings::cuMemsetD32_v2;

pub use crate::bindings::cuMemsetD32;

/// Asynchronously fills device memory with a 32-bit value.
///
/// # Parameters
///
/// - `dstDevice`: the first address, aligned to 4 bytes.
/// - `ui`: the value.
/// - `N`: how many 32-bit values.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context or is not aligned, or a
///   range that exceeds it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid until the memory is filled.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
pub use crate::bindings::cuMemsetD32Async;
