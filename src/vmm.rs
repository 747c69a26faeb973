//! Virtual memory management: memory that CUDA itself allocates, maps, exports and imports.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// An allocation of [`cuMemCreate`]: a number, and no address.
pub use crate::bindings::CUmemGenericAllocationHandle;

/// What [`cuMemCreate`] allocates. Begin with `default()`.
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

/// Rarely used properties of an allocation. `default()` is none of them.
pub use crate::bindings::CUmemAllocationProp_allocFlags;

/// The kind of an allocation: [`CU_MEM_ALLOCATION_TYPE_PINNED`], memory that stays where it is.
pub use crate::bindings::CUmemAllocationType;
pub use crate::bindings::CUmemAllocationType_values::*;

/// What an allocation can be exported as.
///
/// - [`CU_MEM_HANDLE_TYPE_NONE`]: as nothing at all.
/// - [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`]: a file descriptor, on Linux.
/// - [`CU_MEM_HANDLE_TYPE_WIN32`]: an NT handle, on Windows.
/// - [`CU_MEM_HANDLE_TYPE_WIN32_KMT`]: a KMT handle, on Windows.
/// - `CU_MEM_HANDLE_TYPE_FABRIC`, in newer releases: a handle for other machines of an NVLink fabric.
pub use crate::bindings::CUmemAllocationHandleType;
pub use crate::bindings::CUmemAllocationHandleType_values::*;

/// Which granularity [`cuMemGetAllocationGranularity`] tells: the smallest that works, or the one that
/// works best.
pub use crate::bindings::CUmemAllocationGranularity_flags;
pub use crate::bindings::CUmemAllocationGranularity_flags_values::*;

/// What [`CUmemLocation::id`] counts.
///
/// - [`CU_MEM_LOCATION_TYPE_INVALID`]: nothing; `default()`.
/// - [`CU_MEM_LOCATION_TYPE_DEVICE`]: devices, by ordinal.
/// - The others, of newer releases: places in the host's memory and parts of a device.
pub use crate::bindings::CUmemLocationType;
pub use crate::bindings::CUmemLocationType_values::*;

/// A device, and what it may do with mapped memory, for [`cuMemSetAccess`].
pub use crate::bindings::CUmemAccessDesc;

/// What a device may do with mapped memory: nothing, read, or read and write.
pub use crate::bindings::CUmemAccess_flags;
pub use crate::bindings::CUmemAccess_flags_values::*;

/// What [`cuMemGetHandleForAddressRange`] exports: [`CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD`].
pub use crate::bindings::CUmemRangeHandleType;
pub use crate::bindings::CUmemRangeHandleType_values::*;

pub use crate::bindings::CUmemLocation;
