//! Virtual memory management: memory that CUDA itself allocates, exports, imports and maps.
//!
//! | step | exporter | importer |
//! |---|---|---|
//! | the memory | [`cuMemCreate`] | [`cuMemImportFromShareableHandle`] |
//! | a handle for the other side | [`cuMemExportToShareableHandle`] | |
//! | an address | [`cuMemAddressReserve`], [`cuMemMap`], [`cuMemSetAccess`] | the same |
//! | afterwards | [`cuMemUnmap`], [`cuMemAddressFree`], [`cuMemRelease`] | the same |

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// An allocation of [`cuMemCreate`] or [`cuMemImportFromShareableHandle`]: an opaque 64-bit handle, not an address.
/// Any thread may use it. [`cuMemRelease`] releases it.
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

/// The kind of an allocation: [`CU_MEM_ALLOCATION_TYPE_PINNED`], memory that does not migrate.
pub use crate::bindings::CUmemAllocationType;
pub use crate::bindings::CUmemAllocationType_values::*;

/// The handle type that an allocation can be exported with.
///
/// - [`CU_MEM_HANDLE_TYPE_NONE`]: it cannot be exported.
/// - [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`]: a file descriptor, on Linux.
/// - [`CU_MEM_HANDLE_TYPE_WIN32`]: an NT handle, on Windows.
/// - [`CU_MEM_HANDLE_TYPE_WIN32_KMT`]: a KMT handle, on Windows.
/// - [`CU_MEM_HANDLE_TYPE_FABRIC`]: a handle for other machines of an NVLink fabric. Since CUDA 12.3.
pub use crate::bindings::CUmemAllocationHandleType;
pub use crate::bindings::CUmemAllocationHandleType_values::*;

/// The granularity that [`cuMemGetAllocationGranularity`] returns: the minimum or the recommended one.
pub use crate::bindings::CUmemAllocationGranularity_flags;
pub use crate::bindings::CUmemAllocationGranularity_flags_values::*;

/// The kind of a [`CUmemLocation`].
///
/// - [`CU_MEM_LOCATION_TYPE_INVALID`]: none; `default()`.
/// - [`CU_MEM_LOCATION_TYPE_DEVICE`]: a device, by its ordinal.
/// - The others, of newer releases: host memory and parts of a device.
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
