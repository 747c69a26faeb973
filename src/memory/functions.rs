//! The functions of [`crate::memory`].

#[cfg(doc)]
use crate::*; // for the links

/// Imports memory that another API or process exported, and returns a handle for it.
///
/// The import itself maps nothing: [`cuExternalMemoryGetMappedBuffer`] and
/// [`cuExternalMemoryGetMappedMipmappedArray`] do. For memory that CUDA itself allocated, prefer
/// [`cuMemImportFromShareableHandle`]: [CUDA's own memory](crate::memory#cudas-own-memory-between-processes).
///
/// # Parameters
///
/// - `extMem_out`: receives the handle, on success only.
/// - `memHandleDesc`: describes what is imported. Read during the call, and not kept.
///
/// # Ownership
///
/// - **A file descriptor** is the driver's after a successful import, which closes it. A failure with
///   [`CUDA_ERROR_UNKNOWN`] has closed it too, and any other has left it open (*measured*:
///   [the table](crate::guide::file_descriptors)). So give it up before the call, and
///   [never close it after it](crate::memory#who-owns-the-file-descriptor). Who owns the FD of a dma-buf is not
///   documented.
/// - **A Windows NT handle** stays the caller's, who closes it with `CloseHandle`. It holds a reference: the
///   memory is not freed while the handle is open.
/// - **A KMT handle** is not closed and holds no reference. It is invalid once every reference to the memory
///   is gone.
/// - **NvSci objects** stay the caller's, who keeps them until the import has ended.
///
/// With FDs on Linux, the imported handle holds a reference to the memory (*measured*): the exporter may free
/// its own object, and the memory stays until [`cuDestroyExternalMemory`] and the freeing of every mapping.
/// Whether an import does so on Windows is *not verified*.
///
/// # Coherence
///
/// Vulkan memory that the host maps needs `vkFlushMappedMemoryRanges`, `vkInvalidateMappedMemoryRanges` and
/// pipeline barriers. NvSciBuf memory that other engines map needs
/// [NvSciSync semaphores](crate::guide::nvsci#coherence) as barriers.
///
/// # Context and threads
///
/// A context of the device that the exporter uses must be current: [match devices](crate::device#matching-devices)
/// by UUID, on Windows by LUID. Any thread may import, several at once.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is 0, `type_` is unknown, a flag is unknown, a reserved field is not
///   0, or a pointer is null.
/// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_OPERATING_SYSTEM`]: the handle does not refer to exported
///   memory.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform or device does not import this type, for example a Direct3D
///   heap on Linux, or a dma-buf on a desktop GPU (*measured*).
/// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or is not memory of a GPU: a pipe, a memfd, a
///   file (*measured*).
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released (*measured*).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// A successful import does not prove that the description was correct. Driver 580.159.04 accepts a wrong
/// size, a wrong dedicated flag, a semaphore, and some memory of another GPU (*measured*).
///
/// # Safety
///
/// The pointers must be valid for their types, and the union field of `handle` that goes with `type_` must be
/// the one that was written. A file descriptor must be the caller's to give away: nobody else may use or close
/// it, before or after.
///
/// # Example
///
/// An FD from `vkGetMemoryFdKHR`, of a dedicated allocation of `size` bytes:
///
/// ```no_run
/// use cuda_external_sys::*;
/// use std::ptr;
///
/// /// Takes over the FD: it must not be closed after a failure either.
/// unsafe fn import(fd: i32, size: u64) -> Result<CUexternalMemory, CUresult> {
///     let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
///         type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
///         handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
///         size,
///         flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
///         ..Default::default()
///     };
///     let mut memory = ptr::null_mut();
///     unsafe { cuImportExternalMemory(&mut memory, &desc).result()? };
///     Ok(memory)
/// }
/// ```
///
/// Undone by [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver API manual, "External Resource
/// Interoperability".
#[doc(alias = "cudaImportExternalMemory")]
pub use crate::bindings::cuImportExternalMemory;

