//! Events, which order work in different streams and measure the work's time.
//!
//! An event of [`cuEventCreate`] orders CUDA's work only. To order another API's work too, use a
//! [semaphore](crate::semaphore).

#[cfg(doc)]
use crate::*; // for the links

/// An event, which represents the work that was in a stream when the event was recorded.
///
/// An opaque handle of the driver: never dereference it. The runtime API's `cudaEvent_t` is the same handle. [Any
/// thread](crate::context#contexts-and-threads) may use an event.
#[doc(alias = "cudaEvent_t")]
pub use crate::bindings::CUevent;

/// The driver's private struct, to which a [`CUevent`] points.
pub use crate::bindings::CUevent_st;

/// The flags of an event, as bits for [`cuEventCreate`].
///
/// - [`CU_EVENT_DEFAULT`]: 0. The event records the time of its completion, and threads that wait for it spin.
/// - [`CU_EVENT_BLOCKING_SYNC`]: threads that wait for the event sleep.
/// - [`CU_EVENT_DISABLE_TIMING`]: the event does not record a time. Without [`CU_EVENT_BLOCKING_SYNC`] such an
///   event performs best in [`cuStreamWaitEvent`] and [`cuEventQuery`].
/// - [`CU_EVENT_INTERPROCESS`]: the event can be shared with another process; [`CU_EVENT_DISABLE_TIMING`] must be set
///   too.
pub use crate::bindings::CUevent_flags;
pub use crate::bindings::CUevent_flags_values::*;

/// The flags of [`cuStreamWaitEvent`], which select what a wait becomes in the graph of a captured stream.
///
/// - [`CU_EVENT_WAIT_DEFAULT`]: a dependency on the captured work that the event represents.
/// - [`CU_EVENT_WAIT_EXTERNAL`]: a node that waits for the event at each launch of the graph.
pub use crate::bindings::CUevent_wait_flags;
pub use crate::bindings::CUevent_wait_flags_values::*;

export_functions! {
    /// Creates an event in the current context.
    ///
    /// # Parameters
    ///
    /// - `Flags`: bits of [`CUevent_flags`]; `.into()` converts them.
    ///
    /// # Safety
    ///
    /// `phEvent` must be valid for writing a pointer.
    ///
    /// Destroy the event with [`cuEventDestroy_v2`].
    #[doc(alias = "cudaEventCreate")]
    #[doc(alias = "cudaEventCreateWithFlags")]
    pub use crate::bindings::cuEventCreate;

    /// Records an event. The event then represents the work that is in the stream at the time of the call.
    ///
    /// The event does not represent work that is enqueued later. A second record of an event replaces the first. An
    /// event that was never recorded represents no work, and is complete.
    ///
    /// # Parameters
    ///
    /// - `hStream`: the stream, of the same context; null is the default stream.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, or an event and a stream of different contexts.
    ///
    /// # Safety
    ///
    /// The event and the stream must not have been destroyed.
    #[doc(alias = "cudaEventRecord")]
    pub use crate::bindings::cuEventRecord;

    /// Returns whether the work that an event represents is done, without waiting.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_READY`]: the work is not done. This is not a failure.
    ///
    /// # Safety
    ///
    /// The event must not have been destroyed.
    #[doc(alias = "cudaEventQuery")]
    pub use crate::bindings::cuEventQuery;

    /// Waits until the work that an event represents is done.
    ///
    /// The calling thread spins, or sleeps if the event was created with [`CU_EVENT_BLOCKING_SYNC`]. The call does not
    /// return while the work that the event represents waits for a semaphore.
    ///
    /// # Safety
    ///
    /// The event must not have been destroyed.
    #[doc(alias = "cudaEventSynchronize")]
    pub use crate::bindings::cuEventSynchronize;

    /// Returns the time between two events, in milliseconds. The call may also return errors of earlier work.
    ///
    /// **This is the first version, which every driver has.** From cuda.h 13.0 on, `cuEventElapsedTime` is a macro
    /// for [`cuEventElapsedTime_v2`], which takes the same arguments. This crate does not follow the macro, because a
    /// driver older than CUDA 12.8 has the first version only.
    ///
    /// The resolution is about half a microsecond. Both events must have been recorded, and the work that they
    /// represent must be done. Work of other streams may lengthen the time between two events, even if both events were
    /// recorded in one stream.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_READY`]: the work that one of the events represents is not done.
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, an event that was never recorded, or one with
    ///   [`CU_EVENT_DISABLE_TIMING`].
    /// - [`CUDA_ERROR_UNKNOWN`]: the manual gives no reason.
    ///
    /// # Safety
    ///
    /// `pMilliseconds` must be valid for writing a `float`. The events must not have been destroyed.
    ///
    /// Since CUDA 2.0. Source: manual, "Event Management", and cuda.h 12.8 for the versions.
    #[doc(alias = "cudaEventElapsedTime")]
    pub use crate::bindings::cuEventElapsedTime;

    /// Returns the time between two events, in milliseconds.
    ///
    /// This function may return success although earlier work has just failed. To find out whether the work that an
    /// event represents is done, use [`cuEventQuery`].
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_READY`], [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_UNKNOWN`]: as for
    ///   [`cuEventElapsedTime`].
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 12.8.
    ///
    /// # Safety
    ///
    /// As for [`cuEventElapsedTime`].
    ///
    /// Since CUDA 12.8.
    #[doc(alias = "cudaEventElapsedTime")]
    pub use crate::bindings::cuEventElapsedTime_v2;

    /// Destroys an event. The call returns at once; work already enqueued still completes.
    ///
    /// # Safety
    ///
    /// The event must come from [`cuEventCreate`] or [`cuEventCreateFromEGLSync`] and be destroyed only once.
    #[doc(alias = "cudaEventDestroy")]
    pub use crate::bindings::cuEventDestroy_v2;

    /// Makes later work of a stream wait for the work that an event represents.
    ///
    /// The device waits, not the calling thread. The event may be of another context or device than the stream. A later
    /// [`cuEventRecord`] does not change what the stream waits for.
    ///
    /// # Parameters
    ///
    /// - `Flags`: [`CU_EVENT_WAIT_DEFAULT`]. Only while the stream is being captured, [`CU_EVENT_WAIT_EXTERNAL`] is
    ///   allowed too. `.into()` converts these constants to `c_uint`.
    ///
    /// # Safety
    ///
    /// The event and the stream must not have been destroyed.
    #[doc(alias = "cudaStreamWaitEvent")]
    pub use crate::bindings::cuStreamWaitEvent;

    // cuda.h defines this name as a macro for the versioned function.
    pub use crate::bindings::cuEventDestroy;
}
