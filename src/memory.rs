#![doc = include_str!("../docs/memory.md")]
#![doc = include_str!("../docs/fd-ownership.md")]
#![doc = include_str!("../docs/teardown.md")]

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
/// left it open (measured: [the table](self#who-owns-the-file-descriptor)). So it is given up before the
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
#[cfg(any(feature = "load", feature = "link"))]
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
#[cfg(any(feature = "load", feature = "link"))]
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
/// [How to describe an image](self#images) has the extents and flags for each shape.
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
#[cfg(any(feature = "load", feature = "link"))]
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
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDestroyExternalMemory;

/// Imported memory: what [`cuImportExternalMemory`] gives and [`cuDestroyExternalMemory`] ends.
///
/// A pointer of the driver's own; never dereference it. The runtime API's counterpart is
/// `cudaExternalMemory_t`.
#[doc(alias = "cudaExternalMemory_t")]
pub use crate::bindings::CUexternalMemory;

/// What [`CUexternalMemory`] points to: known to the driver alone.
pub use crate::bindings::CUextMemory_st;

/// What [`cuImportExternalMemory`] imports: a handle, its kind, and the memory's size.
///
/// Begin with `default()`, which is zero everywhere, as the reserved fields must be.
///
/// | `type_` | arm of `handle` | `flags` |
/// |---|---|---|
/// | [OPAQUE_FD](CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) | `fd` | DEDICATED where the exporter's allocation is |
/// | [OPAQUE_WIN32](CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32) | `win32.handle` or `win32.name` | as above |
/// | [OPAQUE_WIN32_KMT](CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT) | `win32.handle` | as above |
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
/// // The name is UTF-16 with a zero at its end.
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

/// The handle in a [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC`]: one arm, by its `type_`.
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle;

/// A Windows handle, or its name, in a [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle`]: exactly one of the two.
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32;

/// Which bytes of an import [`cuExternalMemoryGetMappedBuffer`] maps.
#[doc(alias = "cudaExternalMemoryBufferDesc")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

/// Which image in an import [`cuExternalMemoryGetMappedMipmappedArray`] maps.
///
/// ```
/// use cuda_external_sys::*;
///
/// // A Vulkan 2D image: 1024 x 512, R32G32B32A32_SFLOAT, 3 mip levels, a colour attachment.
/// let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
///     arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
///         Width: 1024,
///         Height: 512,
///         Depth: 0,
///         Format: CU_AD_FORMAT_FLOAT,
///         NumChannels: 4,
///         Flags: CUDA_ARRAY3D_COLOR_ATTACHMENT,
///     },
///     numLevels: 3,
///     ..Default::default()
/// };
/// assert_eq!(desc.offset, 0);
/// ```
#[doc(alias = "cudaExternalMemoryMipmappedArrayDesc")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

/// Says in [`flags`](CUDA_EXTERNAL_MEMORY_HANDLE_DESC::flags) that the exporter made the allocation for one
/// resource alone.
///
/// Set it exactly then: for Vulkan where `VkMemoryDedicatedAllocateInfo` was chained to the allocation, and
/// always for the types D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT. Driver 580.159 does not
/// compare it with what the exporter did, so that a wrong one is not noticed by an error. A dedicated
/// import is mapped from offset 0 (measured).
#[doc(alias = "cudaExternalMemoryDedicated")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_DEDICATED;

/// The kinds of memory handles; [which one](self#which-handle-type) is the exporter's to say.
///
/// A number that these bindings do not know is a value like any other, and the driver answers it with
/// [`CUDA_ERROR_INVALID_VALUE`].
#[doc(alias = "cudaExternalMemoryHandleType")]
pub use crate::bindings::CUexternalMemoryHandleType;

/// Linux: a file descriptor that an NVIDIA driver made.
///
/// From Vulkan's `vkGetMemoryFdKHR` with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`, and from CUDA's
/// own [`cuMemExportToShareableHandle`], in this process or, sent over a Unix socket, in another. OpenGL
/// imports such memory, but exports none.
///
/// Closed by the driver when the import succeeds: [the table](self#who-owns-the-file-descriptor). Dedicated
/// or not.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;

/// Windows: an NT handle, or its name.
///
/// From Vulkan's `vkGetMemoryWin32HandleKHR` with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT`, and
/// from CUDA's own [`cuMemExportToShareableHandle`].
///
/// Closed by the caller, with `CloseHandle`: it holds a reference, and the memory is not freed while it is
/// open. Dedicated or not.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: a global number of the display kernel (KMT), with no name.
///
/// From Vulkan with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`.
///
/// Never closed. It holds no reference: once every other one is gone, it stands for nothing. Dedicated or
/// not.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: an NT handle, or its name, of an `ID3D12Heap` that was created with `D3D12_HEAP_FLAG_SHARED`.
///
/// From `ID3D12Device::CreateSharedHandle`. Closed by the caller, with `CloseHandle`. Not dedicated.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Heap")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;

/// Windows: an NT handle, or its name, of a committed `ID3D12Resource` in a heap with
/// `D3D12_HEAP_FLAG_SHARED`.
///
/// From `ID3D12Device::CreateSharedHandle`. Closed by the caller, with `CloseHandle`. Always
/// [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE;

/// Windows: an NT handle, or its name, of an `ID3D11Resource` that was created with
/// `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// From `IDXGIResource1::CreateSharedHandle`. Closed by the caller, with `CloseHandle`. Always
/// [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE;

/// Windows: a KMT handle, with no name, of an `ID3D11Resource` that was created with
/// `D3D11_RESOURCE_MISC_SHARED` or `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// From `IDXGIResource::GetSharedHandle`. Never closed, and holds no reference. Always
/// [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11ResourceKmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT;

/// Tegra and DRIVE, Linux and QNX: an `NvSciBufObj`.
///
/// It stays the application's, which keeps it and its attribute list for as long as the import lives. What
/// other engines do to the buffer is ordered by [NvSciSync
/// semaphores](crate::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC), whose signals and waits also make its
/// contents coherent. An image has one mip level. Not dedicated.
#[doc(alias = "cudaExternalMemoryHandleTypeNvSciBuf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;

/// Tegra, from the Thor generation on: the file descriptor of a Linux dma-buf.
///
/// Desktop and server GPUs answer [`CUDA_ERROR_NOT_SUPPORTED`] (measured on an H200, driver 580.159),
/// although they may export dma-bufs: `CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED` speaks of that alone. It is
/// mapped as a buffer, never as an array. `flags` must be 0.
///
/// Since CUDA 13.0; where the bindings are of an older release, the constant is not there. A build script
/// can ask by `DEP_CUDA_EXTERNAL_VERSION`. The runtime API has no such type.
#[doc(alias = "dma-buf")]
#[cfg(cuda_since = "13.0")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
