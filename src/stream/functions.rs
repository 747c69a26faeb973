//! The functions of [`crate::stream`].

#[cfg(doc)]
use crate::*; // for the links

/// Creates a stream in the current context.
///
/// # Parameters
///
/// - `phStream`: receives the stream.
/// - `Flags`: [`CU_STREAM_DEFAULT`], or [`CU_STREAM_NON_BLOCKING`] for a stream that does not synchronize
///   with the default stream. `.into()` converts them.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or an unknown flag.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_EXTERNAL_DEVICE`]: an external device reported an error.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `phStream` must be valid for writing a pointer.
///
/// # Example
///
/// ```no_run
/// # #[cfg(any(feature = "load", feature = "link"))]
/// # fn create() -> Result<cuda_external_sys::CUstream, cuda_external_sys::CUresult> {
/// use cuda_external_sys::*;
///
/// let mut stream = std::ptr::null_mut();
/// unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()? };
/// # Ok(stream)
/// # }
/// ```
///
/// Destroyed by [`cuStreamDestroy_v2`]. Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamCreateWithFlags")]
pub use crate::bindings::cuStreamCreate;

/// Returns whether all work of a stream is done, without waiting.
///
/// # Parameters
///
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_READY`]: the stream has unfinished work. It is not a failure.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `hStream` must be null or a stream that is not destroyed.
///
/// Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamQuery")]
pub use crate::bindings::cuStreamQuery;

/// Waits until all work of a stream is done.
///
/// It never returns while the stream waits for a semaphore that nobody signals.
///
/// # Parameters
///
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `hStream` must be null or a stream that is not destroyed.
///
/// Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamSynchronize")]
pub use crate::bindings::cuStreamSynchronize;

/// Destroys a stream. It returns at once; the work in the stream is still done.
///
/// It does not synchronize: what the work uses must live until the work is done.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, the default stream included.
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid argument.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The stream must come from [`cuStreamCreate`] and be destroyed only once.
///
/// Since CUDA 4.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamDestroy")]
pub use crate::bindings::cuStreamDestroy_v2;

/// [`cuStreamDestroy_v2`] by the name that C programs write. A macro in cuda.h renames it; here both names
/// are the same function.
pub use crate::bindings::cuStreamDestroy;
