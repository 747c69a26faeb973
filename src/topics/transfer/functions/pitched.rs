//! The functions that copy rectangles and boxes.

#[cfg(doc)]
use crate::*; // for the links

/// Copies a rectangle of bytes between host memory, pitched device memory and arrays.
///
/// Video and image programs call it to read and write an imported image or a pitched buffer. A copy from pageable host
/// memory, and a copy within the device, may return before they are done:
/// [when a copy returns](crate::semaphore#when-a-copy-returns). Later work in the default stream comes after it.
///
/// # Parameters
///
/// - `pCopy`: the rectangle and its two sides. It is read during the call.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a rectangle that exceeds its array or pitch, a pitch above
///   [`CU_DEVICE_ATTRIBUTE_MAX_PITCH`], an invalid memory type, or a null pointer.
///   A copy within the device may also fail for a pitch that CUDA did not choose:
///   [`cuMemcpy2DUnaligned_v2`] takes any.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` describes must be valid for the rectangle.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy2D")]
#[doc(alias = "cudaMemcpy2DToArray")]
#[doc(alias = "cudaMemcpy2DFromArray")]
pub use crate::bindings::cuMemcpy2D_v2;

pub use crate::bindings::cuMemcpy2D;

/// Copies a rectangle of bytes as [`cuMemcpy2D_v2`] does, with any pitch.
///
/// It may be much slower where [`cuMemcpy2D_v2`] would return an error.
///
/// # Parameters
///
/// - `pCopy`: the rectangle and its two sides. It is read during the call.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a rectangle that exceeds its array or pitch, an invalid memory type, or a
///   null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` describes must be valid for the rectangle.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy2D")]
pub use crate::bindings::cuMemcpy2DUnaligned_v2;

pub use crate::bindings::cuMemcpy2DUnaligned;

/// Asynchronously copies a rectangle of bytes as [`cuMemcpy2D_v2`] does.
///
/// # Parameters
///
/// - `pCopy`: the rectangle and its two sides. It is read during the call.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a rectangle that exceeds its array or pitch, a pitch above
///   [`CU_DEVICE_ATTRIBUTE_MAX_PITCH`], an invalid memory type, or a null pointer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` describes must be valid for the rectangle until the copy is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy2DAsync")]
pub use crate::bindings::cuMemcpy2DAsync_v2;

pub use crate::bindings::cuMemcpy2DAsync;

/// Copies a box of bytes between host memory, pitched device memory and arrays.
///
/// It reads and writes imported images with layers or slices. [When a copy
/// returns](crate::semaphore#when-a-copy-returns) says when the call returns.
///
/// # Parameters
///
/// - `pCopy`: the box and its two sides. It is read during the call.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a box that exceeds its array or pitch, an invalid memory type, or a null
///   pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` describes must be valid for the box.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy3D")]
pub use crate::bindings::cuMemcpy3D_v2;

pub use crate::bindings::cuMemcpy3D;

/// Asynchronously copies a box of bytes as [`cuMemcpy3D_v2`] does.
///
/// # Parameters
///
/// - `pCopy`: the box and its two sides. It is read during the call.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a box that exceeds its array or pitch, an invalid memory type, or a null
///   pointer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` describes must be valid for the box until the copy is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemcpy3DAsync")]
pub use crate::bindings::cuMemcpy3DAsync_v2;

pub use crate::bindings::cuMemcpy3DAsync;
