//! The functions of [`crate::allocation`].

#[cfg(doc)]
use crate::*; // for the links

/// Allocates device memory that cannot be exported. [`cuMemCreate`] allocates memory that can.
///
/// # Parameters
///
/// - `dptr`: receives the address, aligned to at least 256 bytes. The memory is not cleared.
/// - `bytesize`: bytes; not 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: `bytesize` is 0, or a null pointer.
/// - [`CUDA_ERROR_EXTERNAL_DEVICE`]: an external device reported an error.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `dptr` must be valid for writing a [`CUdeviceptr`].
///
/// Freed by [`cuMemFree_v2`]. Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMalloc")]
pub use crate::bindings::cuMemAlloc_v2;

/// [`cuMemAlloc_v2`] by the name that C programs write. A macro in cuda.h renames it; here both names are
/// the same function.
pub use crate::bindings::cuMemAlloc;

/// Frees device memory, or a buffer that [`cuExternalMemoryGetMappedBuffer`] mapped.
///
/// Every mapping is freed by a call of its own, before [`cuDestroyExternalMemory`]. The exporter's memory is
/// not freed. The call may wait for work of the device, but do not rely on it.
///
/// # Parameters
///
/// - `dptr`: the address exactly as it was returned; 0 does nothing (measured on driver 580.159).
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: neither an allocation nor a mapping begins at this address.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the memory any more: synchronize first.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaFree")]
pub use crate::bindings::cuMemFree_v2;

/// [`cuMemFree_v2`] by the name that C programs write. A macro in cuda.h renames it; here both names are
/// the same function.
pub use crate::bindings::cuMemFree;

/// Returns how much device memory is free and how much the device has.
///
/// Other processes use the same memory, so the number of free bytes may be out of date at once.
///
/// # Parameters
///
/// - `free`: receives the number of free bytes.
/// - `total`: receives the number of all bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for writing a `size_t`.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemGetInfo")]
pub use crate::bindings::cuMemGetInfo_v2;

/// [`cuMemGetInfo_v2`] by the name that C programs write. A macro in cuda.h renames it; here both names are
/// the same function.
pub use crate::bindings::cuMemGetInfo;
