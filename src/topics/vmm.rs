//! Virtual memory management: memory that CUDA itself allocates, exports, imports and maps.
//!
//! | step | exporter | importer |
//! |---|---|---|
//! | allocate | [`cuMemCreate`] | |
//! | share the allocation | [`cuMemExportToShareableHandle`] | [`cuMemImportFromShareableHandle`] |
//! | map the allocation | [`cuMemAddressReserve`], [`cuMemMap`], [`cuMemSetAccess`] | the same |
//! | unmap and release the allocation | [`cuMemUnmap`], [`cuMemAddressFree`], [`cuMemRelease`] | the same |

#[cfg(doc)]
use crate::*; // for the links

/// A handle of an allocation, from [`cuMemCreate`] or [`cuMemImportFromShareableHandle`]: an opaque 64-bit number, not
/// an address. Any thread may use the handle. [`cuMemRelease`] releases the handle.
pub use crate::bindings::CUmemGenericAllocationHandle;

/// The properties of an allocation, for [`cuMemCreate`]. Begin with `default()`.
///
/// ```
/// use cuda_external_sys::*;
///
/// // On device 0, to be exported as a file descriptor.
/// let prop = CUmemAllocationProp {
///     type_: CU_MEM_ALLOCATION_TYPE_PINNED,
///     requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
///     location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
///     ..Default::default()
/// };
/// # let _ = prop;
/// ```
pub use crate::bindings::CUmemAllocationProp;

/// Rarely used properties of an allocation. `default()` sets none of them.
pub use crate::bindings::CUmemAllocationProp_allocFlags;

/// The kind of an allocation. For [`cuMemCreate`] use [`CU_MEM_ALLOCATION_TYPE_PINNED`]: the memory does not migrate.
pub use crate::bindings::CUmemAllocationType;
pub use crate::bindings::CUmemAllocationType_values::*;

/// The type of handle with which an allocation can be exported.
///
/// - [`CU_MEM_HANDLE_TYPE_NONE`]: the allocation cannot be exported.
/// - [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`]: a file descriptor, on Linux.
/// - [`CU_MEM_HANDLE_TYPE_WIN32`]: an NT handle, on Windows. The allocation also needs
///   [`win32HandleMetaData`](CUmemAllocationProp::win32HandleMetaData), the address of an `OBJECT_ATTRIBUTES`.
/// - [`CU_MEM_HANDLE_TYPE_WIN32_KMT`]: a KMT handle, on Windows.
/// - [`CU_MEM_HANDLE_TYPE_FABRIC`]: a handle for other machines of an NVLink fabric. Since CUDA 12.3.
pub use crate::bindings::CUmemAllocationHandleType;
pub use crate::bindings::CUmemAllocationHandleType_values::*;

/// The granularity that [`cuMemGetAllocationGranularity`] returns: the minimum or the recommended one.
pub use crate::bindings::CUmemAllocationGranularity_flags;
pub use crate::bindings::CUmemAllocationGranularity_flags_values::*;

/// The kind of a [`CUmemLocation`].
///
/// - [`CU_MEM_LOCATION_TYPE_INVALID`]: no location. This is the value of `default()`.
/// - [`CU_MEM_LOCATION_TYPE_DEVICE`]: a device, by its ordinal.
/// - Later releases add constants, for example for host memory (CUDA 12.2) and a part of a device's memory (CUDA 13.4).
pub use crate::bindings::CUmemLocationType;
pub use crate::bindings::CUmemLocationType_values::*;

/// A device and its access to mapped memory, for [`cuMemSetAccess`].
pub use crate::bindings::CUmemAccessDesc;

/// A device's access to mapped memory: none, read, or read and write.
pub use crate::bindings::CUmemAccess_flags;
pub use crate::bindings::CUmemAccess_flags_values::*;

/// The handle type that [`cuMemGetHandleForAddressRange`] exports: [`CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD`].
pub use crate::bindings::CUmemRangeHandleType;
pub use crate::bindings::CUmemRangeHandleType_values::*;

pub use crate::bindings::CUmemLocation;

