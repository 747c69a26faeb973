#![doc = include_str!("../docs/memory.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// Imported memory, from [`cuImportExternalMemory`] until [`cuDestroyExternalMemory`].
///
/// An opaque handle; never dereference it. The runtime API's counterpart is `cudaExternalMemory_t`.
#[doc(alias = "cudaExternalMemory_t")]
pub use crate::bindings::CUexternalMemory;

/// The driver's private type behind [`CUexternalMemory`].
pub use crate::bindings::CUextMemory_st;

/// Describes what [`cuImportExternalMemory`] imports: a handle, its type, and the memory's size.
///
/// Begin with `default()`, which is zero everywhere, as the reserved fields must be.
///
/// | `type_` | union field of `handle` | `flags` |
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

/// The handle in a [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC`]: one union field, selected by its `type_`.
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle;

/// A Windows handle, or its name, in a [`CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle`]: exactly one of the two is
/// not null.
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32;

/// Describes which bytes of an import [`cuExternalMemoryGetMappedBuffer`] maps.
#[doc(alias = "cudaExternalMemoryBufferDesc")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

/// Describes which image in an import [`cuExternalMemoryGetMappedMipmappedArray`] maps.
///
/// [Images](self#images) has the extents, flags and formats.
///
/// ```
/// use cuda_external_sys::*;
///
/// // A Vulkan 2D image: 1024 x 512, R32G32B32A32_SFLOAT, 3 mip levels, a color attachment.
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

/// In [`flags`](CUDA_EXTERNAL_MEMORY_HANDLE_DESC::flags): the exporter made the allocation for one resource
/// alone.
///
/// Set it exactly then: for Vulkan where `VkMemoryDedicatedAllocateInfo` was chained to the allocation, and
/// always for the types D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT. A dedicated import is mapped
/// from offset 0 only (*measured*). A wrong flag is not an error on driver 580.159.04, and the bytes were right
/// all the same (*measured* on Linux); another driver need not be as tolerant.
#[doc(alias = "cudaExternalMemoryDedicated")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_DEDICATED;

/// The types of memory handles. [Which one](self#which-handle-type) depends on the exporter.
///
/// A number that these bindings do not know is a value like any other. The driver answers it with
/// [`CUDA_ERROR_INVALID_VALUE`] (*measured*).
#[doc(alias = "cudaExternalMemoryHandleType")]
pub use crate::bindings::CUexternalMemoryHandleType;

/// Linux: a file descriptor that an NVIDIA driver made.
///
/// From Vulkan's `vkGetMemoryFdKHR` with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`, and from CUDA's
/// own [`cuMemExportToShareableHandle`], in this process or, sent over a Unix socket, in another. OpenGL
/// imports such memory, but exports none.
///
/// Closed by the driver when the import succeeds: [who owns the file descriptor](self#who-owns-the-file-descriptor).
/// Dedicated or not. For memory of [`cuMemCreate`] on a host with several GPUs, read
/// [CUDA's own memory](self#cudas-own-memory-between-processes) first: the import may crash.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;

/// Windows: an NT handle, or its name.
///
/// From Vulkan's `vkGetMemoryWin32HandleKHR` with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT`, and
/// from CUDA's own [`cuMemExportToShareableHandle`].
///
/// Closed by the caller, with `CloseHandle`. It holds a reference: the memory is not freed while it is open.
/// Dedicated or not; on Windows 7 only dedicated memory of Vulkan's can be imported.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: a globally shared D3DKMT handle, which has no name.
///
/// From Vulkan with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`.
///
/// Never closed. It holds no reference: once every other one is gone, it is invalid. Dedicated or not.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: an NT handle, or its name, of an `ID3D12Heap` that was created with `D3D12_HEAP_FLAG_SHARED`.
///
/// From `ID3D12Device::CreateSharedHandle`. Closed by the caller, with `CloseHandle`; it holds a reference.
/// Not dedicated. [Direct3D](crate::guide::direct3d).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Heap")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;

/// Windows: an NT handle, or its name, of a committed `ID3D12Resource` in a heap with
/// `D3D12_HEAP_FLAG_SHARED`.
///
/// From `ID3D12Device::CreateSharedHandle`. Closed by the caller, with `CloseHandle`; it holds a reference.
/// Always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE;

/// Windows: an NT handle, or its name, of an `ID3D11Resource` that was created with
/// `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// From `IDXGIResource1::CreateSharedHandle`. Closed by the caller, with `CloseHandle`; it holds a reference.
/// Always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE;

/// Windows: a KMT handle, which has no name, of an `ID3D11Resource` that was created with
/// `D3D11_RESOURCE_MISC_SHARED` or `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// From `IDXGIResource::GetSharedHandle`. Never closed, and holds no reference. Always
/// [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d).
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11ResourceKmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT;

/// Jetson and DRIVE, Linux and QNX: an `NvSciBufObj`. NVIDIA's sample also lists x86-64 Linux.
///
/// It stays the application's, which keeps it and its attribute list for as long as the import lives. What
/// other engines do to the buffer is ordered by [NvSciSync
/// semaphores](crate::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC), whose signals and waits also make its
/// contents coherent. An image has one mip level. Not dedicated. [NvSci](crate::guide::nvsci).
#[doc(alias = "cudaExternalMemoryHandleTypeNvSciBuf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;

/// Tegra, from the Thor generation on: the file descriptor of a Linux dma-buf.
///
/// Desktop and server GPUs answer [`CUDA_ERROR_NOT_SUPPORTED`] (*measured*: H100, H200), although they may
/// export dma-bufs, which is what [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] is about. It is mapped as a
/// buffer, never as an array. `flags` must be 0. [What to do elsewhere](crate::guide::platforms#dma-buf).
///
/// Who closes the FD after the import is not documented, and *not verified*: cuda.h says nothing of it, unlike
/// of [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`]. An import that failed left it open (*measured*).
///
/// Needs a driver of CUDA 13.0. The runtime API has no such type.
#[doc(alias = "dma-buf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
