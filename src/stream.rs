//! Streams, in which signals and waits are enqueued.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A stream: work that the device does in order. Null is the default stream.
///
/// A pointer of the driver's own, and the same as the runtime API's `cudaStream_t`. Other CUDA crates have
/// the same type under the same name; a pointer cast converts.
#[doc(alias = "cudaStream_t")]
pub use crate::bindings::CUstream;

/// What [`CUstream`] points to: known to the driver alone.
pub use crate::bindings::CUstream_st;

/// How a stream stands to the default stream, for [`cuStreamCreate`].
///
/// - [`CU_STREAM_DEFAULT`]: each waits for the other.
/// - [`CU_STREAM_NON_BLOCKING`]: neither does.
pub use crate::bindings::CUstream_flags;
pub use crate::bindings::CUstream_flags_values::*;
