#![doc = page!("cig.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// How [`cuCtxCreate_v4`] creates a context. Since CUDA 12.5.
///
/// At most one of the two pointers may be set; setting both is undefined behavior. If neither is set, the context is
/// an ordinary one.
///
/// ```
/// use cuda_external_sys::*;
/// use std::ffi::c_void;
///
/// /// A context in the one of a Vulkan device; `blob` is from vkGetExternalComputeQueueDataNV.
/// fn in_vulkan(blob: *mut c_void) -> CUctxCigParam {
///     CUctxCigParam { sharedDataType: CIG_DATA_TYPE_NV_BLOB, sharedData: blob }
/// }
/// let mut cig = in_vulkan(std::ptr::null_mut());
/// let params = CUctxCreateParams { cigParams: &mut cig, ..Default::default() };
/// assert!(params.execAffinityParams.is_null());
/// ```
pub use crate::bindings::CUctxCreateParams;

/// The graphics API's side of a CIG context, in a [`CUctxCreateParams`]. Since CUDA 12.5.
pub use crate::bindings::CUctxCigParam;

/// What [`CUctxCigParam::sharedData`] is. Since CUDA 12.5.
///
/// - [`CIG_DATA_TYPE_D3D12_COMMAND_QUEUE`]: an `ID3D12CommandQueue *`.
/// - [`CIG_DATA_TYPE_NV_BLOB`]: the data of Vulkan's `vkGetExternalComputeQueueDataNV`. Since CUDA 12.9.
pub use crate::bindings::CUcigDataType;
pub use crate::bindings::CUcigDataType_values::*;

/// The command list or buffer of a CIG capture, for [`cuStreamBeginCaptureToCig`]. Since CUDA 13.2.
pub use crate::bindings::CUstreamCigCaptureParams;

/// A command list of Direct3D 12 or a command buffer of Vulkan, in a [`CUstreamCigCaptureParams`]. Since CUDA
/// 13.2.
pub use crate::bindings::CUstreamCigParam;

/// What [`CUstreamCigParam::streamSharedData`] is. Since CUDA 13.2.
///
/// - [`STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST`]: an `ID3D12CommandList *`.
/// - [`STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV`]: the handle that Vulkan's
///   `vkGetCommandBufferInternalHandleNV` (VK_NV_internal_handle) returns, not a `VkCommandBuffer`.
pub use crate::bindings::CUstreamCigDataType;
pub use crate::bindings::CUstreamCigDataType_values::*;

/// A limit on how much of the device a context may use, in a [`CUctxCreateParams`]. It is for multi-process services.
/// This crate documents only its layout.
pub use crate::bindings::CUexecAffinityParam;

/// The value of a [`CUexecAffinityParam`]: the field that goes with its `type_`.
pub use crate::bindings::CUexecAffinityParam_param;

/// A number of multiprocessors, for [`CU_EXEC_AFFINITY_TYPE_SM_COUNT`].
pub use crate::bindings::CUexecAffinitySmCount;

/// What a [`CUexecAffinityParam`] limits: the number of multiprocessors.
pub use crate::bindings::CUexecAffinityType;
pub use crate::bindings::CUexecAffinityType_values::*;
