//! The functions that map allocations at device addresses.

#[cfg(doc)]
use crate::*; // for the links

/// Reserves a range of device addresses without memory.
///
/// # Parameters
///
/// - `ptr`: receives the first address.
/// - `size`: bytes, a multiple of the granularity.
/// - `alignment`: the alignment of the address, a power of two; 0 for the default.
/// - `addr`: a preferred address; 0 for none.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: `size` or `alignment` is not a valid multiple.
/// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuMemCreate`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `ptr` must be valid for writing a [`CUdeviceptr`].
///
/// Free it with [`cuMemAddressFree`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemAddressReserve;

/// Frees a range of device addresses.
///
/// # Parameters
///
/// - `ptr`: its first address.
/// - `size`: its size in bytes, as it was reserved.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: not a reserved range, or memory is still mapped in it.
/// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuMemCreate`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// No work in flight may use the addresses: synchronize first.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemAddressFree;

/// Maps an allocation at reserved addresses. They cannot be accessed before [`cuMemSetAccess`].
///
/// # Parameters
///
/// - `ptr`: the first address, in a reserved range.
/// - `size`: bytes, a multiple of the granularity.
/// - `offset`: must be 0.
/// - `handle`: the allocation.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not reserved, is already mapped, or is larger than the
///   allocation.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: the allocation's device cannot be used here.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuMemCreate`].
/// - [`CUDA_ERROR_ILLEGAL_STATE`]: for multicast objects, which are out of scope here.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The caller must own the reserved range.
///
/// Unmap it with [`cuMemUnmap`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemMap;

/// Unmaps an allocation. It may wait for all work of the device.
///
/// # Parameters
///
/// - `ptr`: the first address.
/// - `size`: bytes: the whole mapping, not a part of it.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: not a mapping, or only a part of one.
/// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuMemCreate`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// No work in flight may use the addresses: synchronize first.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemUnmap;

/// Sets which devices may read and write mapped memory.
///
/// # Parameters
///
/// - `ptr`: the first address.
/// - `size`: bytes; the range consists of whole mappings.
/// - `desc`: an array with one entry for each device.
/// - `count`: the number of entries.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not mapped, or a null pointer.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the device cannot access the memory.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `desc` must have `count` entries.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemSetAccess;
