#![doc = page!("memory.md")]

#[cfg(doc)]
use crate::*; // for the links

/// Imported memory, from [`cuImportExternalMemory`] until [`cuDestroyExternalMemory`].
///
/// An opaque handle: never dereference it. The runtime API's type is `cudaExternalMemory_t`.
#[doc(alias = "cudaExternalMemory_t")]
pub use crate::bindings::CUexternalMemory;

/// The driver's private struct, to which a [`CUexternalMemory`] points.
pub use crate::bindings::CUextMemory_st;

/// Describes what [`cuImportExternalMemory`] imports: a handle, its type, and the memory's size.
///
/// Begin with `default()`, which is zero everywhere: the reserved fields must be 0.
///
/// | `type_` | union field of `handle` | `flags`: 0 or [DEDICATED](CUDA_EXTERNAL_MEMORY_DEDICATED) |
/// |---|---|---|
/// | [OPAQUE_FD](CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) | `fd` | DEDICATED if the exporter's allocation is dedicated |
/// | [OPAQUE_WIN32](CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32) | `win32.handle` or `win32.name` | the same |
/// | [OPAQUE_WIN32_KMT](CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT) | `win32.handle` | the same |
/// | [D3D12_HEAP](CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP) | `win32.handle` or `win32.name` | 0 |
/// | [D3D12_RESOURCE](CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE) | `win32.handle` or `win32.name` | DEDICATED |
/// | [D3D11_RESOURCE](CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE) | `win32.handle` or `win32.name` | DEDICATED |
/// | [D3D11_RESOURCE_KMT](CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT) | `win32.handle` | DEDICATED |
/// | [NVSCIBUF](CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF) | `nvSciBufObject` | 0 |
/// | [DMABUF_FD](CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD) | `fd` | 0 |
///
/// A named handle on Windows:
///
/// ```
/// use cuda_external_sys::*;
///
/// // The name is NUL-terminated UTF-16.
/// let name: Vec<u16> = "shared".encode_utf16().chain([0]).collect();
/// let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
///     type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP,
///     handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {
///         win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 {
///             name: name.as_ptr().cast(),
///             ..Default::default()
///         },
///     },
///     size: 65536,
///     ..Default::default()
/// };
/// assert_eq!(std::mem::size_of_val(&desc), 104);
/// ```
#[doc(alias = "cudaExternalMemoryHandleDesc")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC;

/// The handle in a [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC`], whose `type_` selects one field of this union.
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle;

/// A Windows handle of the memory, or the name of the shared object, in a [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle`].
/// Exactly one of the two is not null.
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32;

/// Describes the range of an import that [`cuExternalMemoryGetMappedBuffer`] maps.
#[doc(alias = "cudaExternalMemoryBufferDesc")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

/// Describes the image that [`cuExternalMemoryGetMappedMipmappedArray`] maps, and its place in the imported memory.
///
/// [Images](self#images) has the extents, flags and formats, and the function's page has an example.
#[doc(alias = "cudaExternalMemoryMipmappedArrayDesc")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

/// A bit of [`flags`](CUDA_EXTERNAL_MEMORY_HANDLE_DESC::flags): the exporter dedicated the allocation to one resource.
///
/// For Vulkan, set the flag if and only if `VkMemoryDedicatedAllocateInfo` was chained to `VkMemoryAllocateInfo`. For
/// the types D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT the flag must always be set.
///
/// *Measured* on Linux, driver 580.159.04: an import with this flag can be mapped from offset 0 only. An import
/// succeeds even if the flag is wrong or missing, and CUDA reads the right bytes. Another driver may return an error.
#[doc(alias = "cudaExternalMemoryDedicated")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_DEDICATED;

/// The types of memory handles. The exporter's API determines [the type to use](self#handle-types).
///
/// This Rust type can hold a number that these bindings do not know. *Measured* on driver 580.159.04:
/// [`cuImportExternalMemory`] returns [`CUDA_ERROR_INVALID_VALUE`] for 0, 10 and 77, which are not handle types.
#[doc(alias = "cudaExternalMemoryHandleType")]
pub use crate::bindings::CUexternalMemoryHandleType;

