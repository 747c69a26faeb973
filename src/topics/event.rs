//! Events: the order of work in different streams, and the time that it takes.
//!
//! An event orders CUDA's own work, and cannot be shared with another API. [Semaphores](crate::semaphore) can be
//! shared.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// An event: it stands for the work that was in a stream when the event was recorded.
///
/// An opaque handle of the driver: never dereference it. It is the same as the runtime API's `cudaEvent_t`. [Any
/// thread](crate::context#contexts-and-threads) may use it.
#[doc(alias = "cudaEvent_t")]
pub use crate::bindings::CUevent;

/// The driver's private type behind [`CUevent`].
pub use crate::bindings::CUevent_st;

/// What an event is for, as bits for [`cuEventCreate`].
///
/// - [`CU_EVENT_DEFAULT`]: 0. [`cuEventElapsedTime`] can be used, and waiting threads spin.
/// - [`CU_EVENT_BLOCKING_SYNC`]: threads that wait for it sleep.
/// - [`CU_EVENT_DISABLE_TIMING`]: the time is not recorded; the cheapest kind where only the order matters.
/// - [`CU_EVENT_INTERPROCESS`]: for sharing with another process; [`CU_EVENT_DISABLE_TIMING`] must be set too.
pub use crate::bindings::CUevent_flags;
pub use crate::bindings::CUevent_flags_values::*;

/// What a wait for an event becomes in a stream that is being captured, for [`cuStreamWaitEvent`].
///
/// - [`CU_EVENT_WAIT_DEFAULT`]: a dependency on the work that the event stands for.
/// - [`CU_EVENT_WAIT_EXTERNAL`]: a node that waits for the event at each launch of the graph.
pub use crate::bindings::CUevent_wait_flags;
pub use crate::bindings::CUevent_wait_flags_values::*;
