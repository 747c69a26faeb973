//! Texture and surface objects, by which kernels read and write a mapped image in place. The guide has [an example with
//! a Vulkan image](crate::guide::vulkan_image#in-place-a-kernel-writes-the-image).
//!
//! Through a surface object a kernel reads and writes single texels of one level. In CUDA's surface functions the
//! coordinate x counts bytes, and y counts rows. Through a texture object a kernel only reads, and the values can be
//! filtered and converted. A surface object is created on an array, such as a level that [`cuMipmappedArrayGetLevel`]
//! returns. A texture object is created on an array, on device memory, or on a mipmapped array, such as one that
//! [`cuExternalMemoryGetMappedMipmappedArray`] returns. Kernels take both kinds of objects as 64-bit arguments, whether
//! [this crate](crate::kernel) or another library launches the kernels.
//!
//! If a surface object is to be created on an image, map the image with [`CUDA_ARRAY3D_SURFACE_LDST`]. Destroy each
//! object before its array is destroyed or its memory is freed.

#[cfg(doc)]
use crate::*; // for the links

/// A texture object: an opaque 64-bit number that kernels take as an argument.
#[doc(alias = "cudaTextureObject_t")]
pub use crate::bindings::CUtexObject;

/// A surface object: an opaque 64-bit number that kernels take as an argument.
#[doc(alias = "cudaSurfaceObject_t")]
pub use crate::bindings::CUsurfObject;

/// The memory on which a texture or surface object is created. Begin with `default()`.
///
/// | `resType` | field of `res` | used by |
/// |---|---|---|
/// | [`CU_RESOURCE_TYPE_ARRAY`] | `array` | surfaces and textures on one level |
/// | [`CU_RESOURCE_TYPE_MIPMAPPED_ARRAY`] | `mipmap` | textures on a mipmapped array |
/// | [`CU_RESOURCE_TYPE_LINEAR`] | `linear` | textures on device memory, one-dimensional and unfiltered |
/// | [`CU_RESOURCE_TYPE_PITCH2D`] | `pitch2D` | textures on device memory with a pitch |
#[doc(alias = "cudaResourceDesc")]
pub use crate::bindings::CUDA_RESOURCE_DESC;

/// The resource in a [`CUDA_RESOURCE_DESC`], whose `resType` selects one field of this union.
pub use crate::bindings::CUDA_RESOURCE_DESC_res;

/// The type of a field of the union [`CUDA_RESOURCE_DESC_res`]. The field `reserved` only gives the union its size.
pub use crate::bindings::{
    CUDA_RESOURCE_DESC_res_array, CUDA_RESOURCE_DESC_res_linear, CUDA_RESOURCE_DESC_res_mipmap,
    CUDA_RESOURCE_DESC_res_pitch2D, CUDA_RESOURCE_DESC_res_reserved,
};

/// The kind of resource in a [`CUDA_RESOURCE_DESC`], whose page has a table of the kinds.
#[doc(alias = "cudaResourceType")]
pub use crate::bindings::CUresourcetype;
pub use crate::bindings::CUresourcetype_values::*;

/// How a texture object addresses, filters and converts texels. Begin with `default()`: nothing is filtered, and
/// coordinates count texels. Without [`CU_TRSF_NORMALIZED_COORDINATES`], also set `addressMode` to
/// [`CU_TR_ADDRESS_MODE_CLAMP`], which is not the default.
///
/// ```
/// use cuda_external_sys::*;
///
/// /// A mipmapped image, filtered within and between `levels` levels, with coordinates from 0 to 1.
/// fn trilinear(levels: u32) -> CUDA_TEXTURE_DESC {
///     CUDA_TEXTURE_DESC {
///         addressMode: [CU_TR_ADDRESS_MODE_CLAMP; 3],
///         filterMode: CU_TR_FILTER_MODE_LINEAR,
///         mipmapFilterMode: CU_TR_FILTER_MODE_LINEAR,
///         flags: CU_TRSF_NORMALIZED_COORDINATES, // which a mipmapped array requires
///         maxMipmapLevelClamp: (levels - 1) as f32,
///         ..Default::default()
///     }
/// }
/// # trilinear(3);
/// ```
#[doc(alias = "cudaTextureDesc")]
pub use crate::bindings::CUDA_TEXTURE_DESC;

/// What a texture reads outside its image.
///
/// - [`CU_TR_ADDRESS_MODE_WRAP`]: the image, repeated.
/// - [`CU_TR_ADDRESS_MODE_CLAMP`]: the nearest texel of the edge.
/// - [`CU_TR_ADDRESS_MODE_MIRROR`]: the image, repeated, with every second copy mirrored.
/// - [`CU_TR_ADDRESS_MODE_BORDER`]: the color in [`borderColor`](CUDA_TEXTURE_DESC::borderColor).
///
/// Without [`CU_TRSF_NORMALIZED_COORDINATES`], cuda.h allows only [`CU_TR_ADDRESS_MODE_CLAMP`].
#[doc(alias = "cudaTextureAddressMode")]
pub use crate::bindings::CUaddress_mode;
pub use crate::bindings::CUaddress_mode_values::*;

/// How a texture combines neighboring texels, and neighboring levels.
///
/// - [`CU_TR_FILTER_MODE_POINT`]: the nearest texel or level.
/// - [`CU_TR_FILTER_MODE_LINEAR`]: linear interpolation, for textures that read floating-point values.
#[doc(alias = "cudaTextureFilterMode")]
pub use crate::bindings::CUfilter_mode;
pub use crate::bindings::CUfilter_mode_values::*;

