#![doc = page!("memory.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// Imported memory, from [`cuImportExternalMemory`] until [`cuDestroyExternalMemory`].
///
/// An opaque handle: never dereference it. In the runtime API it is `cudaExternalMemory_t`.
#[doc(alias = "cudaExternalMemory_t")]
pub use crate::bindings::CUexternalMemory;

/// The driver's private type behind [`CUexternalMemory`].
pub use crate::bindings::CUextMemory_st;

/// Describes what [`cuImportExternalMemory`] imports: a handle, its type, and the memory's size.
///
/// Begin with `default()`, which is zero everywhere: the reserved fields must be 0.
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

/// In [`flags`](CUDA_EXTERNAL_MEMORY_HANDLE_DESC::flags): the exporter dedicated the allocation to one resource.
///
/// For Vulkan, set it exactly where `VkMemoryDedicatedAllocateInfo` was chained to the allocation. For the types
/// D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT it must always be set.
///
/// *Measured* on Linux, driver 580.159.04: a dedicated import can be mapped from offset 0 only. A wrong flag was not an
/// error, and the bytes were right. Another driver may refuse it.
#[doc(alias = "cudaExternalMemoryDedicated")]
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_DEDICATED;

/// The types of memory handles. The exporter decides [which one](self#which-handle-type) to use.
///
/// A number that these bindings do not know is an ordinary value. *Measured*: the driver returns
/// [`CUDA_ERROR_INVALID_VALUE`] for it.
#[doc(alias = "cudaExternalMemoryHandleType")]
pub use crate::bindings::CUexternalMemoryHandleType;

/// Linux: a file descriptor that an NVIDIA driver made.
///
/// `vkGetMemoryFdKHR` of Vulkan exports it with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`, and CUDA exports it by
/// [`cuMemExportToShareableHandle`]. Another process sends the descriptor over a Unix socket. OpenGL imports such
/// memory, but exports none.
///
/// The driver closes it when the import succeeds: [who owns the file descriptor](self#who-owns-the-file-descriptor). The
/// memory may be dedicated or not. For memory of [`cuMemCreate`] on a host with several GPUs, read
/// [CUDA's own memory](self#cudas-own-memory-between-processes) first: the import may crash.
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;

/// Windows: an NT handle, or its name.
///
/// `vkGetMemoryWin32HandleKHR` of Vulkan exports it with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT`, and CUDA
/// exports it by [`cuMemExportToShareableHandle`].
///
/// The handle holds a reference: the memory is not freed while the handle is open. The caller closes it with
/// `CloseHandle`. The memory may be dedicated or not; on Windows 7 only dedicated memory of Vulkan can be imported
/// (guide).
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: a globally shared D3DKMT handle. It has no name.
///
/// From Vulkan with `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`.
///
/// The handle is never closed, and holds no reference: it is invalid once every reference to the memory is gone. The
/// memory may be dedicated or not; on Windows 7 only dedicated memory of Vulkan can be imported (guide).
#[doc(alias = "cudaExternalMemoryHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: an NT handle, or its name, of an `ID3D12Heap` that was created with `D3D12_HEAP_FLAG_SHARED`.
///
/// It comes from `ID3D12Device::CreateSharedHandle`. The handle holds a reference; the caller closes it with
/// `CloseHandle`. The memory is not dedicated. [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Heap")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;

/// Windows: an NT handle, or its name, of a committed `ID3D12Resource` in a heap with
/// `D3D12_HEAP_FLAG_SHARED`.
///
/// It comes from `ID3D12Device::CreateSharedHandle`. The handle holds a reference; the caller closes it with
/// `CloseHandle`. The memory is always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d)
/// has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D12Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE;

/// Windows: an NT handle, or its name, of an `ID3D11Resource` that was created with
/// `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// It comes from `IDXGIResource1::CreateSharedHandle`. The handle holds a reference; the caller closes it with
/// `CloseHandle`. The memory is always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d)
/// has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11Resource")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE;

/// Windows: a KMT handle, which has no name, of an `ID3D11Resource` that was created with
/// `D3D11_RESOURCE_MISC_SHARED` or `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// It comes from `IDXGIResource::GetSharedHandle`. The handle is never closed and holds no reference. The memory is
/// always [dedicated](CUDA_EXTERNAL_MEMORY_DEDICATED). [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeD3D11ResourceKmt")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT;

/// Jetson and DRIVE, Linux and QNX: an `NvSciBufObj`. NVIDIA's sample also lists x86-64 Linux.
///
/// `nvSciBufObject` must not be null. The application keeps ownership of the object and of its attribute list, and
/// must keep both alive until the import has ended. [NvSciSync
/// semaphores](crate::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC) order the work of the engines that share it; their
/// signals and waits also make its contents coherent. An image has one mip level. The memory is not dedicated.
/// [NvSci](crate::guide::nvsci) has more.
#[doc(alias = "cudaExternalMemoryHandleTypeNvSciBuf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;

/// Tegra, from the Thor generation on: the file descriptor of a Linux dma-buf.
///
/// It can be mapped as a buffer, never as an array. `flags` must be 0. It needs a driver of CUDA 13.0. The runtime API has
/// no such type.
///
/// Who closes the FD after a successful import is not documented (cuda.h says it of
/// [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`] only), and *not verified*.
///
/// *Measured* on an H100 and an H200: server GPUs return [`CUDA_ERROR_NOT_SUPPORTED`] and leave the FD open, although
/// [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] is 1. That attribute is about exporting.
/// [dma-buf](crate::guide::platforms#dma-buf) says what to do elsewhere.
#[doc(alias = "dma-buf")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
