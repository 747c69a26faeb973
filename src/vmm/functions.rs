//! The functions of [`crate::vmm`].

#[cfg(doc)]
use crate::*; // for the links

/// Tells what sizes and addresses of [`cuMemCreate`], [`cuMemAddressReserve`] and [`cuMemMap`] must be
/// multiples of; mostly 2 MiB.
///
/// # Parameters
///
/// - `granularity`: where the number of bytes is put.
/// - `prop`: the properties that the memory will have.
/// - `option`: the smallest possible or the recommended number.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: properties that no memory can have, or a null pointer.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the device has no virtual memory management.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemGetAllocationGranularity;

/// Allocates device memory with properties, among them that it can be exported. It has no address before
/// [`cuMemMap`].
///
/// What it makes is a dedicated allocation of its own; its size is a multiple of the granularity, and that
/// is also the size to import.
///
/// # Parameters
///
/// - `handle`: where the handle is put.
/// - `size`: bytes, a multiple of [`cuMemGetAllocationGranularity`].
/// - `prop`: where it is, and what it can be exported as.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is 0 or no multiple, or properties that no memory can have.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: `prop.location` is none.
/// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: this system does not export as
///   `requestedHandleTypes` says.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types.
///
/// Undone by [`cuMemRelease`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemCreate;

/// Gives the handle of an allocation back. The memory goes once its mappings and its exported handles are
/// gone too.
///
/// # Parameters
///
/// - `handle`: the handle.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: it is none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuMemCreate`] and be given back once only.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemRelease;

/// Exports an allocation: as a file descriptor on Linux, as an NT handle on Windows.
///
/// A file descriptor of it can be imported by [`cuImportExternalMemory`] as
/// [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`], in this process or another: CUDA alone can go the whole
/// way.
///
/// # Parameters
///
/// - `shareableHandle`: where the handle is put: a C `int` for a file descriptor. It is the caller's, to
///   close or to give away.
/// - `handle`: the allocation.
/// - `handleType`: one of those that `requestedHandleTypes` had.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the allocation was not made for this type.
/// - [`CUDA_ERROR_NOT_SUPPORTED`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `shareableHandle` must be valid for what `handleType` puts there.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemExportToShareableHandle;

/// Exports a range of device memory as a dma-buf, for other drivers.
///
/// CUDA does not import it again: driver 580.159 on an H200 answers [`CUDA_ERROR_NOT_SUPPORTED`].
///
/// # Parameters
///
/// - `handle`: where the file descriptor is put, a C `int`. It is the caller's, to close.
/// - `dptr`: the first byte, at a boundary of the host's pages.
/// - `size`: bytes, whole pages of the host.
/// - `handleType`: [`CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD`].
/// - `flags`: 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] is 0.
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not aligned, or not mapped throughout.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `handle` must be valid for a C `int`.
///
/// Since CUDA 11.7. Source: driver API manual, "Memory Management".
pub use crate::bindings::cuMemGetHandleForAddressRange;

/// Reserves a range of device addresses, with no memory behind it.
///
/// # Parameters
///
/// - `ptr`: where the first address is put.
/// - `size`: bytes, a multiple of the granularity.
/// - `alignment`: of the address; 0 for none in particular, else a power of two.
/// - `addr`: an address that would suit; 0 for none in particular.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: a number that is no multiple.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuMemAddressFree`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemAddressReserve;

/// Gives a range of device addresses back.
///
/// # Parameters
///
/// - `ptr`: its first address.
/// - `size`: its size in bytes, as it was reserved.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: it is not such a range, or something is still mapped in it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the addresses any more.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemAddressFree;

/// Maps an allocation at reserved addresses. [`cuMemSetAccess`] must follow before anything reads or writes
/// there.
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
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not reserved, is mapped already, or is larger than the
///   allocation.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be the caller's.
///
/// Undone by [`cuMemUnmap`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemMap;

/// Takes a mapping away again. It may wait for all work of the device.
///
/// # Parameters
///
/// - `ptr`: the first address.
/// - `size`: bytes, as they were mapped.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: it is not a mapping, or only a part of one.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the addresses any more.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemUnmap;

/// Says which devices may read and write mapped memory.
///
/// # Parameters
///
/// - `ptr`: the first address.
/// - `size`: bytes, whole mappings.
/// - `desc`: one entry for each device.
/// - `count`: how many entries.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not mapped, or a null pointer.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_NOT_SUPPORTED`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `desc` must have `count` entries.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
pub use crate::bindings::cuMemSetAccess;

pub use crate::bindings::cuMemImportFromShareableHandle;
