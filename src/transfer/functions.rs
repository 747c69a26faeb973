//! The functions of [`crate::transfer`].

#[cfg(doc)]
use crate::*; // for the links

/// Allocates device memory, which cannot be exported: [`cuMemCreate`] makes what can.
///
/// # Parameters
///
/// - `dptr`: where the address is put, aligned to 256 bytes at least.
/// - `bytesize`: bytes; not 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: `bytesize` is 0, or a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuMemFree_v2`]. Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemAlloc")]
#[doc(alias = "cudaMalloc")]
pub use crate::bindings::cuMemAlloc_v2;

/// Frees device memory, or a mapping from [`cuExternalMemoryGetMappedBuffer`].
///
/// Every mapping is freed by its own call, before [`cuDestroyExternalMemory`]. The exporter's memory stays.
///
/// # Parameters
///
/// - `dptr`: the address, exactly as it was given.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: no allocation and no mapping begins there.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the memory any more: synchronize first.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemFree")]
#[doc(alias = "cudaFree")]
pub use crate::bindings::cuMemFree_v2;

/// Tells how much device memory is free, and how much there is.
///
/// All processes take from it: the number is out of date when it is read.
///
/// # Parameters
///
/// - `free`: where the number of free bytes is put.
/// - `total`: where the number of all bytes is put.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemGetInfo")]
#[doc(alias = "cudaMemGetInfo")]
pub use crate::bindings::cuMemGetInfo_v2;

/// Copies bytes from host memory to device memory, and returns when that is done.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcHost`: where from.
/// - `ByteCount`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyHtoD")]
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpyHtoD_v2;

/// Copies bytes from device memory to host memory, and returns when that is done.
///
/// # Parameters
///
/// - `dstHost`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoH")]
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpyDtoH_v2;

/// Copies bytes from device memory to device memory. It may return before that is done; later work in the
/// default stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoD")]
#[doc(alias = "cudaMemcpy")]
pub use crate::bindings::cuMemcpyDtoD_v2;

/// Enqueues in a stream a copy of bytes from host memory to device memory.
///
/// Where the host memory is pageable, it may return only after the bytes are read.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcHost`: where from.
/// - `ByteCount`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyHtoDAsync")]
#[doc(alias = "cudaMemcpyAsync")]
pub use crate::bindings::cuMemcpyHtoDAsync_v2;

/// Enqueues in a stream a copy of bytes from device memory to host memory.
///
/// Where the host memory is pageable, it may return only after the copy is done.
///
/// # Parameters
///
/// - `dstHost`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoHAsync")]
#[doc(alias = "cudaMemcpyAsync")]
pub use crate::bindings::cuMemcpyDtoHAsync_v2;

/// Enqueues in a stream a copy of bytes from device memory to device memory.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoDAsync")]
#[doc(alias = "cudaMemcpyAsync")]
pub use crate::bindings::cuMemcpyDtoDAsync_v2;

/// Copies a box of bytes between host memory, device memory and arrays, and returns when that is done.
///
/// The way to read and write an imported image: take a level by [`cuMipmappedArrayGetLevel`].
///
/// # Parameters
///
/// - `pCopy`: what is copied where. Read during the call.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a box that goes beyond its array or pitch, or a memory type that is
///   none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` names must be valid for the box.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpy3D")]
#[doc(alias = "cudaMemcpy3D")]
pub use crate::bindings::cuMemcpy3D_v2;

/// Enqueues in a stream what [`cuMemcpy3D_v2`] does.
///
/// # Parameters
///
/// - `pCopy`: what is copied where. Read during the call.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a box that goes beyond its array or pitch, or a memory type that is
///   none.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` names must be valid for the box until the copy is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpy3DAsync")]
#[doc(alias = "cudaMemcpy3DAsync")]
pub use crate::bindings::cuMemcpy3DAsync_v2;

/// Sets bytes of device memory. It may return before that is done; later work in the default stream comes
/// after it.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address.
/// - `uc`: what each is set to.
/// - `N`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemsetD8")]
#[doc(alias = "cudaMemset")]
pub use crate::bindings::cuMemsetD8_v2;

/// Enqueues in a stream the setting of bytes of device memory.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address.
/// - `uc`: what each is set to.
/// - `N`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid until the work is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemsetAsync")]
pub use crate::bindings::cuMemsetD8Async;

/// Sets words of 32 bits of device memory. It may return before that is done; later work in the default
/// stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address, aligned to 4 bytes.
/// - `ui`: what each is set to.
/// - `N`: how many words of 32 bits.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context or is not aligned,
///   or a range beyond it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemsetD32")]
#[doc(alias = "cudaMemset")]
pub use crate::bindings::cuMemsetD32_v2;

/// Enqueues in a stream the setting of words of 32 bits of device memory.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address, aligned to 4 bytes.
/// - `ui`: what each is set to.
/// - `N`: how many words of 32 bits.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context or is not aligned,
///   or a range beyond it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid until the work is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemsetAsync")]
pub use crate::bindings::cuMemsetD32Async;

pub use crate::bindings::{cuMemcpy2D_v2, cuMemcpy2DAsync_v2, cuMemcpy2DUnaligned_v2};

pub use crate::bindings::{
    cuMemAlloc, cuMemFree, cuMemGetInfo, cuMemcpy2D, cuMemcpy2DAsync, cuMemcpy2DUnaligned, cuMemcpy3D,
    cuMemcpy3DAsync, cuMemcpyDtoD, cuMemcpyDtoDAsync, cuMemcpyDtoH, cuMemcpyDtoHAsync, cuMemcpyHtoD,
    cuMemcpyHtoDAsync, cuMemsetD8, cuMemsetD32,
};
