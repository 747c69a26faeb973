//! The functions of [`crate::memory`].

#[cfg(doc)]
use crate::*; // for the links

/// Imports memory that another API or process exported, and returns a handle for it.
///
/// The import maps nothing. [`cuExternalMemoryGetMappedBuffer`] and [`cuExternalMemoryGetMappedMipmappedArray`] make
/// the memory usable. For memory that CUDA itself allocated, prefer [`cuMemImportFromShareableHandle`]:
/// [CUDA's own memory](crate::memory#cudas-own-memory-between-processes).
///
/// # Parameters
///
/// - `extMem_out`: receives the handle, on success only.
/// - `memHandleDesc`: describes what is imported. The driver reads it during the call.
///
/// # Ownership
///
/// - **A file descriptor** belongs to the driver after a successful import. Give it away before the call, and [never
///   close it afterwards](crate::memory#who-owns-the-file-descriptor), not even after a failure. *Measured*: a
///   failure with [`CUDA_ERROR_UNKNOWN`] has closed the FD too, and any other failure has left it open. Who owns the FD of a dma-buf is not documented.
/// - **A Windows NT handle** is not taken over: close it with `CloseHandle`. The handle holds a reference: the memory
///   is not freed while the handle is open.
/// - **A KMT handle** is not closed and holds no reference. It is invalid once every reference to the memory
///   is gone.
/// - **NvSci objects** are not taken over: keep them alive until the import has ended.
///
/// *Measured* with FDs on Linux: the import holds a reference to the memory. The exporter may free its own object: the
/// memory stays until the import is destroyed and every mapping is freed. Whether an import does so on Windows is *not
/// verified*.
///
/// # Coherence
///
/// If the host maps Vulkan's memory too, `vkFlushMappedMemoryRanges`, `vkInvalidateMappedMemoryRanges` and pipeline
/// barriers keep it coherent. If other engines map NvSciBuf memory,
/// [NvSciSync semaphores](crate::guide::nvsci#coherence) are the barriers.
///
/// # Context and threads
///
/// A context of the exporter's device must be current. [Match devices](crate::device#matching-devices) by UUID for
/// Vulkan and NvSci, and by LUID for Direct3D. Any thread may import, several at once.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is 0, `type_` is unknown, a flag is unknown, a reserved field is not
///   0, or a pointer is null.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: the handle does not refer to exported memory.
/// - [`CUDA_ERROR_OPERATING_SYSTEM`]: a call to the operating system failed (*not verified*).
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform or device does not import this type, for example a Direct3D
///   heap on Linux, or a dma-buf on a desktop GPU (*measured*).
/// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or is not memory of a GPU: a pipe, a memfd, a
///   file; or it is Vulkan memory of another GPU that is not dedicated (all *measured*).
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released (*measured*).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// A successful import does not prove that the description was correct. *Measured*: driver 580.159.04 accepts a wrong
/// size, a wrong dedicated flag, a semaphore, and some memory of another GPU.
///
/// # Safety
///
/// The pointers must be valid for their types, and the union field of `handle` that goes with `type_` must be
/// the one that was written. A file descriptor must be the caller's to give away: nobody else may use or close
/// it, before or after the call. The memory must be of the device whose context is current.
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
/// Destroy it with [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver API manual, "External Resource
/// Interoperability".
#[doc(alias = "cudaImportExternalMemory")]
pub use crate::bindings::cuImportExternalMemory;

/// Maps a range of imported memory, and returns its device address.
///
/// It is for buffers and for linear images. Images with the GPU's own tiling (a Vulkan image with optimal tiling, a
/// Direct3D texture) are mapped by [`cuExternalMemoryGetMappedMipmappedArray`].
/// [A Vulkan image](crate::guide::vulkan_image#a-buffer-instead-of-an-image) walks through a whole program.
///
/// # Parameters
///
/// - `devPtr`: receives the device address of the range's first byte.
/// - `extMem`: the import.
/// - `bufferDesc`: offset and size in bytes, aligned as the exporter's API requires. The driver reads it during the
///   call.
///
/// # Overlapping ranges
///
/// Two mappings of ranges that overlap may get different addresses for the same bytes. Then every access of the GPU to
/// the overlap must be **volatile**. Otherwise a write through one address need not become visible through the other,
/// not even to the thread that wrote. Map the combined range once instead, and add offsets to its address.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range exceeds the memory or the size that the import named, `size` is 0, `flags`
///   is not 0, a pointer or `extMem` is null, or the offset in memory that was imported with
///   [`CUDA_EXTERNAL_MEMORY_DEDICATED`] is not 0 (all *measured*).
/// - [`CUDA_ERROR_ALREADY_MAPPED`]: the memory is mapped already and its type allows one mapping only. Opaque
///   FDs can be mapped several times (*measured*).
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `extMem` is not a valid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// - The pointers must be valid for their types, and a context of the import's device must be current.
/// - `extMem` must be an import that has not been destroyed. *Measured*: driver 580.159.04 ends the process with SIGSEGV
///   otherwise.
/// - Offset and size must be those of a mapping in the exporter's API. A mapping that does not match is
///   undefined behavior.
/// - Accesses to ranges that are mapped at several addresses must be volatile, as above.
/// - Reading what the exporter writes at the same time is a data race on the GPU: order the two by
///   [semaphores](crate::semaphore).
///
/// Free it with [`cuMemFree`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver
/// API manual, "External Resource Interoperability".
#[doc(alias = "cudaExternalMemoryGetMappedBuffer")]
pub use crate::bindings::cuExternalMemoryGetMappedBuffer;

