//! Mipmapped arrays, which images are mapped as.

#[cfg(doc)]
use crate::*; // for the links

/// Gives one level of a mipmapped array, as an array.
///
/// # Parameters
///
/// - `pLevelArray`: where the level is put. It is a part of the mipmapped array, goes with it, and is not
///   freed.
/// - `hMipmappedArray`: the mipmapped array.
/// - `level`: 0 is the largest; each one is half as wide, high and deep as the one before, and at least 1.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: there is no such level.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no mipmapped array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 5.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaGetMipmappedArrayLevel")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMipmappedArrayGetLevel;

/// Frees a mipmapped array; for one from [`cuExternalMemoryGetMappedMipmappedArray`] that ends the mapping.
///
/// It comes before [`cuDestroyExternalMemory`]. The exporter's image stays.
///
/// # Parameters
///
/// - `hMipmappedArray`: the mipmapped array.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no mipmapped array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the array, its levels, or textures and surfaces made of them any more.
///
/// Since CUDA 5.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaFreeMipmappedArray")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMipmappedArrayDestroy;

/// Tells an array's extent, format and flags: what the driver made of an imported image.
///
/// # Parameters
///
/// - `pArrayDescriptor`: filled in.
/// - `hArray`: the array, for example a level.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuArray3DGetDescriptor")]
#[doc(alias = "cudaArrayGetInfo")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuArray3DGetDescriptor_v2;

/// What an array is: its extent, its elements and its kind. [How to fill it in for an
/// image](crate::memory#images).
#[doc(alias = "cudaChannelFormatDesc")]
#[doc(alias = "cudaExtent")]
pub use crate::bindings::CUDA_ARRAY3D_DESCRIPTOR;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array has layers, and `Depth` counts them. For 1D and
/// 2D array images and arrays of cubes.
#[doc(alias = "cudaArrayLayered")]
pub use crate::bindings::CUDA_ARRAY3D_LAYERED;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): kernels may write the array through surfaces. For Vulkan,
/// where the image has `VK_IMAGE_USAGE_STORAGE_BIT` and kernels use it so.
#[doc(alias = "cudaArraySurfaceLoadStore")]
pub use crate::bindings::CUDA_ARRAY3D_SURFACE_LDST;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array is a cube, `Width` equals `Height`, and `Depth`
/// is 6; with [`CUDA_ARRAY3D_LAYERED`] it is several, and `Depth` 6 times their number.
#[doc(alias = "cudaArrayCubemap")]
pub use crate::bindings::CUDA_ARRAY3D_CUBEMAP;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): textures of the array allow gathering. 2D only.
#[doc(alias = "cudaArrayTextureGather")]
pub use crate::bindings::CUDA_ARRAY3D_TEXTURE_GATHER;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array holds depth values.
pub use crate::bindings::CUDA_ARRAY3D_DEPTH_TEXTURE;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the exporter may draw into the image. It must be set
/// exactly where the image has `VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT`,
/// `D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET` or `D3D11_BIND_RENDER_TARGET`.
#[doc(alias = "cudaArrayColorAttachment")]
pub use crate::bindings::CUDA_ARRAY3D_COLOR_ATTACHMENT;

/// An array: an image in a tiling of the GPU's own. From [`cuMipmappedArrayGetLevel`].
#[doc(alias = "cudaArray_t")]
pub use crate::bindings::CUarray;

/// What [`CUarray`] points to: known to the driver alone.
pub use crate::bindings::CUarray_st;

/// What one channel of an array's element is.
///
/// | constant | Vulkan's suffix | in a channel |
/// |---|---|---|
/// | [`CU_AD_FORMAT_UNSIGNED_INT8`], `_INT16`, `_INT32` | `_UINT` | an unsigned integer |
/// | [`CU_AD_FORMAT_SIGNED_INT8`], `_INT16`, `_INT32` | `_SINT` | a signed integer |
/// | [`CU_AD_FORMAT_HALF`] | `_SFLOAT`, 16 bits | a half float |
/// | [`CU_AD_FORMAT_FLOAT`] | `_SFLOAT`, 32 bits | a float |
///
/// An image of `_UNORM` or `_SNORM` channels is mapped as the unsigned or signed integers of the same
/// width; a texture can read these as 0 to 1. The constants whose names say `UNORM`, `SNORM`, `BC`, `NV12`
/// or another video layout stand for whole elements of that kind, channels included; their names say which.
#[doc(alias = "cudaChannelFormatKind")]
pub use crate::bindings::CUarray_format;

/// An array with mip levels: what an image is mapped as, by [`cuExternalMemoryGetMappedMipmappedArray`].
#[doc(alias = "cudaMipmappedArray_t")]
pub use crate::bindings::CUmipmappedArray;

/// What [`CUmipmappedArray`] points to: known to the driver alone.
pub use crate::bindings::CUmipmappedArray_st;

pub use crate::bindings::CUaddress_mode_values::*;
pub use crate::bindings::CUfilter_mode_values::*;
pub use crate::bindings::CUresourceViewFormat_values::*;
pub use crate::bindings::CUresourcetype_values::*;
pub use crate::bindings::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode,
    CUresourceViewFormat, CUresourcetype, CUsurfObject, CUtexObject,
};
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::{cuSurfObjectCreate, cuSurfObjectDestroy, cuTexObjectCreate, cuTexObjectDestroy};
