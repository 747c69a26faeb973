//! Stream capture: work that is enqueued in a stream becomes a graph ([`graph`]) and does not run.
//!
//! [`cuSignalExternalSemaphoresAsync`] and [`cuWaitExternalSemaphoresAsync`] can be captured in every
//! [mode](CUstreamCaptureMode). A signal of a binary or a timeline semaphore becomes a node of the type
//! [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL`], and a wait becomes a node of the type
//! [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT`]. The nodes have the values of the calls (*measured* on an H200, driver
//! 580.159.04; the manual does not say).
//!
//! **Every launch uses the values of the capture.** But a timeline must not be signaled twice with the same value.
//! [Find the nodes](crate::graph#the-nodes-of-a-captured-graph) and set new values before each further launch, by
//! [`cuGraphExecExternalSemaphoresSignalNodeSetParams`] and [`cuGraphExecExternalSemaphoresWaitNodeSetParams`].
//! Otherwise a second launch signals the same value again, and the driver reports no error (*measured* on an H200).

#[cfg(doc)]
use crate::*; // for the links

/// Which calls a capture forbids until it ends, for [`cuStreamBeginCapture_v2`].
///
/// The manual calls some functions unsafe during a capture, for example `cudaMalloc` ([`cuMemAlloc_v2`]): the graph
/// does not repeat the allocation. A call that the mode forbids returns [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`]
/// (*measured*) and invalidates the capture (*not verified*). With `cuThreadExchangeStreamCaptureMode` a thread can
/// exempt its calls.
///
/// - [`CU_STREAM_CAPTURE_MODE_GLOBAL`]: the capture forbids the unsafe functions in every thread.
/// - [`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`]: the capture forbids the unsafe functions in the thread that began it.
/// - [`CU_STREAM_CAPTURE_MODE_RELAXED`]: the capture does not forbid the unsafe functions.
#[doc(alias = "cudaStreamCaptureMode")]
pub use crate::bindings::CUstreamCaptureMode;
pub use crate::bindings::CUstreamCaptureMode_values::*;

/// Whether a stream is being captured, as [`cuStreamIsCapturing`] returns it.
///
/// - [`CU_STREAM_CAPTURE_STATUS_NONE`]: the stream is not being captured.
/// - [`CU_STREAM_CAPTURE_STATUS_ACTIVE`]: the stream is being captured.
/// - [`CU_STREAM_CAPTURE_STATUS_INVALIDATED`]: an error has invalidated the capture. [`cuStreamEndCapture`] must
///   still be called.
#[doc(alias = "cudaStreamCaptureStatus")]
pub use crate::bindings::CUstreamCaptureStatus;
pub use crate::bindings::CUstreamCaptureStatus_values::*;

export_functions! {
    /// Begins to capture a stream: what is enqueued in it is recorded and does not run.
    ///
    /// # Parameters
    ///
    /// - `hStream`: the stream. It must not be null (the default stream), and must not be in a capture.
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
    /// End the capture with [`cuStreamEndCapture`], in the same thread unless the mode is relaxed.
    #[doc(alias = "cudaStreamBeginCapture")]
    pub use crate::bindings::cuStreamBeginCapture_v2;

    /// Ends the capture of a stream and returns the graph.
    ///
    /// # Parameters
    ///
    /// - `phGraph`: receives the graph; null if the capture was invalidated.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`]: an error has invalidated the capture.
    /// - [`CUDA_ERROR_STREAM_CAPTURE_UNJOINED`]: another stream joined the capture by [`cuStreamWaitEvent`], and
    ///   `hStream` did not wait for an event recorded after that stream's last work.
    /// - [`CUDA_ERROR_STREAM_CAPTURE_UNMATCHED`]: the capture did not begin in `hStream`.
    /// - [`CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`]: another thread began the capture, and the mode is not relaxed. The
    ///   capture is over then (*measured* on driver 580.159.04).
    ///
    /// # Safety
    ///
    /// `phGraph` must be valid for writing a pointer, and the stream must not have been destroyed.
    ///
    /// Destroy the graph with [`cuGraphDestroy`].
    #[doc(alias = "cudaStreamEndCapture")]
    pub use crate::bindings::cuStreamEndCapture;

    /// Returns whether a stream is in a capture.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_STREAM_CAPTURE_IMPLICIT`]: the stream is null (the default stream), and a stream that
    ///   synchronizes with the default stream is in a capture.
    ///
    /// # Safety
    ///
    /// `captureStatus` must be valid for writing a [`CUstreamCaptureStatus`]. `hStream` must not have been destroyed.
    #[doc(alias = "cudaStreamIsCapturing")]
    pub use crate::bindings::cuStreamIsCapturing;

    // cuda.h defines this name as a macro for the versioned function.
    pub use crate::bindings::cuStreamBeginCapture;
}
