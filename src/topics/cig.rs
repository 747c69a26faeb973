#![doc = page!("cig.md")]

#[cfg(doc)]
use crate::*; // for the links

/// How [`cuCtxCreate_v4`] creates a context. Since CUDA 12.5.
///
/// At most one of `execAffinityParams` and `cigParams` may be set; setting both is undefined behavior. If neither is
/// set, the context is an ordinary one.
///
/// ```
/// use cuda_external_sys::*;
/// use std::ffi::c_void;
///
/// /// Describes a context that is joined to a Vulkan device. `blob` is the data of vkGetExternalComputeQueueDataNV.
/// fn in_vulkan(blob: *mut c_void) -> CUctxCigParam {
///     CUctxCigParam { sharedDataType: CIG_DATA_TYPE_NV_BLOB, sharedData: blob }
/// }
/// let mut cig = in_vulkan(std::ptr::null_mut());
/// let params = CUctxCreateParams { cigParams: &mut cig, ..Default::default() };
/// assert!(params.execAffinityParams.is_null());
/// ```
pub use crate::bindings::CUctxCreateParams;

/// The Direct3D 12 queue (since CUDA 12.5) or Vulkan device (since 12.9) of a CIG context, in a [`CUctxCreateParams`].
pub use crate::bindings::CUctxCigParam;

/// The kind of object in [`CUctxCigParam::sharedData`]. Since CUDA 12.5.
///
/// - [`CIG_DATA_TYPE_D3D12_COMMAND_QUEUE`]: an `ID3D12CommandQueue *`.
/// - [`CIG_DATA_TYPE_NV_BLOB`]: the data that Vulkan's `vkGetExternalComputeQueueDataNV` returns. Since CUDA 12.9.
pub use crate::bindings::CUcigDataType;
pub use crate::bindings::CUcigDataType_values::*;

/// A parameter of [`cuStreamBeginCaptureToCig`]: a struct with a pointer to a [`CUstreamCigParam`]. Since CUDA 13.2.
pub use crate::bindings::CUstreamCigCaptureParams;

/// A Direct3D 12 command list (since CUDA 13.2) or Vulkan command buffer (13.5), in a [`CUstreamCigCaptureParams`].
pub use crate::bindings::CUstreamCigParam;

/// The kind of object in [`CUstreamCigParam::streamSharedData`]. Since CUDA 13.2.
///
/// - [`STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST`]: an `ID3D12CommandList *`.
/// - [`STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV`]: the handle that Vulkan's
///   `vkGetCommandBufferInternalHandleNV` (VK_NV_internal_handle) returns, not a `VkCommandBuffer`. Since CUDA 13.5.
pub use crate::bindings::CUstreamCigDataType;
pub use crate::bindings::CUstreamCigDataType_values::*;

/// A limit on how much of the device a context may use. A [`CUctxCreateParams`] points to an array of such limits. The
/// limits need NVIDIA's Multi-Process Service (MPS).
pub use crate::bindings::CUexecAffinityParam;

/// The value of a [`CUexecAffinityParam`]: the field that goes with its `type_`.
pub use crate::bindings::CUexecAffinityParam_param;

/// A number of multiprocessors, for [`CU_EXEC_AFFINITY_TYPE_SM_COUNT`].
pub use crate::bindings::CUexecAffinitySmCount;

/// What a [`CUexecAffinityParam`] limits: the number of multiprocessors.
pub use crate::bindings::CUexecAffinityType;
pub use crate::bindings::CUexecAffinityType_values::*;

