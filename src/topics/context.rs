#![doc = page!("context.md")]

#[cfg(doc)]
use crate::*; // for the links

/// A context: the address space and the state of one process on one device.
///
/// An opaque handle of the driver: never dereference it. [Any thread](crate::context#contexts-and-threads) may use it.
/// `.cast()` converts another crate's `CUcontext` to this type.
pub use crate::bindings::CUcontext;

/// The driver's private struct, to which a [`CUcontext`] points.
pub use crate::bindings::CUctx_st;

/// The flags of a context, as bits for [`cuCtxCreate_v2`], [`cuCtxCreate_v4`] and [`cuDevicePrimaryCtxSetFlags_v2`].
///
/// One of four flags says how a thread waits for the GPU:
///
/// - [`CU_CTX_SCHED_AUTO`]: the default (0). A waiting thread yields if the process has more contexts than the machine
///   has logical processors, and otherwise spins. On Tegra it may also sleep.
/// - [`CU_CTX_SCHED_SPIN`]: the thread spins, which can decrease the latency.
/// - [`CU_CTX_SCHED_YIELD`]: the thread yields to other threads while it waits.
/// - [`CU_CTX_SCHED_BLOCKING_SYNC`], formerly [`CU_CTX_BLOCKING_SYNC`]: the thread sleeps.
///
/// The other constants:
///
/// - [`CU_CTX_SYNC_MEMOPS`]: a synchronous copy or fill always blocks the caller until it is done. Since CUDA 12.1.
/// - [`CU_CTX_COREDUMP_ENABLE`]: the GPU's state is written to a file after a fault. With
///   [`CU_CTX_USER_COREDUMP_ENABLE`] the state is also written when data arrives in the pipe that the core dump
///   attribute `CU_COREDUMP_PIPE` names. A [CIG](crate::cig) context supports neither flag. Both since CUDA 12.1.
/// - [`CU_CTX_MAP_HOST`], [`CU_CTX_LMEM_RESIZE_TO_MAX`]: no effect, since every context behaves as with these flags.
/// - [`CU_CTX_SCHED_MASK`]: the bits of the four flags for waiting. [`CU_CTX_FLAGS_MASK`]: the bits of all flags.
#[doc(alias = "cudaDeviceScheduleBlockingSync")]
pub use crate::bindings::CUctx_flags;
pub use crate::bindings::CUctx_flags_values::*;