/// Maps an image in imported memory as a CUDA mipmapped array.
///
/// It is for images with the GPU's own tiling, which have no linear address. Copies, textures and surfaces use the
/// levels of the array ([`cuMipmappedArrayGetLevel`]). [Images](crate::memory#images) lists the conditions for the
/// image, and its extents, flags, formats and limits. [A Vulkan image](crate::guide::vulkan_image) walks through a whole
/// program, with Vulkan's side.
///
/// # Parameters
///
/// - `mipmap`: receives the array's handle.
/// - `extMem`: the import.
/// - `mipmapDesc`: offset, extent, format, flags and number of levels of the exporter's image. The driver reads it
///   during the call.
///
/// # Example
///
/// A Vulkan image of `VK_FORMAT_R8G8B8A8_UNORM` with all its levels, and a copy into one of them:
///
/// ```no_run
/// use cuda_external_sys::*;
/// use std::ptr;
///
/// /// Maps a 2D image that is bound at offset 0, has `levels` levels, and is not drawn to.
/// unsafe fn map(
///     memory: CUexternalMemory,
///     (width, height, levels): (usize, usize, u32),
/// ) -> Result<CUmipmappedArray, CUresult> {
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
///     Ok(mipmap)
/// }
///
/// /// Enqueues a copy of device memory into a level, in the stream that has waited for Vulkan.
/// unsafe fn write(
///     mipmap: CUmipmappedArray,
///     (level, width, height): (u32, usize, usize),
///     (texels, pitch): (CUdeviceptr, usize),
///     stream: CUstream,
/// ) -> Result<(), CUresult> {
///     let mut array = ptr::null_mut(); // it belongs to `mipmap` and is not freed
///     unsafe { cuMipmappedArrayGetLevel(&mut array, mipmap, level).result()? };
///     let copy = CUDA_MEMCPY2D {
///         srcMemoryType: CU_MEMORYTYPE_DEVICE,
///         srcDevice: texels,
///         srcPitch: pitch,
///         dstMemoryType: CU_MEMORYTYPE_ARRAY,
///         dstArray: array,
///         WidthInBytes: width * 4,
///         Height: height,
///         ..Default::default()
///     };
///     unsafe { cuMemcpy2DAsync(&copy, stream).result() }
/// }
///
/// /// Waits for all work of the stream, then unmaps the image and ends the import.
/// unsafe fn end(
///     stream: CUstream,
///     mipmap: CUmipmappedArray,
///     memory: CUexternalMemory,
/// ) -> Result<(), CUresult> {
///     unsafe {
///         cuStreamSynchronize(stream).result()?;
///         cuMipmappedArrayDestroy(mipmap).result()?;
///         cuDestroyExternalMemory(memory).result()
///     }
/// }
/// ```
///
/// The copy must be asynchronous and in the stream that has waited: a copy without a stream would not wait
/// ([one stream](crate::semaphore#one-stream)). The synchronization must come before the unmapping: even a copy that is
/// not asynchronous may return before it is done ([when a copy returns](crate::semaphore#when-a-copy-returns)).
///
/// For a kernel that writes the image in place, set [`CUDA_ARRAY3D_SURFACE_LDST`] in `Flags` and make a surface object of
/// the level ([`cuSurfObjectCreate`]).
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
/// - `extMem` must be an import that has not been destroyed. *Measured*: driver 580.159.04 ends the process with SIGSEGV
///   otherwise.
/// - `mipmapDesc` must describe the exporter's image. A mapping that does not match is undefined behavior, which the
///   driver cannot check. *Measured*: driver 580.159.04 accepted 12 of 24 wrong descriptions
///   ([images](crate::memory#images)); after an offset that was 1 or 16 bytes too far, a
///   later copy failed with [`CUDA_ERROR_LAUNCH_FAILED`], a sticky error.
/// - `numLevels` must not be 0. *Measured*: 0 corrupts the driver's heap, which ends the process with SIGABRT.
///
/// Destroy it with [`cuMipmappedArrayDestroy`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source:
/// driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaExternalMemoryGetMappedMipmappedArray")]
pub use crate::bindings::cuExternalMemoryGetMappedMipmappedArray;

/// Ends an import.
///
/// Free each mapping first, with [`cuMemFree`] or [`cuMipmappedArrayDestroy`] ([the order of teardown](crate::memory#teardown)):
/// this call frees none. No mapping may be used after it. *Measured* with FDs on Linux: a mapping that is not freed keeps
/// the memory allocated.
///
/// # Parameters
///
/// - `extMem`: the import. The handle is invalid afterwards.
///
/// Synchronize the streams that used the memory before this call. The exporter's own object is not affected.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `extMem` is not a valid handle. *Measured*: driver 580.159.04 returns
///   [`CUDA_ERROR_INVALID_VALUE`] for null, and ends the process with SIGSEGV for other invalid handles.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `extMem` must come from [`cuImportExternalMemory`], be destroyed only once, and be destroyed before its context is
/// released. No work in flight may use the memory. *Measured* on driver 580.159.04: a second destruction, and one after
/// the context's release, end the process with SIGSEGV. With work in flight the call returned success, and the
/// stream ended without an error; do not rely on it.
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaDestroyExternalMemory")]
pub use crate::bindings::cuDestroyExternalMemory;