/// Linux: a file descriptor that an NVIDIA driver made.
///
/// Vulkan's `vkGetMemoryFdKHR` returns such an FD for `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`, and
/// [`cuMemExportToShareableHandle`] returns one for memory of [`cuMemCreate`]. A Unix socket passes the FD to another
/// process. OpenGL can import such an FD, but not export one.
///
/// The driver closes the FD if the import succeeds, and after some failures (*measured*): [who owns the
/// FD](self#ownership-of-the-file-descriptor). The memory may be dedicated or not. On a host with several GPUs the
/// import of memory of [`cuMemCreate`] may crash: [CUDA's own memory](self#cudas-own-memory-between-processes).
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;

/// Windows: an NT handle, or the name of the shared memory.
///
/// Vulkan's `vkGetMemoryWin32HandleKHR` returns such a handle for `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT`.
/// [`cuMemExportToShareableHandle`] returns one for memory of [`cuMemCreate`] (*not verified*).
///
/// The handle holds a reference: the memory is not freed while the handle is open. Close it with `CloseHandle`. The
/// memory may be dedicated or not; on Windows 7 only dedicated memory can be imported (NVIDIA's programming guide).
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: a globally shared D3DKMT handle, without a name.
///
/// Vulkan's `vkGetMemoryWin32HandleKHR` returns the handle for `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`.
///
/// Do not close the handle. It holds no reference, and is invalid once every reference to the memory is gone. The
/// memory may be dedicated or not; on Windows 7 only dedicated memory can be imported (NVIDIA's programming guide).
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: an NT handle or the name of an `ID3D12Heap` that was created with `D3D12_HEAP_FLAG_SHARED`.
///
/// The handle comes from `ID3D12Device::CreateSharedHandle` and holds a reference: close it with `CloseHandle`. The
/// memory is not dedicated. [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Heap")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;

/// Windows: an NT handle or the name of a committed `ID3D12Resource`, created with `D3D12_HEAP_FLAG_SHARED`.
///
/// The handle comes from `ID3D12Device::CreateSharedHandle` and holds a reference: close it with `CloseHandle`. The
/// memory is always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE;

/// Windows: an NT handle or the name of an `ID3D11Resource` with `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// The handle comes from `IDXGIResource1::CreateSharedHandle` and holds a reference: close it with `CloseHandle`. The
/// memory is always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE;

/// Windows: a KMT handle of an `ID3D11Resource` that was created with `D3D11_RESOURCE_MISC_SHARED` or
/// `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// The handle comes from `IDXGIResource::GetSharedHandle`; `win32.name` must be null. Do not close the handle. It holds
/// no reference, and is invalid once every reference to the resource is gone. The memory is always
/// [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11ResourceKmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT;

/// Jetson and DRIVE with Linux or QNX: an `NvSciBufObj`. An H100 and an H200 refuse the type (*measured*).
///
/// `nvSciBufObject` must not be null. The application keeps ownership of the object and of its attribute list, and
/// must keep both alive until the import is destroyed. [NvSciSync
/// semaphores](crate::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC) order the work of the engines that share the memory.
/// By default the semaphores' signals and waits also make the memory coherent. An image has one mip level. The memory
/// is not dedicated. [NvSci](crate::guide::nvsci) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeNvSciBuf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;

/// Tegra, from the Thor generation on: the file descriptor of a Linux dma-buf.
///
/// The memory can be mapped as a buffer, never as an array. `flags` must be 0. The type needs a driver of CUDA 13.0 or
/// newer. The runtime API has no such type.
///
/// Who owns the FD after a successful import is *not verified*. Of the two types that import an FD, cuda.h names the
/// owner only for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`].
///
/// *Measured*: on an H100 and an H200 the import returns [`CUDA_ERROR_NOT_SUPPORTED`] and leaves the FD open.
/// [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] is 1 for both GPUs, but this attribute is about exporting.
/// [The section about dma-bufs](crate::guide::platforms#dma-buf) lists other ways to share a dma-buf with CUDA.
#[doc(alias = "dma-buf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;