export_functions! {
    /// Returns a device's primary context and adds a reference to it. The call creates the context if there is none.
    ///
    /// The context does not become current: call [`cuCtxSetCurrent`] afterwards.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_UNKNOWN`]: the device's compute mode is "prohibited".
    ///
    /// # Safety
    ///
    /// `pctx` must be valid for writing a pointer.
    ///
    /// Release the reference with [`cuDevicePrimaryCtxRelease_v2`], once for each call.
    #[doc(alias = "cudaSetDevice")]
    pub use crate::bindings::cuDevicePrimaryCtxRetain;

    /// Releases a reference to a device's primary context. The last release destroys the context and what is in it.
    ///
    /// Before the last release, free the context's mappings and destroy its imports and streams. The context stays on
    /// the threads' stacks of contexts: unlike [`cuCtxDestroy_v2`], this function does not pop it.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: there is no reference to release.
    ///
    /// # Safety
    ///
    /// The context must not be used after its last reference is released.
    pub use crate::bindings::cuDevicePrimaryCtxRelease_v2;

    /// Sets the flags of a device's primary context.
    ///
    /// The new flags replace the earlier ones, including those that a library set. Only the program should call this
    /// function, not a library that the program uses.
    ///
    /// # Parameters
    ///
    /// - `flags`: bits of [`CUctx_flags`]; `.into()` converts them.
    ///
    /// # Safety
    ///
    /// There is nothing that the caller must guarantee.
    ///
    /// The first version of the function, before CUDA 11.0, failed if the context existed.
    #[doc(alias = "cudaSetDeviceFlags")]
    pub use crate::bindings::cuDevicePrimaryCtxSetFlags_v2;

    /// Returns the flags of a device's primary context, and whether the context exists.
    ///
    /// # Parameters
    ///
    /// - `flags`: receives bits of [`CUctx_flags`].
    /// - `active`: receives 1 if the context exists (the manual says "is active"), and otherwise 0.
    ///
    /// # Safety
    ///
    /// `flags` must be valid for writing an `unsigned int`, and `active` must be valid for writing an `int`.
    #[doc(alias = "cudaGetDeviceFlags")]
    pub use crate::bindings::cuDevicePrimaryCtxGetState;

    /// Creates a context and makes it current.
    ///
    /// Use the primary context ([`cuDevicePrimaryCtxRetain`]) unless the program needs a separate one: a context costs
    /// memory, and most handles of one context cannot be used in another. `cuCtxCreate_v2` pushes the new context onto
    /// the calling thread's stack of contexts.
    ///
    /// **This is the second version of `cuCtxCreate`**, which every driver has. In a C program the name `cuCtxCreate`
    /// means this version up to CUDA 12.9, and [`cuCtxCreate_v4`] from CUDA 13.0 on. [`cuCtxCreate_v4`] needs a driver
    /// of CUDA 12.5 or newer. With null for its new parameter `ctxCreateParams`, it does the same as this function.
    ///
    /// # Parameters
    ///
    /// - `flags`: bits of [`CUctx_flags`]; `.into()` converts them.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_UNKNOWN`]: the device's compute mode is "prohibited".
    ///
    /// # Safety
    ///
    /// `pctx` must be valid for writing a pointer.
    ///
    /// Destroy the context with [`cuCtxDestroy_v2`]. Since CUDA 3.2. Source: manual of CUDA 12, "Context Management".
    pub use crate::bindings::cuCtxCreate_v2;

    /// Makes a context current in the calling thread.
    ///
    /// `ctx` replaces the top of the calling thread's stack of contexts; null pops the top. Other threads keep their
    /// current contexts. Many functions of this crate need a current context, and a new thread has none.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: not a context.
    ///
    /// # Safety
    ///
    /// The context must not have been destroyed.
    #[doc(alias = "cudaSetDevice")]
    pub use crate::bindings::cuCtxSetCurrent;

    /// Returns the context that is current in the calling thread.
    ///
    /// # Parameters
    ///
    /// - `pctx`: receives the context, or null if none is current, which is not an error.
    ///
    /// # Safety
    ///
    /// `pctx` must be valid for writing a pointer.
    pub use crate::bindings::cuCtxGetCurrent;

    /// Returns the device of the context that is current in the calling thread.
    ///
    /// A library that works in its caller's context can compare this device's UUID with a Vulkan device's, for example.
    ///
    /// # Safety
    ///
    /// `device` must be valid for writing a [`CUdevice`].
    #[doc(alias = "cudaGetDevice")]
    pub use crate::bindings::cuCtxGetDevice;

    /// Pushes a context onto the calling thread's stack of contexts. The pushed context becomes current.
    ///
    /// A library can push its context, work in it, and then restore the caller's context by [`cuCtxPopCurrent_v2`]. A
    /// push adds no reference to the context.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: not a context.
    ///
    /// # Safety
    ///
    /// The context must not have been destroyed.
    pub use crate::bindings::cuCtxPushCurrent_v2;

    /// Pops the current context from the calling thread's stack of contexts. The one below, if any, becomes current.
    ///
    /// The popped context is not destroyed and loses no reference. Another thread may push it.
    ///
    /// # Safety
    ///
    /// `pctx` must be valid for writing a pointer.
    pub use crate::bindings::cuCtxPopCurrent_v2;

    /// Waits until all work of the current context is done.
    ///
    /// If work failed, the call returns an error. The call waits while a stream of the context waits for a semaphore.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`]: a stream of the context is being captured into a graph.
    ///
    /// # Safety
    ///
    /// There is nothing that the caller must guarantee.
    #[doc(alias = "cudaDeviceSynchronize")]
    pub use crate::bindings::cuCtxSynchronize;

    // cuda.h defines these names as macros for the versioned functions.
    pub use crate::bindings::{
        cuCtxPopCurrent, cuCtxPushCurrent, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxSetFlags,
    };
}