export_functions! {
    /// Creates an ordinary context, or a context for CUDA in Graphics (CIG), and makes it current.
    ///
    /// Use this function for CIG contexts only. Otherwise use the primary context ([`cuDevicePrimaryCtxRetain`]), which
    /// the runtime API uses too. `cuCtxCreate_v4` pushes the new context onto the calling thread's stack of contexts.
    ///
    /// # Parameters
    ///
    /// - `ctxCreateParams`: a struct with a pointer to the CIG parameters; null for an ordinary context.
    /// - `flags`: bits of [`CUctx_flags`]; `.into()` converts them. A CIG context does not support the flags for core
    ///   dumps.
    /// - `dev`: the device. For a CIG context, `dev` must be the GPU that the graphics API uses.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the device or the driver does not support CIG with the API that `sharedDataType`
    ///   selects. The device's attribute for this API is [`CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED`] or
    ///   [`CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED`]. *Measured*: driver 580.159.04 returns this code on an H100.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: invalid parameters.
    /// - [`CUDA_ERROR_UNKNOWN`]: the device's compute mode is "prohibited".
    ///
    /// # Safety
    ///
    /// The pointers must be valid. `sharedData` must point to an object of the kind that `sharedDataType` selects.
    /// `execAffinityParams` and `cigParams` must not both be set. Keep the graphics API's queue until the context is
    /// destroyed: the manual does not say how long the queue must live.
    ///
    /// Destroy the context with [`cuCtxDestroy_v2`]. Since CUDA 12.5.
    pub use crate::bindings::cuCtxCreate_v4;

    /// The same as [`cuCtxCreate_v4`]. In C, the name means [`cuCtxCreate_v2`] up to CUDA 12.9.
    pub use crate::bindings::cuCtxCreate;

    /// Destroys a context and what belongs to it, for example streams, arrays, texture objects, imported memory,
    /// imported semaphores, and the memory that [`cuMemAlloc_v2`] allocated.
    ///
    /// The memory of [`cuMemCreate`] and `cuMemAllocAsync` belongs to no context and is not freed. If the context is
    /// current in the calling thread, it is popped. In other threads it stays current, and calls that access it return
    /// [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]. *Measured* on driver 580.159.04: [`cuCtxGetDevice`] still succeeds there.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: not a context.
    ///
    /// # Safety
    ///
    /// The context must come from [`cuCtxCreate_v2`] or [`cuCtxCreate_v4`], never from [`cuDevicePrimaryCtxRetain`],
    /// and be destroyed only once. Nothing may use the context or what belongs to it during the call or afterwards.
    pub use crate::bindings::cuCtxDestroy_v2;

    /// Starts recording a stream's work into a graphics API's command list or command buffer.
    ///
    /// Kernels, copies and fills that are then enqueued in the stream are recorded and do not run yet. They run when
    /// the graphics API executes the list or buffer, in order with its other commands. So CUDA's work can run between
    /// two passes of a frame without a semaphore.
    ///
    /// # Parameters
    ///
    /// - `hStream`: a stream of a CIG context. It must not be null (the default stream) or already in a recording.
    ///
    /// During the recording the stream cannot be synchronized or captured into a graph. These functions must not
    /// enqueue work in the stream, either directly or through a launched graph: [`cuLaunchHostFunc`],
    /// `cuStreamAddCallback`, `cuStreamWaitValue32`, `cuStreamWaitValue64`, `cuStreamBatchMemOp`, `cuMemAllocAsync` and
    /// `cuMemFreeAsync`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the device does not support the recording. The attribute for the graphics API is
    ///   [`CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED`] or [`CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED`].
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: the stream's context is not a CIG context.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the manual gives no reason.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver lacks the function, as driver 580.159.04 (CUDA 13.0)
    ///   does.
    ///
    /// # Safety
    ///
    /// The pointers must be valid. The list or buffer must belong to the CIG context's graphics device. A Vulkan
    /// command buffer must be in the recording state whenever a kernel is enqueued in the stream. Before work with a
    /// graphics resource is enqueued, a barrier for the resource must be recorded in the list or buffer. Submit the
    /// list or buffer only once, after [`cuStreamEndCaptureToCig`]. A wrong order of the recorded work and the other
    /// CUDA work of the context can hang the device. Destroy the stream only after the list or buffer has run.
    ///
    /// End the recording with [`cuStreamEndCaptureToCig`]. Since CUDA 13.2; for Vulkan, since CUDA 13.5. Source: driver
    /// API manual, "Stream Management"; *not verified* on a GPU.
    pub use crate::bindings::cuStreamBeginCaptureToCig;

    /// Ends the recording of a stream into a command list or buffer, which may then be submitted.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the manual gives no reason.
    /// - [`CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`]: another thread began the recording.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver lacks the function.
    ///
    /// # Safety
    ///
    /// The stream, and each stream that waits for its work, must not be destroyed before the list or buffer has run.
    ///
    /// Since CUDA 13.2. Source: manual, "Stream Management"; *not verified* on a GPU.
    pub use crate::bindings::cuStreamEndCaptureToCig;

    // cuda.h defines this name as a macro for the versioned function.
    pub use crate::bindings::cuCtxDestroy;
}
