//! The functions that copy a range of bytes.

#[cfg(doc)]
use crate::*; // for the links

/// Copies bytes from host memory to device memory.
///
/// With pageable memory, the call may return before the bytes have arrived: [when a copy
/// returns](crate::semaphore#when-a-copy-returns).
///
/// # Parameters
///
/// - `dstDevice`: the destination.
/// - `srcHost`: the source.
/// - `ByteCount`: bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context, or a range that
///   exceeds it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpyHtoD_v2;

pub use crate::bindings::cuMemcpyHtoD;

/// Asynchronously copies bytes from host memory to device memory.
///
/// If the host memory is pageable, the call may copy it to staging memory, and wait for the stream, before it returns.
///
/// # Parameters
///
/// - `dstDevice`: the destination.
/// - `srcHost`: the source.
/// - `ByteCount`: bytes.
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
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpyAsync")]
pub use crate::bindings::cuMemcpyHtoDAsync_v2;

pub use crate::bindings::cuMemcpyHtoDAsync;

/// Copies bytes from device memory to host memory. It returns when the copy is done.
///
/// # Parameters
///
/// - `dstHost`: the destination.
/// - `srcDevice`: the source.
/// - `ByteCount`: bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context, or a range that
///   exceeds it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpyDtoH_v2;

pub use crate::bindings::cuMemcpyDtoH;

/// Asynchronously copies bytes from device memory to host memory.
///
/// If the host memory is pageable, the call may block until the copy is done. If the stream waits for a semaphore,
/// that includes the wait.
///
/// # Parameters
///
/// - `dstHost`: the destination.
/// - `srcDevice`: the source.
/// - `ByteCount`: bytes.
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
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpyAsync")]
pub use crate::bindings::cuMemcpyDtoHAsync_v2;

pub use crate::bindings::cuMemcpyDtoHAsync;

/// Copies bytes from device memory to device memory.
///
/// It may return before the copy is done. Later work in the default stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: the destination.
/// - `srcDevice`: the source.
/// - `ByteCount`: bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is not device memory of this context, or a range that
///   exceeds it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpyDtoD_v2;

pub use crate::bindings::cuMemcpyDtoD;

/// Asynchronously copies bytes from device memory to device memory.
///
/// # Parameters
///
/// - `dstDevice`: the destination.
/// - `srcDevice`: the source.
/// - `ByteCount`: bytes.
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
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpyAsync")]
pub use crate::bindings::cuMemcpyDtoDAsync_v2;

pub use crate::bindings::cuMemcpyDtoDAsync;

/// Copies bytes between two addresses, of the device or of the host.
///
/// The driver determines from each address whether it is host or device memory. The other functions, such as
/// [`cuMemcpyHtoD_v2`], have this in their names, and take host memory as pointers.
///
/// # Parameters
///
/// - `dst`: the destination.
/// - `src`: the source.
/// - `ByteCount`: bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid address or size.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both addresses must be valid for `ByteCount` bytes, and host memory must outlive the copy.
///
/// Since CUDA 4.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpy;
