//! Stream capture: recording what is enqueued in a stream into a graph ([`graph`]), instead of running it.
//!
//! [`cuSignalExternalSemaphoresAsync`] and [`cuWaitExternalSemaphoresAsync`] can be captured, in all three modes. A
//! signal of a binary or a timeline semaphore becomes a node of the type [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL`], and
//! a wait becomes a node of the type [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT`]. The nodes have the values of the calls
//! (*measured* on an H200, driver 580.159.04; the manual does not say).
//!
//! **Every launch uses the values of the capture.** A timeline semaphore must not be signaled twice with one value.
//! [Find the nodes](crate::graph#the-nodes-of-a-captured-graph) and set new values before each launch, by
//! [`cuGraphExecExternalSemaphoresSignalNodeSetParams`] and [`cuGraphExecExternalSemaphoresWaitNodeSetParams`].
//! Otherwise a second launch signals the same value again and succeeds (*measured* there).

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// What a capture forbids until it ends, for [`cuStreamBeginCapture_v2`].
///
/// Some calls may disturb a capture: [`cuMemAlloc_v2`], for example, may synchronize. Where a mode forbids it, the call
/// returns [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`] and invalidates the capture (*not verified*).
///
/// - [`CU_STREAM_CAPTURE_MODE_GLOBAL`]: such calls fail in every thread while this capture goes on.
/// - [`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`]: such calls fail in this thread.
/// - [`CU_STREAM_CAPTURE_MODE_RELAXED`]: such calls do not fail.
#[doc(alias = "cudaStreamCaptureMode")]
pub use crate::bindings::CUstreamCaptureMode;
pub use crate::bindings::CUstreamCaptureMode_values::*;

/// Whether a stream is being captured, as [`cuStreamIsCapturing`] returns it.
///
/// - [`CU_STREAM_CAPTURE_STATUS_NONE`]: it is not.
/// - [`CU_STREAM_CAPTURE_STATUS_ACTIVE`]: it is.
/// - [`CU_STREAM_CAPTURE_STATUS_INVALIDATED`]: an error has invalidated the capture. [`cuStreamEndCapture`] must
///   still be called.
#[doc(alias = "cudaStreamCaptureStatus")]
pub use crate::bindings::CUstreamCaptureStatus;
pub use crate::bindings::CUstreamCaptureStatus_values::*;
