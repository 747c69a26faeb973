//! The functions of [`crate::array`].

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
pub use crate::bindings::cuArray3DGetDescriptor_v2;

pub use crate::bindings::cuArray3DGetDescriptor;
