//! The functions of [`crate::memory`].

#[cfg(doc)]
use crate::*; // for the links

/// Imports memory that another API or process exported, and gives a handle for it.
///
/// The import itself maps nothing: [`cuExternalMemoryGetMappedBuffer`] and
/// [`cuExternalMemoryGetMappedMipmappedArray`] do.
///
/// # Parameters
///
/// - `extMem_out`: where the handle is put. It is written on success only.
/// - `memHandleDesc`: what is imported. Read during the call, and not kept.
///
/// # Ownership
///
/// A file descriptor becomes the driver's when the import succeeds: it is closed then, and its number may
/// already stand for another file. A failure with [`CUDA_ERROR_UNKNOWN`] has closed it too, any other has
/// left it open (measured: [the table](crate::memory#who-owns-the-file-descriptor)). So it is given up before the
/// call, and never closed after it. A Windows NT handle stays the caller's in either case, a KMT handle
/// needs no closing, and NvSci objects stay the caller's.
///
/// The imported handle holds a reference to the memory: the exporter may free its own object, and the
/// memory lives on until [`cuDestroyExternalMemory`] and the freeing of every mapping. KMT handles are the
/// exception, they hold none.
///
/// # Context and threads
///
/// A context of the device that the exporter uses must be current: match devices by UUID
/// ([`cuDeviceGetUuid_v2`]), on Windows by LUID. Any thread may import, several at once.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is 0, `type_` is no known type, a flag is unknown, a reserved
///   field is not 0, or a pointer is null.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform or device imports no such type, for example a Direct3D
///   heap on Linux, or a dma-buf on a desktop GPU.
/// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or is no memory of a GPU: a pipe, a memfd, a
///   file (measured).
/// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_OPERATING_SYSTEM`]: the handle does not stand for exported
///   memory.
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// That an import succeeds shows little. Driver 580.159 takes a wrong size, a wrong dedicated flag, a
/// semaphore, and dedicated memory of another GPU; and not every driver need do so.
///
/// # Safety
///
/// The pointers must be valid for their types, and the arm of `handle` that goes with `type_` must be the
/// one that was written. A file descriptor must be the caller's to give away: nobody else may use or close
/// it afterwards.
///
/// # Example
///
/// An FD from `vkGetMemoryFdKHR`, of a dedicated allocation of `size` bytes:
///
/// ```no_run
/// use cuda_external_sys::*;
/// use std::ptr;
///
/// /// Takes the FD over, whatever comes of it: after a failure it is not to be closed either.
/// unsafe fn import(fd: i32, size: u64) -> Result<CUexternalMemory, CUresult> {
///     let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
///         type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
///         handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
///         size,
///         flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
///         ..Default::default()
///     };
///     let mut memory = ptr::null_mut();
///     match unsafe { cuImportExternalMemory(&mut memory, &desc) } {
///         CUDA_SUCCESS => Ok(memory),
///         error => Err(error),
///     }
/// }
/// ```
///
/// Undone by [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver API manual, "External Resource
/// Interoperability"; the file descriptor after a failure is measured.
#[doc(alias = "cudaImportExternalMemory")]
pub use crate::bindings::cuImportExternalMemory;

/// Maps a range of imported memory, and gives its device address.
///
/// For buffers and for linear images. What the exporter tiles (a Vulkan image with optimal tiling, a
/// Direct3D texture) is mapped by [`cuExternalMemoryGetMappedMipmappedArray`].
///
/// # Parameters
///
/// - `devPtr`: where the device address of the range's first byte is put.
/// - `extMem`: the import.
/// - `bufferDesc`: offset and size in bytes. Read during the call, and not kept.
///
/// The range must be one that the exporter's API could bind a buffer at, in its alignment. Ranges that
/// overlap may get different addresses for the same bytes, and the GPU's caches then treat them as
/// different memory: map the whole range once and add offsets to its address.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range goes beyond the memory (driver 580.159 compares with the true
///   size here, not with the size that the import named), `size` is 0, or `flags` is not. Memory imported
///   with [`CUDA_EXTERNAL_MEMORY_DEDICATED`] is mapped from offset 0 only (measured on the same driver).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointers must be valid for their types, `extMem` must be an import that was not destroyed (driver
/// 580.159 does not check, and ends the process by SIGSEGV), and a context of its device must be current.
/// Reading what the exporter writes at the same time is a data race on the GPU: semaphores order the two.
///
/// Undone by [`cuMemFree_v2`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver API
/// manual, "External Resource Interoperability"; the size check is measured.
#[doc(alias = "cudaExternalMemoryGetMappedBuffer")]
pub use crate::bindings::cuExternalMemoryGetMappedBuffer;

/// Maps an image in imported memory as a CUDA mipmapped array.
///
/// For images in a tiling of the GPU's own, which have no linear address. A level of the array, by
/// [`cuMipmappedArrayGetLevel`], is what copies, textures and surfaces use.
///
/// # Parameters
///
/// - `mipmap`: where the array's handle is put.
/// - `extMem`: the import.
/// - `mipmapDesc`: offset, extent, format, flags and number of levels. They must be those of the exporter's
///   image: the driver cannot check them, and an image that is described otherwise reads as noise.
///
/// [How to describe an image](crate::memory#images) has the extents and flags for each shape.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an extent, a flag or a number of levels that no array can have, or more
///   than the memory holds.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// A dma-buf import cannot be mapped as an array, only as a buffer; one of NvSciBuf has one level.
///
/// # Safety
///
/// The pointers must be valid for their types, `extMem` must be an import that was not destroyed (driver
/// 580.159 does not check, and ends the process by SIGSEGV), and a context of its device must be current.
/// `numLevels` must not be 0, which breaks that driver's heap.
///
/// Undone by [`cuMipmappedArrayDestroy`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source:
/// driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaExternalMemoryGetMappedMipmappedArray")]
pub use crate::bindings::cuExternalMemoryGetMappedMipmappedArray;

/// Ends an import.
///
/// It frees none of the mappings, which hold the memory by themselves. Each must be freed by its own call,
/// [`cuMemFree_v2`] or [`cuMipmappedArrayDestroy`], and by NVIDIA's manual none may be used after this one:
/// [the order of teardown](crate#teardown).
///
/// # Parameters
///
/// - `extMem`: the import. The handle is worth nothing afterwards.
///
/// It waits for nothing: synchronize the streams that used the memory first. What the exporter holds is not
/// touched.
///
/// # Errors
///
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `extMem` must come from [`cuImportExternalMemory`], be destroyed once only and before its context is
/// released, and have no work in flight. Otherwise driver 580.159 ends the process by SIGSEGV.
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaDestroyExternalMemory")]
pub use crate::bindings::cuDestroyExternalMemory;
