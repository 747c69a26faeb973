//! The functions of [`crate::texture`].

#[cfg(doc)]
use crate::*; // for the links

/// Creates a surface object on an array, for kernels that read and write it.
///
/// # Parameters
///
/// - `pSurfObject`: receives the object.
/// - `pResDesc`: the array: `resType` is [`CU_RESOURCE_TYPE_ARRAY`]. It is read during the call.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: another `resType`, or `flags` is not 0.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types. The array must have [`CUDA_ARRAY3D_SURFACE_LDST`] and must outlive the
/// object. *Measured* on driver 580.159.04: a null `pSurfObject` ends the process with SIGSEGV, and the flag is not checked.
///
/// Destroy it with [`cuSurfObjectDestroy`]. Since CUDA 5.0. Source: driver API manual, "Surface Object
/// Management".
#[doc(alias = "cudaCreateSurfaceObject")]
pub use crate::bindings::cuSurfObjectCreate;

/// Destroys a surface object. Its array is not destroyed.
///
/// *Measured*: driver 580.159.04 returns success for any number, also for an object that is already destroyed.
///
/// # Parameters
///
/// - `surfObject`: the object.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid object.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The object must come from [`cuSurfObjectCreate`] and be destroyed only once. No kernel in flight may use it.
///
/// Since CUDA 5.0. Source: driver API manual, "Surface Object Management".
#[doc(alias = "cudaDestroySurfaceObject")]
pub use crate::bindings::cuSurfObjectDestroy;

/// Creates a texture object on an array, a mipmapped array or device memory, for kernels that read it.
///
/// # Parameters
///
/// - `pTexObject`: receives the object.
/// - `pResDesc`: what the texture is on. It is read during the call.
/// - `pTexDesc`: how the texture addresses, filters and converts. It is read during the call.
/// - `pResViewDesc`: a part of the array or another format; null for the array as it is, and for device memory.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, a null array, an address that is not aligned, three channels, a
///   view whose extent is not the array's, or `flags` of the resource is not 0.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointers must be valid for their types. The field of `pResDesc.res` that goes with `resType` must be
/// the one that was written. The array or memory must outlive the object. Success does not prove that the description was
/// correct. *Measured*: driver 580.159.04 also accepts a mipmapped array without [`CU_TRSF_NORMALIZED_COORDINATES`], linear
/// filtering of integers, and a view of levels that the array lacks.
///
/// Destroy it with [`cuTexObjectDestroy`]. Since CUDA 5.0. Source: driver API manual, "Texture Object
/// Management".
#[doc(alias = "cudaCreateTextureObject")]
pub use crate::bindings::cuTexObjectCreate;

/// Destroys a texture object. Its array or memory is not destroyed.
///
/// *Measured*: driver 580.159.04 returns success for any number, also for an object that is already destroyed.
///
/// # Parameters
///
/// - `texObject`: the object.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid object.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The object must come from [`cuTexObjectCreate`] and be destroyed only once. No kernel may use it any more.
///
/// Since CUDA 5.0. Source: driver API manual, "Texture Object Management".
#[doc(alias = "cudaDestroyTextureObject")]
pub use crate::bindings::cuTexObjectDestroy;
