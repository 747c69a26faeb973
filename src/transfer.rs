//! Device memory: allocating, freeing (mappings too), copying and filling.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A device address: a number of 64 bits, not a pointer that the host could read.
///
/// An offset is added to it in bytes.
pub use crate::bindings::CUdeviceptr;

/// What an end of a copy is, in [`CUDA_MEMCPY3D`]: host memory, device memory, an array, or (unified)
/// whatever the address says.
pub use crate::bindings::CUmemorytype;
pub use crate::bindings::CUmemorytype_values::*;

pub use crate::bindings::CUDA_MEMCPY2D;
/// A box of bytes and its two ends, for [`cuMemcpy3D_v2`].
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