export_functions! {
    /// Imports memory that another API or process exported, and returns a handle for it.
    ///
    /// The import maps nothing. [`cuExternalMemoryGetMappedBuffer`] and [`cuExternalMemoryGetMappedMipmappedArray`]
    /// make the memory usable. For memory of [`cuMemCreate`], prefer [`cuMemImportFromShareableHandle`]:
    /// [CUDA's own memory](crate::memory#cudas-own-memory-between-processes).
    ///
    /// # Parameters
    ///
    /// - `extMem_out`: receives the handle, on success only.
    /// - `memHandleDesc`: describes what is imported. The driver reads the description during the call.
    ///
    /// # Ownership
    ///
    /// - **A file descriptor** belongs to the driver after a successful import. Give it up before the call, and
    ///   [never close it afterwards](crate::memory#ownership-of-the-file-descriptor), not even after a failure.
    ///   *Measured*: imports that failed with [`CUDA_ERROR_UNKNOWN`] closed the FD too. Imports that failed with other
    ///   codes left it open. For the FD of a dma-buf, no owner is documented.
    /// - **A Windows NT handle** is not taken over: close it with `CloseHandle`. The handle holds a reference: the
    ///   memory is not freed while the handle is open.
    /// - **A KMT handle** must not be closed. It is invalid once every reference to the memory is gone.
    /// - **An NvSciBuf object** is not taken over: keep it and its attribute list alive until the import is destroyed.
    ///
    /// *Measured* with FDs on Linux: the import holds a reference to the memory. The exporter may free its object, and
    /// the memory stays until the import is destroyed and every mapping is freed. Whether an import on Windows holds a
    /// reference is *not verified*.
    ///
    /// # Coherence
    ///
    /// If the CPU maps imported Vulkan memory, use `vkFlushMappedMemoryRanges`, `vkInvalidateMappedMemoryRanges` and
    /// pipeline barriers to keep the memory coherent. If engines other than the GPU map imported NvSciBuf memory,
    /// [NvSciSync semaphores](crate::guide::nvsci#coherence) keep that memory coherent.
    ///
    /// # Context and threads
    ///
    /// A context of the exporter's device must be current. [Match devices](crate::device#matching-devices) by UUID for
    /// Vulkan, and by LUID for Direct3D. Any thread may import, and several threads may import at once.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is 0, `type_` is unknown, a flag is unknown, a reserved field is not
    ///   0, or a parameter is null (all *measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: the manual gives no reason.
    /// - [`CUDA_ERROR_OPERATING_SYSTEM`]: a call to the operating system failed (*not verified*).
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform or device does not import this type, for example a Direct3D
    ///   heap on Linux, or a dma-buf on an H100 or an H200 (both *measured*).
    /// - [`CUDA_ERROR_UNKNOWN`]: the opaque FD is not open, is of another kind (such as a pipe, a file or a dma-buf),
    ///   or is of another GPU's Vulkan memory that is not dedicated to one resource (all *measured*).
    /// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released (*measured*).
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// A successful import does not prove that the description was correct. *Measured*: driver 580.159.04 accepts a
    /// wrong `size` (except 0), [`CUDA_EXTERNAL_MEMORY_DEDICATED`] set wrongly or left out, the FD of a semaphore, and
    /// the FD of another GPU's memory that CUDA allocated, or that is a dedicated allocation of Vulkan.
    ///
    /// # Safety
    ///
    /// `extMem_out` must be valid for writing a pointer, and `memHandleDesc` for reading a description. The union field
    /// for `type_` must be set. If a file descriptor is imported, the caller must own it and give it up: no other code
    /// may use or close it, during or after the call. The memory must be of the device whose context is current.
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
    /// End the import with [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: manual, "External Resource
    /// Interoperability".
    #[doc(alias = "cudaImportExternalMemory")]
    pub use crate::bindings::cuImportExternalMemory;

    /// Maps a range of imported memory, and returns its device address.
    ///
    /// Map buffers and linear images by this function. [`cuExternalMemoryGetMappedMipmappedArray`] maps images that the
    /// GPU tiles (a Vulkan image with optimal tiling, a Direct3D texture). The page [A Vulkan
    /// image](crate::guide::vulkan_image#a-buffer-instead-of-an-image) also lists the steps of a program for a buffer.
    ///
    /// # Parameters
    ///
    /// - `devPtr`: receives the device address of the range's first byte.
    /// - `extMem`: the import.
    /// - `bufferDesc`: the range's offset in the memory and its size, in bytes, aligned as the exporter's API requires.
    ///   The driver reads the description during the call.
    ///
    /// # Overlapping ranges
    ///
    /// Two mappings of ranges that overlap may get different addresses for the same bytes. Then every access of the GPU
    /// to these bytes must be **volatile**. Otherwise a write through one address need not become visible through the
    /// other, not even to the thread that wrote. Map the combined range once instead, and add offsets to its address.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the range exceeds the memory or the import's `size`, the range is empty,
    ///   `flags` or a reserved field is not 0, a parameter is null, or the offset is not 0 in memory that was imported
    ///   with [`CUDA_EXTERNAL_MEMORY_DEDICATED`] (all *measured*).
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: the memory is mapped already and its handle type allows one mapping only.
    ///   Memory that was imported from an opaque FD can be mapped several times (*measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: by the manual, `extMem` is not a valid handle. *Measured*: driver 580.159.04
    ///   returns [`CUDA_ERROR_INVALID_VALUE`] for the address of readable memory that is not an import.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// - `devPtr` must be valid for writing a [`CUdeviceptr`], and `bufferDesc` for reading a description. A context of
    ///   the import's device must be current.
    /// - `extMem` must be a live import. *Measured*: after the import's end, driver 580.159.04 crashes with SIGSEGV.
    /// - Offset and size must be those that the exporter's API used for the buffer, or for several buffers together. A
    ///   mapping that does not match is undefined behavior.
    /// - The GPU's accesses to a range that is mapped at several addresses must be volatile ("Overlapping ranges").
    /// - If CUDA and the exporter's API access the same bytes, and at least one of the two writes, order the
    ///   accesses, for example by [semaphores](crate::semaphore). Otherwise they are a data race on the GPU.
    ///
    /// Free the mapping with [`cuMemFree`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source: driver API
    /// manual, "External Resource Interoperability".
    #[doc(alias = "cudaExternalMemoryGetMappedBuffer")]
    pub use crate::bindings::cuExternalMemoryGetMappedBuffer;

    /// Maps an image in imported memory as a CUDA mipmapped array.
    ///
    /// Use this function for images that the GPU tiles: such images have no linear layout. Copies and surfaces use one
    /// level of the array ([`cuMipmappedArrayGetLevel`]), and textures one level or the whole array.
    /// [Images](crate::memory#images) lists the conditions for the image, and its extents, flags, formats and limits.
    /// The page [A Vulkan image](crate::guide::vulkan_image) describes a whole program, with Vulkan's calls.
    ///
    /// # Parameters
    ///
    /// - `mipmap`: receives the array's handle.
    /// - `extMem`: the import.
    /// - `mipmapDesc`: the image's offset in the memory, extent, layers, format, number of channels, number of levels,
    ///   and CUDA's flags. The driver reads the description during the call.
    ///
    /// # Example
    ///
    /// A Vulkan image of `VK_FORMAT_R8G8B8A8_UNORM` with all its levels:
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
    /// ```
    ///
    /// Copy a level by an `Async` function, such as [`cuMemcpy2DAsync_v2`], in the stream that waits for the
    /// exporter's semaphore ([one stream](crate::semaphore#one-stream)). The copy must be done before the array is
    /// destroyed ([when a copy returns](crate::semaphore#when-a-copy-returns)).
    ///
    /// For a kernel that writes the image in place, set [`CUDA_ARRAY3D_SURFACE_LDST`] in `Flags`, and create a surface
    /// object on each level that the kernel writes ([`cuSurfObjectCreate`]).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an extent, a format, a number of channels or a flag that no array can have, too
    ///   many levels, an image that exceeds the memory, a reserved field that is not 0, a null parameter, or an offset
    ///   above 0 in memory that was imported with [`CUDA_EXTERNAL_MEMORY_DEDICATED`] (all *measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: by the manual, `extMem` is not a valid handle. *Measured*: driver 580.159.04
    ///   returns [`CUDA_ERROR_INVALID_VALUE`] for the address of readable memory that is not an import.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// A dma-buf import cannot be mapped as an array, only as a buffer. An NvSciBuf import allows one level only.
    ///
    /// # Safety
    ///
    /// - `mipmap` must be valid for writing a pointer, and `mipmapDesc` for reading a description. A context of the
    ///   import's device must be current.
    /// - `extMem` must be a live import. *Measured*: after the import's end, driver 580.159.04 crashes with SIGSEGV.
    /// - `mipmapDesc` must describe the exporter's image. A description that does not match is undefined behavior, and
    ///   the driver does not find every fault. *Measured*: driver 580.159.04 accepted 12 of 24 wrong descriptions
    ///   ([images](crate::memory#images)). If the offset was 1 or 16 bytes too large, a later copy failed with
    ///   [`CUDA_ERROR_LAUNCH_FAILED`], a sticky error.
    /// - Order the accesses of CUDA and of the exporter's API, as for [`cuExternalMemoryGetMappedBuffer`].
    /// - `numLevels` must not be 0. *Measured*: 0 corrupts the driver's heap, which ends the process with SIGABRT.
    ///
    /// Destroy the array with [`cuMipmappedArrayDestroy`], before [`cuDestroyExternalMemory`]. Since CUDA 10.0. Source:
    /// driver API manual, "External Resource Interoperability".
    #[doc(alias = "cudaExternalMemoryGetMappedMipmappedArray")]
    pub use crate::bindings::cuExternalMemoryGetMappedMipmappedArray;

    /// Ends an import of memory.
    ///
    /// Free each mapping first, with [`cuMemFree`] or [`cuMipmappedArrayDestroy`] ([the order of
    /// teardown](crate::memory#teardown)): this call frees none. No mapping may be used afterwards. *Measured* with FDs
    /// on Linux: a mapping that is not freed keeps the memory allocated.
    ///
    /// # Parameters
    ///
    /// - `extMem`: the import. The handle is invalid afterwards.
    ///
    /// Before this call, synchronize the streams that used the memory. The call does not free the exporter's object.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: by the manual, `extMem` is not a valid handle. *Measured*: driver 580.159.04
    ///   returns [`CUDA_ERROR_INVALID_VALUE`] for null, and success for a semaphore's handle. The driver ends the
    ///   process with SIGSEGV for an import that was destroyed, and for a pointer to zeros.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// `extMem` must come from [`cuImportExternalMemory`] and be destroyed only once, while the import's context still
    /// exists. No work in flight may use the memory. *Measured*: with driver 580.159.04 a second call, or a call after
    /// the context's end, crashes with SIGSEGV. After [`cuCtxDestroy`] the call may hang instead. With work in flight
    /// the call returned success, and the work completed without an error; do not rely on that.
    ///
    /// Since CUDA 10.0. Source: manual, "External Resource Interoperability".
    #[doc(alias = "cudaDestroyExternalMemory")]
    pub use crate::bindings::cuDestroyExternalMemory;
}
