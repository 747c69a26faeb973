#![doc = page!("graphics.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A registered buffer or texture of a graphics API. An opaque handle of the driver, never dereferenced.
#[doc(alias = "cudaGraphicsResource_t")]
pub use crate::bindings::CUgraphicsResource;

/// The driver's private type behind [`CUgraphicsResource`].
pub use crate::bindings::CUgraphicsResource_st;

/// What CUDA will do with a resource, as bits for [`cuGraphicsGLRegisterBuffer`], [`cuGraphicsGLRegisterImage`] and
/// [`cuGraphicsD3D11RegisterResource`].
///
/// - [`CU_GRAPHICS_REGISTER_FLAGS_NONE`]: it reads and writes.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY`]: it does not write.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD`]: it does not read and writes everything; the old contents are lost.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`]: a [surface](crate::texture) is made on the image.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]: a texture on the image gathers.
#[doc(alias = "cudaGraphicsRegisterFlags")]
pub use crate::bindings::CUgraphicsRegisterFlags;
pub use crate::bindings::CUgraphicsRegisterFlags_values::*;

/// What CUDA will do with an EGL image, for [`cuGraphicsEGLRegisterImage`].
///
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE`]: it reads and writes.
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY`]: it does not write.
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD`]: it does not read and writes everything; the old contents are lost.
#[doc(alias = "cudaGraphicsMapFlags")]
pub use crate::bindings::CUgraphicsMapResourceFlags;
pub use crate::bindings::CUgraphicsMapResourceFlags_values::*;

/// The planes of an EGL image, which [`cuGraphicsResourceGetMappedEglFrame`] returns. 64 bytes.
///
/// ```
/// # #[cfg(any(feature = "load", feature = "link"))] {
/// use cuda_external_sys::*;
///
/// /// The first plane of a registered image whose planes are arrays.
/// unsafe fn first_plane(resource: CUgraphicsResource) -> Result<Option<CUarray>, CUresult> {
///     let mut frame = CUeglFrame::default();
///     unsafe { cuGraphicsResourceGetMappedEglFrame(&mut frame, resource, 0, 0).result()? };
///     Ok((frame.frameType == CU_EGL_FRAME_TYPE_ARRAY).then(|| unsafe { frame.frame.pArray[0] }))
/// }
/// # }
/// ```
#[doc(alias = "cudaEglFrame")]
pub use crate::bindings::CUeglFrame;

/// The planes in a [`CUeglFrame`].
pub use crate::bindings::CUeglFrame_frame;

/// Whether the planes of a [`CUeglFrame`] are arrays or addresses.
///
/// - [`CU_EGL_FRAME_TYPE_ARRAY`]: arrays, in `frame.pArray`.
/// - [`CU_EGL_FRAME_TYPE_PITCH`]: addresses of rows that lie `pitch` bytes apart, in `frame.pPitch`.
#[doc(alias = "cudaEglFrameType")]
pub use crate::bindings::CUeglFrameType;
pub use crate::bindings::CUeglFrameType_values::*;

/// The arrangement of the channels of a [`CUeglFrame`].
///
/// The names list the channels from the highest bits to the lowest: the bytes of [`CU_EGL_COLOR_FORMAT_ABGR`] are red,
/// green, blue and alpha, as those of `GL_RGBA8` (*measured*: an image of such a texture has this format).
/// `SEMIPLANAR` is a plane of Y and one of U and V, `PLANAR` is a plane of each, `ER` is the extended range of values,
/// and `709` and `2020` are ITU-R's color spaces.
#[doc(alias = "cudaEglColorFormat")]
pub use crate::bindings::CUeglColorFormat;
pub use crate::bindings::CUeglColorFormat_values::*;

/// The largest number of planes in a [`CUeglFrame`].
#[doc(alias = "CUDA_EGL_MAX_PLANES")]
pub use crate::bindings::MAX_PLANES;

/// Which of several linked GPUs [`cuD3D11GetDevices`] returns.
///
/// - [`CU_D3D11_DEVICE_LIST_ALL`]: all of them.
/// - [`CU_D3D11_DEVICE_LIST_CURRENT_FRAME`]: those that render the current frame.
/// - [`CU_D3D11_DEVICE_LIST_NEXT_FRAME`]: those that render the next frame.
#[doc(alias = "cudaD3D11DeviceList")]
pub use crate::bindings::CUd3d11DeviceList;
pub use crate::bindings::CUd3d11DeviceList_values::*;