/// Maps a range of imported memory, and returns its device address.
///
/// For buffers and for linear images. What the exporter tiles (a Vulkan image with optimal tiling, a
/// Direct3D texture) is mapped by [`cuExternalMemoryGetMappedMipmappedArray`].
///
/// # Parameters
///
/// - `devPtr`: receives the device address of the range's first byte.
/// - `extMem`: the import.
/// - `bufferDesc`: offset and size in bytes. Read during the call, and not kept.
///
/// The range must be one at which the exporter's API could bind a buffer, in its alignment.
///
/// # Overlapping ranges
///
/// Two mappings of ranges that overlap may get different addresses for the same bytes. Then every access of
/// the GPU to the overlap must be **volatile**: otherwise a write through one address need not become visible
/// through the other, not even to the thread that wrote. Map the whole range once instead, and add offsets to
/// its address.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range goes beyond the memory or beyond the size that the import named
///   (*measured*), `size` is 0, `flags` is not, or a pointer or `extMem` is null. Memory imported with
///   [`CUDA_EXTERNAL_MEMORY_DEDICATED`] is mapped from offset 0 only (*measured*).
/// - [`CUDA_ERROR_ALREADY_MAPPED`]: the memory is mapped already and its type allows one mapping only. Opaque
///   FDs can be mapped several times (*measured*).
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `extMem` is not a valid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// - The pointers must be valid for their types, and a context of the import's device must be current.
/// - `extMem` must be an import that has not been destroyed. Driver 580.159.04 does not check it, and ends the
///   process by SIGSEGV (*measured*).
/// - Offset and size must be those of a mapping in the exporter's API. A mapping that does not match is
///   undefined behavior.
/// - Accesses to ranges that are mapped at several addresses must be volatile, as above.
/// - Reading what the exporter writes at the same time is a data race on the GPU: order the two by
///   [semaphores](crate::semaphore).
///
/// Undone by [`cuMemFree`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver
/// API manual, "External Resource Interoperability".
#[doc(alias = "cudaExternalMemoryGetMappedBuffer")]
pub use crate::bindings::cuExternalMemoryGetMappedBuffer;

