//! The functions of [`crate::array`].

#[cfg(doc)]
use crate::*; // for the links

/// Returns one level of a mipmapped array, as an array.
///
/// # Parameters
///
/// - `pLevelArray`: receives the level. It belongs to the mipmapped array, is destroyed with it, and must not be freed.
/// - `hMipmappedArray`: the mipmapped array.
/// - `level`: 0 is the largest. Each level is half as wide, high and deep as the previous one, and at
///   least 1.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: no such level, or a null pointer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: not a mipmapped array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pLevelArray` must be valid for writing a pointer. The mipmapped array must not be destroyed.
///
/// Since CUDA 5.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaGetMipmappedArrayLevel")]
pub use crate::bindings::cuMipmappedArrayGetLevel;

/// Destroys a mipmapped array. If [`cuExternalMemoryGetMappedMipmappedArray`] mapped it, the mapping ends.
///
/// Call it before [`cuDestroyExternalMemory`]. The exporter's image is not destroyed.
///
/// # Parameters
///
/// - `hMipmappedArray`: the mipmapped array.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: not a mipmapped array.
/// - [`CUDA_ERROR_ARRAY_IS_MAPPED`]: a graphics resource maps it (the older `cuGraphics…` functions).
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: its context was destroyed.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// No work in flight may use the array, its levels, or textures and surfaces on them: synchronize first.
///
/// Since CUDA 5.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaFreeMipmappedArray")]
pub use crate::bindings::cuMipmappedArrayDestroy;

/// Returns an array's extent, format and flags. For a level of an imported image they show how the driver interpreted the
/// description.
///
/// # Parameters
///
/// - `pArrayDescriptor`: receives the description.
/// - `hArray`: the array, for example a level.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: not an array.
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: its context was destroyed.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pArrayDescriptor` must be valid for writing a [`CUDA_ARRAY3D_DESCRIPTOR`]. The array must not be
/// destroyed.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaArrayGetInfo")]
pub use crate::bindings::cuArray3DGetDescriptor_v2;

pub use crate::bindings::cuArray3DGetDescriptor;
