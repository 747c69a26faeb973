//! Copying between host memory, device memory and arrays, and filling device memory.
//!
//! An imported buffer is copied by its address ([`cuMemcpyDtoH_v2`]), row by row where it is pitched
//! ([`cuMemcpy2D_v2`]). A level of an imported image is an array ([`cuMipmappedArrayGetLevel`]), which
//! [`cuMemcpy2D_v2`] and [`cuMemcpy3D_v2`] copy.
//!
//! The functions that end in `Async` enqueue the work in a stream. The others work in the default stream. Around
//! semaphores use the `Async` functions, in the stream that waits and signals:
//! [one stream](crate::semaphore#one-stream).
//!
//! [When a copy returns](crate::semaphore#when-a-copy-returns) depends on the memory.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// The kind of a copy's source or destination, in [`CUDA_MEMCPY2D`] and [`CUDA_MEMCPY3D`]: host memory, device memory, an
/// array, or unified, where the driver finds the kind by the address.
pub use crate::bindings::CUmemorytype;
pub use crate::bindings::CUmemorytype_values::*;

/// A rectangle of bytes, its source and its destination, for [`cuMemcpy2D_v2`].
///
/// The rectangle begins at the byte `XInBytes` of the row `Y` of each side. A pitch is the distance in bytes
/// from one row to the next, at least `XInBytes + WidthInBytes`. An array has no pitch, and `XInBytes` must be a multiple
/// of its element's size. (*Measured*: driver 580.159.04 does not check that.) Begin with `default()`.
///
/// ```
/// use cuda_external_sys::*;
///
/// /// Level 0 of a mapped image with 4-byte texels, into a buffer with rows of `pitch` bytes.
/// fn to_buffer(image: CUarray, buffer: CUdeviceptr, pitch: usize, width: usize, height: usize) -> CUDA_MEMCPY2D {
///     CUDA_MEMCPY2D {
///         srcMemoryType: CU_MEMORYTYPE_ARRAY,
///         srcArray: image,
///         dstMemoryType: CU_MEMORYTYPE_DEVICE,
///         dstDevice: buffer,
///         dstPitch: pitch,
///         WidthInBytes: width * 4,
///         Height: height,
///         ..Default::default()
///     }
/// }
/// # to_buffer(std::ptr::null_mut(), 0, 256, 64, 64);
/// ```
#[doc(alias = "cudaMemcpy2DToArray")]
#[doc(alias = "cudaMemcpy2DFromArray")]
pub use crate::bindings::CUDA_MEMCPY2D;

/// A box of bytes, its source and its destination, for [`cuMemcpy3D_v2`]. Begin with `default()`.
///
/// ```
/// use cuda_external_sys::*;
///
/// /// Level 0 of a 2D array of 4-byte elements, all of it, into host memory without padding.
/// fn download(array: CUarray, width: usize, height: usize, to: &mut [u8]) -> CUDA_MEMCPY3D {
///     assert_eq!(to.len(), width * height * 4);
///     CUDA_MEMCPY3D {
///         srcMemoryType: CU_MEMORYTYPE_ARRAY,
///         srcArray: array,
///         dstMemoryType: CU_MEMORYTYPE_HOST,
///         dstHost: to.as_mut_ptr().cast(),
///         dstPitch: width * 4,
///         dstHeight: height,
///         WidthInBytes: width * 4,
///         Height: height,
///         Depth: 1,
///         ..Default::default()
///     }
/// }
/// # download(std::ptr::null_mut(), 2, 2, &mut [0; 16]);
/// ```
#[doc(alias = "cudaMemcpy3DParms")]
pub use crate::bindings::CUDA_MEMCPY3D;