/// Maps an image in imported memory as a CUDA mipmapped array.
///
/// For images in a tiling of the GPU's own, which have no linear address. A level of the array
/// ([`cuMipmappedArrayGetLevel`]) is what copies, textures and surfaces use.
/// [Images](crate::memory#images) has what the image must be, and its extents, flags and formats.
///
/// # Parameters
///
/// - `mipmap`: receives the array's handle.
/// - `extMem`: the import.
/// - `mipmapDesc`: offset, extent, format, flags and number of levels of the exporter's image. Read during the
///   call, and not kept.
///
/// # Example: a Vulkan image, from start to end
///
/// **In Vulkan**, with `VK_KHR_external_memory_fd`:
///
/// 1. *Create* a `VkImage`: `VK_IMAGE_TYPE_2D`, `VK_FORMAT_R8G8B8A8_UNORM`, optimal tiling, one sample, `levels`
///    mip levels, usage `TRANSFER_SRC | TRANSFER_DST | SAMPLED`, with `VkExternalMemoryImageCreateInfo`
///    (`OPAQUE_FD`) chained.
/// 2. *Allocate* `VkMemoryRequirements::size` bytes with `VkExportMemoryAllocateInfo` and
///    `VkMemoryDedicatedAllocateInfo` chained, and bind the image at offset 0.
/// 3. *Export*: `vkGetMemoryFdKHR` returns the FD.
/// 4. *Hand over*: a barrier from `UNDEFINED` to `GENERAL` and from the queue's family to
///    `VK_QUEUE_FAMILY_EXTERNAL`. Signal an exported semaphore in that submission, or wait for it on the host.
///
/// **In CUDA**, with a context of the same device current:
///
/// ```no_run
/// use cuda_external_sys::*;
/// use std::ptr;
///
/// /// Fills level 0 of the image from `texels`: rows of `width` times four bytes.
/// unsafe fn fill(
///     (fd, size): (i32, u64),
///     (width, height, levels): (usize, usize, u32),
///     texels: &[u8],
/// ) -> Result<(), CUresult> {
///     assert_eq!(texels.len(), width * height * 4);
///     // Import. The size is VkMemoryAllocateInfo's, and the FD is the driver's from here on.
///     let handle = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
///         type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
///         handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
///         size,
///         flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
///         ..Default::default()
///     };
///     let mut memory = ptr::null_mut();
///     unsafe { cuImportExternalMemory(&mut memory, &handle).result()? };
///     // Map what Vulkan was told, with all levels.
///     let image = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
///         arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
///             Width: width,
///             Height: height,
///             Format: CU_AD_FORMAT_UNORM_INT8X4,
///             NumChannels: 4,
///             ..Default::default() // Depth 0: it is 2D; Flags 0: nothing draws to it
///         },
///         numLevels: levels,
///         ..Default::default() // offset 0
///     };
///     let mut mipmap = ptr::null_mut();
///     unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, memory, &image).result()? };
///     // A level is an array of CUDA's, and goes with its mipmapped array.
///     let mut level = ptr::null_mut();
///     unsafe { cuMipmappedArrayGetLevel(&mut level, mipmap, 0).result()? };
///     let copy = CUDA_MEMCPY2D {
///         srcMemoryType: CU_MEMORYTYPE_HOST,
///         srcHost: texels.as_ptr().cast(),
///         srcPitch: width * 4,
///         dstMemoryType: CU_MEMORYTYPE_ARRAY,
///         dstArray: level,
///         WidthInBytes: width * 4,
///         Height: height,
///         ..Default::default()
///     };
///     unsafe { cuMemcpy2D(&copy).result()? };
///     // Tear down: the mapping, then the import.
///     unsafe { cuMipmappedArrayDestroy(mipmap).result()? };
///     unsafe { cuDestroyExternalMemory(memory).result() }
/// }
/// ```
///
/// A program that goes on after an error also undoes what succeeded.
///
/// **Back in Vulkan**, a barrier from `VK_QUEUE_FAMILY_EXTERNAL` to the queue's family, `GENERAL` to `GENERAL`, and
/// the image has what CUDA wrote. For a kernel that writes the image in place, set
/// [`CUDA_ARRAY3D_SURFACE_LDST`] in `Flags` and make a surface object of the level ([`cuSurfObjectCreate`]). The
/// example `vulkan_image` is the whole program.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an extent, a flag or a number of levels that no array can have, or more
///   than the memory holds.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `extMem` is not a valid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// A dma-buf import cannot be mapped as an array, only as a buffer. An import of NvSciBuf has one level.
///
/// # Safety
///
/// - The pointers must be valid for their types, and a context of the import's device must be current.
/// - `extMem` must be an import that has not been destroyed. Driver 580.159.04 does not check it, and ends the
///   process by SIGSEGV (*measured*).
/// - `mipmapDesc` must describe the exporter's image. A mapping that does not match is undefined behavior: the
///   driver cannot check it, and accepts most mismatches. An offset that is 1 or 16 bytes too far makes a later
///   copy fail with [`CUDA_ERROR_LAUNCH_FAILED`], a sticky error (*measured*).
/// - `numLevels` must not be 0, which corrupts the heap of driver 580.159.04 (*measured*).
///
/// Undone by [`cuMipmappedArrayDestroy`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source:
/// driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaExternalMemoryGetMappedMipmappedArray")]
pub use crate::bindings::cuExternalMemoryGetMappedMipmappedArray;

/// Ends an import.
///
/// It frees no mapping. Each must be freed by its own call, [`cuMemFree`] or
/// [`cuMipmappedArrayDestroy`], and none may be used after this call: [the order of teardown](crate#teardown).
/// The mappings hold the memory until they are freed (*measured* with FDs on Linux).
///
/// # Parameters
///
/// - `extMem`: the import. The handle is invalid afterwards.
///
/// The call does not wait for work: synchronize the streams that used the memory first. The exporter's own
/// object is not affected.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `extMem` is not a valid handle. The driver may crash instead: driver
///   580.159.04 returns [`CUDA_ERROR_INVALID_VALUE`] for null and ends the process by SIGSEGV otherwise
///   (*measured*).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `extMem` must come from [`cuImportExternalMemory`], be destroyed once only and before its context is
/// released, and have no work in flight. Otherwise driver 580.159.04 ends the process by SIGSEGV (*measured*).
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaDestroyExternalMemory")]
pub use crate::bindings::cuDestroyExternalMemory;
