//! Streams, in which copies, signals and waits are enqueued.

#[cfg(doc)]
use crate::*; // for the links

/// A stream: a queue of work that the device executes in order. Null is the default stream.
///
/// An opaque handle of the driver: never dereference it. The runtime API's `cudaStream_t` is the same handle. [Any
/// thread](crate::context#contexts-and-threads) may use a stream. `.cast()` converts another crate's `CUstream`.
#[doc(alias = "cudaStream_t")]
pub use crate::bindings::CUstream;

/// The driver's private struct, to which a [`CUstream`] points.
pub use crate::bindings::CUstream_st;

/// Whether a stream synchronizes with the default stream, for [`cuStreamCreate`] and [`cuStreamCreateWithPriority`].
///
/// - [`CU_STREAM_DEFAULT`]: the stream and the default stream wait for each other's earlier work.
/// - [`CU_STREAM_NON_BLOCKING`]: the stream and the default stream do not wait for each other.
pub use crate::bindings::CUstream_flags;
pub use crate::bindings::CUstream_flags_values::*;

export_functions! {
    /// Creates a stream in the current context.
    ///
    /// # Parameters
    ///
    /// - `Flags`: [`CU_STREAM_DEFAULT`], or [`CU_STREAM_NON_BLOCKING`] for a stream that does not synchronize
    ///   with the default stream. `.into()` converts the flag to `c_uint`.
    ///
    /// # Safety
    ///
    /// `phStream` must be valid for writing a pointer.
    ///
    /// Destroy the stream with [`cuStreamDestroy_v2`].
    #[doc(alias = "cudaStreamCreateWithFlags")]
    pub use crate::bindings::cuStreamCreate;

    /// Creates a stream with a priority in the current context.
    ///
    /// If several kernels could start, the device prefers the kernels of the stream with the highest priority. Running
    /// kernels are not interrupted. The priority has no effect on copies from and to the host.
    ///
    /// # Parameters
    ///
    /// - `flags`: the same values as `Flags` of [`cuStreamCreate`].
    /// - `priority`: a lower number is a higher priority, and 0 is the default. A number outside the range that
    ///   [`cuCtxGetStreamPriorityRange`] returns counts as the nearest number in the range.
    ///
    /// # Safety
    ///
    /// `phStream` must be valid for writing a pointer.
    ///
    /// Destroy the stream with [`cuStreamDestroy_v2`].
    #[doc(alias = "cudaStreamCreateWithPriority")]
    pub use crate::bindings::cuStreamCreateWithPriority;

    /// Returns the range of the priorities of streams in the current context.
    ///
    /// Both numbers are 0 if the device does not support priorities.
    ///
    /// # Parameters
    ///
    /// - `leastPriority`: receives the lowest priority, which is the largest number. This pointer may be null.
    /// - `greatestPriority`: receives the highest priority, which is the smallest number. This pointer may be null.
    ///
    /// # Safety
    ///
    /// Each pointer must be null or valid for writing an `int`.
    #[doc(alias = "cudaDeviceGetStreamPriorityRange")]
    pub use crate::bindings::cuCtxGetStreamPriorityRange;

    /// Returns [`CUDA_SUCCESS`] if all work of a stream is done. The call does not wait.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_READY`]: the stream has unfinished work. The call has not failed.
    ///
    /// # Safety
    ///
    /// `hStream` must be null or a stream that is not destroyed.
    #[doc(alias = "cudaStreamQuery")]
    pub use crate::bindings::cuStreamQuery;

    /// Waits until all work of a stream is done.
    ///
    /// The call does not return while the stream waits for a semaphore that nobody signals.
    ///
    /// # Safety
    ///
    /// `hStream` must be null or a stream that is not destroyed.
    #[doc(alias = "cudaStreamSynchronize")]
    pub use crate::bindings::cuStreamSynchronize;

    /// Destroys a stream. The call returns at once. Work already enqueued still completes.
    ///
    /// The memory and handles that the work uses must live until the work is done.
    ///
    /// # Safety
    ///
    /// The stream must come from [`cuStreamCreate`] or [`cuStreamCreateWithPriority`] and be destroyed only once.
    #[doc(alias = "cudaStreamDestroy")]
    pub use crate::bindings::cuStreamDestroy_v2;

    /// Enqueues a call of a host function in a stream.
    ///
    /// A thread of the driver calls the function when the earlier work of the stream is done. Later work of the stream
    /// waits until the function returns. The function is not called if the context has a sticky error.
    ///
    /// The function can signal a timeline semaphore from the CPU, for example by `vkSignalSemaphore`.
    ///
    /// # Parameters
    ///
    /// - `hStream`: the stream; null is the default stream.
    /// - `fn_`: the function. It must not call CUDA. It must not wait for CUDA's work, unless that work is ordered
    ///   before the function.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reason.
    ///
    /// # Safety
    ///
    /// `hStream` must be null or a stream that is not destroyed. `userData` must be usable in another thread, and
    /// valid until the function has returned. If this call is captured into a graph, each launch of the graph calls
    /// the function, so `userData` must be valid until the last launch is done. The function must not unwind.
    #[doc(alias = "cudaLaunchHostFunc")]
    pub use crate::bindings::cuLaunchHostFunc;

    // In cuda.h this name is a macro for the function with the suffix `_v2`.
    pub use crate::bindings::cuStreamDestroy;
}