/// A bit of [`flags`](CUDA_TEXTURE_DESC::flags): integers are read as integers. Without the flag, integer channels of 8
/// and 16 bits are read as floating-point values from 0 to 1 (signed: -1 to 1). Channels of 32 bits are not converted.
pub use crate::bindings::CU_TRSF_READ_AS_INTEGER;

/// A bit of [`flags`](CUDA_TEXTURE_DESC::flags): coordinates go from 0 to 1 over the image. Without the flag,
/// coordinates count texels. A mipmapped array requires the flag.
pub use crate::bindings::CU_TRSF_NORMALIZED_COORDINATES;

/// A bit of [`flags`](CUDA_TEXTURE_DESC::flags): sRGB values are converted to linear values when they are read.
pub use crate::bindings::CU_TRSF_SRGB;

/// A bit of [`flags`](CUDA_TEXTURE_DESC::flags): trilinear filtering is never simplified. Without the flag,
/// filtering may be bilinear where the result is nearly the same.
pub use crate::bindings::CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;

/// A bit of [`flags`](CUDA_TEXTURE_DESC::flags): linear filtering crosses the edges of a cube's faces. `addressMode` is
/// ignored, and point filtering clamps the coordinates. The array must have [`CUDA_ARRAY3D_CUBEMAP`].
pub use crate::bindings::CU_TRSF_SEAMLESS_CUBEMAP;

/// A view of an array or mipmapped array, for [`cuTexObjectCreate`]: a range of its levels and layers, and a format.
///
/// Begin with `default()`: level 0, layer 0 and the array's format. Always set the extent. If the view's format is
/// block-compressed, the width and height must be four times the array's. Otherwise the extent must be the array's.
#[doc(alias = "cudaResourceViewDesc")]
pub use crate::bindings::CUDA_RESOURCE_VIEW_DESC;

/// The element's format in a [`CUDA_RESOURCE_VIEW_DESC`].
///
/// A name with `UINT`, `SINT` or `FLOAT` states the channels: `UINT_4X8` is four unsigned channels of 8 bits.
/// [`CU_RES_VIEW_FORMAT_NONE`] keeps the array's format. The `BC` formats are block-compressed. For BC1 and BC4 the
/// array must have two channels of [`CU_AD_FORMAT_UNSIGNED_INT32`], and for the other `BC` formats four such channels.
#[doc(alias = "cudaResourceViewFormat")]
pub use crate::bindings::CUresourceViewFormat;
pub use crate::bindings::CUresourceViewFormat_values::*;

export_functions! {
    /// Creates a surface object on an array, for kernels that read and write it.
    ///
    /// # Parameters
    ///
    /// - `pResDesc`: describes the array. `resType` must be [`CU_RESOURCE_TYPE_ARRAY`], and `flags` must be 0.
    ///
    /// # Safety
    ///
    /// Both pointers must be valid for their types. The array must have [`CUDA_ARRAY3D_SURFACE_LDST`] and must outlive
    /// the object. *Measured* on an H200: driver 580.159.04 ends the process with SIGSEGV for a null `pSurfObject`, and
    /// accepts an array without the flag.
    ///
    /// Destroy the object with [`cuSurfObjectDestroy`].
    #[doc(alias = "cudaCreateSurfaceObject")]
    pub use crate::bindings::cuSurfObjectCreate;

    /// Destroys a surface object. Its array is not destroyed.
    ///
    /// *Measured* on an H200: driver 580.159.04 returns success for a destroyed object, and for the numbers 0 and 1.
    ///
    /// # Safety
    ///
    /// The object must come from [`cuSurfObjectCreate`] and be destroyed only once. No kernel in flight may use it.
    #[doc(alias = "cudaDestroySurfaceObject")]
    pub use crate::bindings::cuSurfObjectDestroy;

    /// Creates a texture object on an array, a mipmapped array or device memory, for kernels that read it.
    ///
    /// # Parameters
    ///
    /// - `pResViewDesc`: a range of levels and layers, and a format for the elements. Null means the whole array in the
    ///   array's format. For device memory or a block-compressed array this pointer must be null.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a `devPtr` that is not a multiple of [`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`],
    ///   a view with a wrong extent or format, or a resource whose `flags` are not 0.
    ///
    /// # Safety
    ///
    /// The pointers must be valid for their types; `pResViewDesc` may also be null. The union field of `pResDesc.res`
    /// that goes with `resType` must be set. The array or memory must outlive the object.
    ///
    /// Success does not prove that the description was correct. *Measured* on an H200: driver 580.159.04 accepts a
    /// mipmapped array without [`CU_TRSF_NORMALIZED_COORDINATES`], linear filtering of elements that are read as
    /// integers, and a view of levels that the array lacks.
    ///
    /// Destroy the object with [`cuTexObjectDestroy`].
    #[doc(alias = "cudaCreateTextureObject")]
    pub use crate::bindings::cuTexObjectCreate;

    /// Destroys a texture object. Its array or memory is not freed.
    ///
    /// *Measured* on an H200: driver 580.159.04 returns success for a destroyed object, and for the numbers 0 and 1.
    ///
    /// # Safety
    ///
    /// The object must come from [`cuTexObjectCreate`] and be destroyed only once. No kernel in flight may use it.
    #[doc(alias = "cudaDestroyTextureObject")]
    pub use crate::bindings::cuTexObjectDestroy;
}
