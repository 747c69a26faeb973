//! Arrays and mipmapped arrays: what images are mapped as.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

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
