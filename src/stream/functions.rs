//! The functions of [`crate::stream`].

#[cfg(doc)]
use crate::*; // for the links

/// Makes a stream in the current context.
///
/// # Parameters
///
/// - `phStream`: where the stream is put.
/// - `Flags`: [`CU_STREAM_DEFAULT`], or [`CU_STREAM_NON_BLOCKING`] for one that neither waits for the
///   default stream nor makes it wait; as a number, `.0`.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or an unknown flag.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuStreamDestroy_v2`]. Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamCreateWithFlags")]
pub use crate::bindings::cuStreamCreate;

/// Asks whether all work of a stream is done, without waiting.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_READY`]: not yet. An answer, not a failure.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `hStream` must be a stream of the current context that is not destroyed, or null for the default stream.
///
/// Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamQuery")]
pub use crate::bindings::cuStreamQuery;

/// Waits until all work of a stream is done.
///
/// Where the stream waits for a semaphore that nobody signals, it never returns.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `hStream` must be a stream of the current context that is not destroyed, or null for the default stream.
///
/// Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamSynchronize")]
pub use crate::bindings::cuStreamSynchronize;

/// Frees a stream. Returns at once; work that is in it is still done.
///
/// That is no synchronization: what the work uses must live until it is over.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuStreamCreate`] and be destroyed once only.
///
/// Since CUDA 4.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cuStreamDestroy")]
#[doc(alias = "cudaStreamDestroy")]
pub use crate::bindings::cuStreamDestroy_v2;

pub use crate::bindings::cuStreamDestroy;