export_functions! {
    /// Returns the granularity of an allocation with the properties `prop`. `option` selects the minimum or the
    /// recommended granularity. The size for [`cuMemCreate`], and the address and size for [`cuMemMap`], must be
    /// multiples of the minimum granularity.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// Both pointers must be valid for their types.
    pub use crate::bindings::cuMemGetAllocationGranularity;

    /// Allocates device memory with the properties `prop`. [`cuMemMap`] maps the memory.
    ///
    /// If `requestedHandleTypes` of `prop` is not 0, [`cuMemExportToShareableHandle`] can export the memory, and
    /// [`cuMemImportFromShareableHandle`] can import it. For an import by [`cuImportExternalMemory`],
    /// [`size`](CUDA_EXTERNAL_MEMORY_HANDLE_DESC::size) is the allocation's size.
    ///
    /// *Measured* on driver 580.159.04 (the manual does not say): [`cuImportExternalMemory`] works with and without
    /// [`CUDA_EXTERNAL_MEMORY_DEDICATED`]. For an allocation of 512 MiB or more, the import ends the process with
    /// SIGSEGV on a host with two H200s ([the measurements](crate::memory#cudas-own-memory-between-processes)).
    ///
    /// # Parameters
    ///
    /// - `size`: bytes, a multiple of the minimum granularity ([`cuMemGetAllocationGranularity`]).
    /// - `flags`: must be 0.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is not a multiple of the minimum granularity. *Measured* on driver
    ///   580.159.04: also for a Windows handle type on Linux.
    /// - [`CUDA_ERROR_NOT_PERMITTED`]: *measured* on driver 580.159.04 for [`CU_MEM_HANDLE_TYPE_FABRIC`]. By the
    ///   manual, this type needs an IMEX channel that the user can access.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`], [`CUDA_ERROR_INVALID_DEVICE`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// Both pointers must be valid for their types.
    ///
    /// Release the handle with [`cuMemRelease`].
    pub use crate::bindings::cuMemCreate;

    /// Releases a handle of an allocation.
    ///
    /// The memory is freed once all handles are released, all mappings are unmapped and all exported handles are
    /// closed. The handle may be released while a mapping still exists.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// The handle must be valid and be released only once; anything else is undefined behavior. *Measured*: driver
    /// 580.159.04 ends the process with SIGSEGV for an invalid handle (the number 1).
    pub use crate::bindings::cuMemRelease;

    /// Exports an allocation, for example as a file descriptor on Linux or an NT handle on Windows.
    ///
    /// [`cuMemImportFromShareableHandle`] imports the allocation in this process or another. [`cuImportExternalMemory`]
    /// can import a file descriptor as [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`]. [The section about CUDA's own
    /// memory](crate::memory#cudas-own-memory-between-processes) compares the two functions.
    ///
    /// # Parameters
    ///
    /// - `shareableHandle`: receives the handle: a C `int` for a file descriptor, a `HANDLE` for an NT handle, a
    ///   `D3DKMT_HANDLE` for a KMT handle, or the 64 bytes of a fabric handle. The caller owns a file descriptor or NT
    ///   handle, and closes it or passes it on.
    /// - `flags`: must be 0.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the allocation's `requestedHandleTypes` lack the bit `handleType`.
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// `shareableHandle` must be valid for writing a handle of this type.
    pub use crate::bindings::cuMemExportToShareableHandle;

    /// Imports an allocation that [`cuMemExportToShareableHandle`] exported, in this process or another.
    ///
    /// Prefer this function for memory that CUDA exported. *Measured* on a host with two H200s and driver 580.159.04:
    /// for allocations of 512 MiB to 4 GiB this function works, while [`cuImportExternalMemory`] ends the process with
    /// SIGSEGV ([the measurements](crate::memory#cudas-own-memory-between-processes)).
    ///
    /// # Parameters
    ///
    /// - `handle`: receives a handle of the allocation. The handle may differ from the exporter's handle, and from the
    ///   handle of another import of the same memory.
    /// - `osHandle`: the exported handle itself, not its address: a file descriptor cast to a pointer
    ///   (`fd as usize as *mut c_void`), or a Windows handle. Only for [`CU_MEM_HANDLE_TYPE_FABRIC`], `osHandle` is the
    ///   address of the fabric handle.
    ///
    /// # Ownership
    ///
    /// The caller keeps the file descriptor or NT handle, and may import it again or close it after the call. The
    /// import holds a separate reference to the memory. After a failure the file descriptor is still open. (*Measured*
    /// for file descriptors on driver 580.159.04; the manual does not say.)
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or does not refer to exported memory (*measured* on
    ///   driver 580.159.04).
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: this process cannot use the memory.
    /// - [`CUDA_ERROR_NOT_PERMITTED`]: this process cannot access the IMEX channel of a fabric handle's exporter.
    ///
    /// # Safety
    ///
    /// `handle` must be valid for writing a [`CUmemGenericAllocationHandle`]. `osHandle` must be a handle of the type
    /// `shHandleType`, or the address of the handle if the type is [`CU_MEM_HANDLE_TYPE_FABRIC`].
    ///
    /// # Example
    ///
    /// ```no_run
    /// use cuda_external_sys::*;
    /// use std::os::fd::{AsRawFd, OwnedFd};
    ///
    /// # #[cfg(any(feature = "load", feature = "link"))]
    /// /// Imports memory that another process exported. `fd` is closed when the function returns.
    /// fn import(fd: OwnedFd) -> Result<CUmemGenericAllocationHandle, CUresult> {
    ///     let mut handle = 0;
    ///     let fd = fd.as_raw_fd() as usize as *mut _;
    ///     unsafe {
    ///         cuMemImportFromShareableHandle(&mut handle, fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR).result()?;
    ///     }
    ///     Ok(handle)
    /// }
    /// ```
    ///
    /// Release the handle with [`cuMemRelease`].
    pub use crate::bindings::cuMemImportFromShareableHandle;

    /// Exports a range of device memory as a dma-buf, for other drivers.
    ///
    /// On desktop and server GPUs CUDA does not import dma-bufs. *Measured* on an H100 and an H200, driver 580.159.04:
    /// [`cuImportExternalMemory`] returns [`CUDA_ERROR_NOT_SUPPORTED`].
    ///
    /// # Parameters
    ///
    /// - `handle`: receives the file descriptor, a C `int`. The caller owns it and closes it.
    /// - `dptr`: the first address, a multiple of the host's page size.
    /// - `size`: bytes, a multiple of the host's page size.
    /// - `handleType`: [`CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD`].
    /// - `flags`: 0. The flag `CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE` (1, since CUDA 12.8), which this crate does
    ///   not bind, asks for a mapping through PCIe's BAR1.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] is 0.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `dptr` or `size` is not a multiple of the host's page size, or the range is not
    ///   completely mapped.
    ///
    /// # Safety
    ///
    /// `handle` must be valid for writing an `int`.
    ///
    /// Since CUDA 11.7.
    pub use crate::bindings::cuMemGetHandleForAddressRange;

    /// Reserves a range of device addresses without memory.
    ///
    /// # Parameters
    ///
    /// - `size`: bytes, a multiple of the host's page size. [`cuMemMap`] maps multiples of the minimum granularity
    ///   ([`cuMemGetAllocationGranularity`]).
    /// - `alignment`: the alignment of the address, a power of two; 0 for the default.
    /// - `addr`: a preferred address, a multiple of the host's page size; 0 for none.
    /// - `flags`: must be 0.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// `ptr` must be valid for writing a [`CUdeviceptr`].
    ///
    /// Free the range with [`cuMemAddressFree`].
    pub use crate::bindings::cuMemAddressReserve;

    /// Frees a range of device addresses.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `ptr` and `size` are not those of a reserved range.
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// No work in flight may use the addresses: synchronize first.
    pub use crate::bindings::cuMemAddressFree;

    /// Maps an allocation at reserved addresses. The addresses cannot be accessed before [`cuMemSetAccess`].
    ///
    /// # Parameters
    ///
    /// - `ptr`, `size`: the range to map, in multiples of the [minimum granularity](cuMemGetAllocationGranularity).
    /// - `offset`: must be 0.
    /// - `flags`: must be 0.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not reserved, is already mapped, or is larger than the allocation.
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    /// - [`CUDA_ERROR_ILLEGAL_STATE`]: for multicast objects, which are out of this crate's scope.
    ///
    /// # Safety
    ///
    /// The caller must own the reserved range.
    ///
    /// Unmap the allocation with [`cuMemUnmap`].
    pub use crate::bindings::cuMemMap;

    /// Unmaps an allocation. The call may wait for all work of the device.
    ///
    /// # Parameters
    ///
    /// - `size`: the number of bytes of the whole mapping.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the range is only a part of a mapping, or is not mapped.
    /// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// No work in flight may use the addresses: synchronize first.
    pub use crate::bindings::cuMemUnmap;

    /// Sets which devices may read and write mapped memory.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not completely mapped.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`], [`CUDA_ERROR_INVALID_DEVICE`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// `desc` must have `count` entries.
    pub use crate::bindings::cuMemSetAccess;
}
