//! The functions of [`crate::capture`].

#[cfg(doc)]
use crate::*; // for the links

/// Begins to capture a stream: what is enqueued in it is recorded and does not run.
///
/// # Parameters
///
/// - `hStream`: the stream. It must not be the default stream, and must not be in a capture.
/// - `mode`: what the capture forbids until it ends.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an unknown mode.
/// - [`CUDA_ERROR_ILLEGAL_STATE`]: the stream is in a capture.
/// - [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`]: the default stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The stream must not be destroyed before the capture ends.
///
/// # Example
///
/// ```no_run
/// # #[cfg(any(feature = "load", feature = "link"))]
/// # fn main() -> Result<(), cuda_external_sys::CUresult> {
/// use cuda_external_sys::*;
///
/// /// Captures a fill of `size` bytes and a signal of `value` after it.
/// unsafe fn capture(
///     stream: CUstream,
///     semaphore: CUexternalSemaphore,
///     value: u64,
///     address: CUdeviceptr,
///     size: usize,
/// ) -> Result<CUgraph, CUresult> {
///     let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
///     signal.params.fence.value = value;
///     let mut graph = std::ptr::null_mut();
///     unsafe {
///         cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).result()?;
///         cuMemsetD8Async(address, 7, size, stream).result()?;
///         cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream).result()?;
///         cuStreamEndCapture(stream, &mut graph).result()?;
///     }
///     Ok(graph)
/// }
/// # let null = std::ptr::null_mut();
/// # unsafe { capture(null, null.cast(), 1, 0, 0) }.map(drop)
/// # }
/// ```
///
/// End it with [`cuStreamEndCapture`], in the same thread unless the mode is relaxed. Since CUDA 10.1. Source:
/// driver API manual, "Stream Management".
#[doc(alias = "cudaStreamBeginCapture")]
pub use crate::bindings::cuStreamBeginCapture_v2;

pub use crate::bindings::cuStreamBeginCapture;

/// Ends the capture of a stream and returns the graph.
///
/// # Parameters
///
/// - `hStream`: the stream that the capture began in.
/// - `phGraph`: receives the graph; null if the capture was invalidated.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - [`CUDA_ERROR_ILLEGAL_STATE`]: the stream is not in a capture.
/// - [`CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`]: an error has invalidated the capture.
/// - [`CUDA_ERROR_STREAM_CAPTURE_UNJOINED`]: another stream joined the capture by [`cuStreamWaitEvent`], and
///   this stream did not wait for its last work the same way.
/// - [`CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`]: another thread began the capture, and the mode is not relaxed. The
///   capture is over then (*measured* on driver 580.159.04).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `phGraph` must be valid for writing a pointer, and the stream must not be destroyed.
///
/// The graph is destroyed by [`cuGraphDestroy`]. Since CUDA 10.0. Source: driver API manual, "Stream
/// Management".
#[doc(alias = "cudaStreamEndCapture")]
pub use crate::bindings::cuStreamEndCapture;

/// Returns whether a stream is in a capture.
///
/// # Parameters
///
/// - `hStream`: the stream.
/// - `captureStatus`: receives the status.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - [`CUDA_ERROR_STREAM_CAPTURE_IMPLICIT`]: the stream is the default stream, and a stream that synchronizes
///   with it is in a capture.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `captureStatus` must be valid for writing a [`CUstreamCaptureStatus`], and the stream must not be destroyed.
///
/// Since CUDA 10.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamIsCapturing")]
pub use crate::bindings::cuStreamIsCapturing;
