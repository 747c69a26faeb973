//! Mipmapped arrays and their levels. An image is mapped as a mipmapped array, and each level is an array.

#[cfg(doc)]
use crate::*; // for the links

/// An array's extent, elements and kind. [The section about images](crate::memory#images) has the values for an image.
#[doc(alias = "cudaChannelFormatDesc")]
#[doc(alias = "cudaExtent")]
pub use crate::bindings::CUDA_ARRAY3D_DESCRIPTOR;

/// A bit of [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array has layers, and `Depth` is their number. Set the bit
/// for 1D and 2D array images and for arrays of cubes.
#[doc(alias = "cudaArrayLayered")]
pub use crate::bindings::CUDA_ARRAY3D_LAYERED;

/// A bit of [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): kernels may read and write the array through
/// [surfaces](crate::texture). *Measured*: surfaces on a Vulkan image worked without `VK_IMAGE_USAGE_STORAGE_BIT`.
#[doc(alias = "cudaArraySurfaceLoadStore")]
pub use crate::bindings::CUDA_ARRAY3D_SURFACE_LDST;

/// A bit of [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array is a cube. `Width` must equal `Height`, and `Depth`
/// must be 6. With [`CUDA_ARRAY3D_LAYERED`] the array has several cubes, and `Depth` is 6 times their number.
#[doc(alias = "cudaArrayCubemap")]
pub use crate::bindings::CUDA_ARRAY3D_CUBEMAP;

/// A bit of [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): kernels may gather texels through textures (2D arrays only).
#[doc(alias = "cudaArrayTextureGather")]
pub use crate::bindings::CUDA_ARRAY3D_TEXTURE_GATHER;

/// A bit of [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array holds depth values.
pub use crate::bindings::CUDA_ARRAY3D_DEPTH_TEXTURE;

/// A bit of [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the exporter may draw into the image. Set the bit if the image
/// has `VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT`, `D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET` or `D3D11_BIND_RENDER_TARGET`.
///
/// *Measured* on an H100 and an H200: the bit did no harm for an image without `VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT`.
#[doc(alias = "cudaArrayColorAttachment")]
pub use crate::bindings::CUDA_ARRAY3D_COLOR_ATTACHMENT;

/// An array: an image that the GPU tiles and that has no linear address. [`cuMipmappedArrayGetLevel`] and
/// [`cuGraphicsSubResourceGetMappedArray`] return arrays, and a [`CUeglFrame`] may hold arrays.
///
/// An opaque handle of the driver: never dereference it. A level belongs to its mipmapped array.
#[doc(alias = "cudaArray_t")]
pub use crate::bindings::CUarray;

/// The driver's private struct, to which a [`CUarray`] points.
pub use crate::bindings::CUarray_st;

/// The type of one channel of an array's element.
///
/// | constant | suffix of Vulkan's format | each channel |
/// |---|---|---|
/// | [`CU_AD_FORMAT_UNSIGNED_INT8`], `_INT16`, `_INT32` | `_UINT` | an unsigned integer |
/// | [`CU_AD_FORMAT_SIGNED_INT8`], `_INT16`, `_INT32` | `_SINT` | a signed integer |
/// | [`CU_AD_FORMAT_HALF`] | `_SFLOAT`, 16 bits | a half float |
/// | [`CU_AD_FORMAT_FLOAT`] | `_SFLOAT`, 32 bits | a float |
///
/// A color image with `_UNORM` channels of 8 or 16 bits can be mapped as unsigned integers of the same width
/// (*measured* for 8 bits). A color image with `_SNORM` channels of 8 or 16 bits can be mapped as signed integers. A
/// texture can read such integers as values from 0 to 1 (unsigned) or from -1 to 1 (signed). A constant with `UNORM`,
/// `SNORM`, `BC`, `NV12` or another video format in its name describes a whole element. All constants of this type are
/// in the module [`constants`].
#[doc(alias = "cudaChannelFormatKind")]
pub use crate::bindings::CUarray_format;

/// An array with mip levels. [`cuExternalMemoryGetMappedMipmappedArray`] maps an image as a mipmapped array.
///
/// An opaque handle of the driver: never dereference it. Destroy the array with [`cuMipmappedArrayDestroy`].
#[doc(alias = "cudaMipmappedArray_t")]
pub use crate::bindings::CUmipmappedArray;

/// The driver's private struct, to which a [`CUmipmappedArray`] points.
pub use crate::bindings::CUmipmappedArray_st;

export_functions! {
    /// Returns one level of a mipmapped array, as an array.
    ///
    /// # Parameters
    ///
    /// - `pLevelArray`: receives the level. Destroying the mipmapped array destroys the level too: do not free it.
    /// - `level`: 0 is the largest. Each further level halves width, height and depth (not the layers), down to 1.
    ///
    /// # Safety
    ///
    /// `pLevelArray` must be valid for writing a pointer. The mipmapped array must not have been destroyed.
    #[doc(alias = "cudaGetMipmappedArrayLevel")]
    pub use crate::bindings::cuMipmappedArrayGetLevel;

    /// Destroys a mipmapped array. If [`cuExternalMemoryGetMappedMipmappedArray`] returned it, the image is unmapped.
    ///
    /// Call this function before [`cuDestroyExternalMemory`]. The exporter's image is not destroyed.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ARRAY_IS_MAPPED`]: the array is mapped; cuda.h does not say by what. An array that maps an image
    ///   can be destroyed, and does not cause this error.
    /// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was destroyed.
    ///
    /// # Safety
    ///
    /// No work in flight may use the array, its levels, or textures and surfaces on them: synchronize first.
    #[doc(alias = "cudaFreeMipmappedArray")]
    pub use crate::bindings::cuMipmappedArrayDestroy;

    /// Returns an array's extent, format, number of channels and flags. For a level of an imported image, these values
    /// show how the driver interpreted the image's description.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was destroyed.
    ///
    /// # Safety
    ///
    /// `pArrayDescriptor` must be valid for writing the descriptor, and `hArray` must not have been destroyed.
    #[doc(alias = "cudaArrayGetInfo")]
    pub use crate::bindings::cuArray3DGetDescriptor_v2;

    // cuda.h defines this name as a macro for the versioned function.
    pub use crate::bindings::cuArray3DGetDescriptor;
}
