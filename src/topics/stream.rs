//! Streams, in which copies, signals and waits are enqueued.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A stream: work that the device does in order. Null is the default stream.
///
/// An opaque handle of the driver: never dereference it. It is the same as the runtime API's `cudaStream_t`.
/// [Any thread](crate::context#contexts-and-threads) may use it. `.cast()` converts another crate's `CUstream`, which is the same pointer.
#[doc(alias = "cudaStream_t")]
pub use crate::bindings::CUstream;

/// The driver's private type behind [`CUstream`].
pub use crate::bindings::CUstream_st;

/// Whether a stream synchronizes with the default stream, for [`cuStreamCreate`].
///
/// - [`CU_STREAM_DEFAULT`]: the stream and the default stream wait for each other's earlier work.
/// - [`CU_STREAM_NON_BLOCKING`]: neither waits for the other.
pub use crate::bindings::CUstream_flags;
pub use crate::bindings::CUstream_flags_values::*;
