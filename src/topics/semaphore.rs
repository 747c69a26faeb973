#![doc = page!("semaphore.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// An imported semaphore, from [`cuImportExternalSemaphore`] until [`cuDestroyExternalSemaphore`].
///
/// An opaque handle; never dereference it. The runtime API's counterpart is `cudaExternalSemaphore_t`.
#[doc(alias = "cudaExternalSemaphore_t")]
pub use crate::bindings::CUexternalSemaphore;

/// The driver's private type behind [`CUexternalSemaphore`].
pub use crate::bindings::CUextSemaphore_st;

/// Describes what [`cuImportExternalSemaphore`] imports: a handle and its type.
///
/// Begin with `default()`, which is zero everywhere: `flags` and the reserved fields must be 0.
///
/// | `type_` | union field of `handle` | field of `params` in a signal or wait |
/// |---|---|---|
/// | [OPAQUE_FD](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD) | `fd` | none |
/// | [OPAQUE_WIN32](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32) | `win32.handle` or `win32.name` | none |
/// | [OPAQUE_WIN32_KMT](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT) | `win32.handle` | none |
/// | [D3D12_FENCE](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE) | `win32.handle` or `win32.name` | `fence` |
/// | [D3D11_FENCE](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE) | `win32.handle` or `win32.name` | `fence` |
/// | [NVSCISYNC](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC) | `nvSciSyncObj` | `nvSciSync` |
/// | [D3D11_KEYED_MUTEX](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX) | `win32.handle` or `win32.name` | `keyedMutex` |
/// | [D3D11_KEYED_MUTEX_KMT](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT) | `win32.handle` | `keyedMutex` |
/// | [TIMELINE_SEMAPHORE_FD](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD) | `fd` | `fence` |
/// | [TIMELINE_SEMAPHORE_WIN32](CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32) | `win32.handle` or `win32.name` | `fence` |
#[doc(alias = "cudaExternalSemaphoreHandleDesc")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;

/// The handle in a [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`]: one union field, selected by its `type_`.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle;

/// A Windows handle, or its name, in a [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle`]: exactly one of the
/// two is not null.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32;

/// The parameters of one signal, for [`cuSignalExternalSemaphoresAsync`] and a graph's signal node.
///
/// For a binary semaphore `default()` is enough.
#[doc(alias = "cudaExternalSemaphoreSignalParams")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

/// The value, fence or key of a [signal](CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS). This is a struct, not a
/// union; the driver reads the field that goes with the semaphore's handle type.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params;

/// The value that a timeline semaphore or a Direct3D fence is set to.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence;

/// The key that a keyed mutex is released with.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex;

/// Where a signal writes its NvSciSync fence: set `fence`. The other field only gives the union its size.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync;

/// The parameters of one wait, for [`cuWaitExternalSemaphoresAsync`] and a graph's wait node.
///
/// For a binary semaphore `default()` is enough.
///
/// ```
/// use cuda_external_sys::*;
///
/// // A keyed mutex: acquired with key 1, or given up after 100 milliseconds.
/// let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
/// wait.params.keyedMutex.key = 1;
/// wait.params.keyedMutex.timeoutMs = 100;
/// assert_eq!(std::mem::size_of_val(&wait), 144);
/// ```
#[doc(alias = "cudaExternalSemaphoreWaitParams")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

/// The value, fence or key of a [wait](CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS). This is a struct, not a union; the
/// driver reads the field that goes with the semaphore's handle type.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params;

/// The value of a timeline semaphore or a Direct3D fence that ends the wait.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence;

/// The key that a keyed mutex is acquired with, and the time limit.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex;

/// The NvSciSync fence that is waited for: set `fence`. The other field only gives the union its size.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync;

/// In a signal's [`flags`](CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::flags): skip the work that makes NvSciBuf
/// memory coherent.
///
/// It is for NvSciSync only. It should be set where `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` is false for all
/// memory concerned (guide). Setting it where coherence is needed is **undefined behavior**: see
/// [coherence](crate::guide::nvsci#coherence).
#[doc(alias = "cudaExternalSemaphoreSignalSkipNvSciBufMemSync")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;

/// In a wait's [`flags`](CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::flags): skip the work that makes NvSciBuf memory
/// coherent.
///
/// It is for NvSciSync only. It should be set where `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` is false for all
/// memory concerned (guide). Setting it where coherence is needed is **undefined behavior**: see
/// [coherence](crate::guide::nvsci#coherence).
#[doc(alias = "cudaExternalSemaphoreWaitSkipNvSciBufMemSync")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;

/// For [`cuDeviceGetNvSciSyncAttributes`]: the attributes that a device needs to signal.
#[doc(alias = "cudaNvSciSyncAttrSignal")]
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_SIGNAL;

/// For [`cuDeviceGetNvSciSyncAttributes`]: the attributes that a device needs to wait.
#[doc(alias = "cudaNvSciSyncAttrWait")]
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_WAIT;

/// The types of semaphore handles. The exporter decides [which one](self#which-handle-type) to use.
///
/// A number that these bindings do not know is an ordinary value. *Measured*: the driver returns
/// [`CUDA_ERROR_INVALID_VALUE`] for it.
#[doc(alias = "cudaExternalSemaphoreHandleType")]
pub use crate::bindings::CUexternalSemaphoreHandleType;

/// Linux: the file descriptor of a binary semaphore.
///
/// `vkGetSemaphoreFdKHR` of Vulkan exports it with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`, from a semaphore
/// of type `VK_SEMAPHORE_TYPE_BINARY`. The driver closes the FD when the import succeeds: [who owns the file
/// descriptor](crate::memory#who-owns-the-file-descriptor).
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

/// Windows: the NT handle, or its name, of a binary semaphore.
///
/// `vkGetSemaphoreWin32HandleKHR` of Vulkan exports it with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`. The
/// handle holds a reference; the caller closes it with `CloseHandle`.
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: a globally shared D3DKMT handle of a binary semaphore. It has no name.
///
/// Vulkan exports it with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`. The handle is never closed and
/// holds no reference.
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: the NT handle, or its name, of an `ID3D12Fence` that was created with
/// `D3D12_FENCE_FLAG_SHARED`.
///
/// It comes from `ID3D12Device::CreateSharedHandle`. The handle holds a reference; the caller closes it with
/// `CloseHandle`. [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalSemaphoreHandleTypeD3D12Fence")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE;

/// Windows: the NT handle, or its name, of an `ID3D11Fence` that was created with
/// `D3D11_FENCE_FLAG_SHARED`.
///
/// It comes from `ID3D11Fence::CreateSharedHandle`. The handle holds a reference; the caller closes it with
/// `CloseHandle`. [Direct3D](crate::guide::direct3d) has more.
#[doc(alias = "cudaExternalSemaphoreHandleTypeD3D11Fence")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE;

/// Jetson and DRIVE, Linux and QNX: an `NvSciSyncObj`. NVIDIA's sample also lists x86-64 Linux.
///
/// It is allocated from an attribute list that [`cuDeviceGetNvSciSyncAttributes`] filled in. The application keeps
/// ownership, and must keep it alive until the import has ended. [NvSci](crate::guide::nvsci) has more.
#[doc(alias = "cudaExternalSemaphoreHandleTypeNvSciSync")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;

/// Windows: the NT handle, or its name, of the keyed mutex (`IDXGIKeyedMutex`) of a Direct3D 11 resource
/// that was created with `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX` and `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// It comes from `IDXGIResource1::CreateSharedHandle`. The resource and its mutex have the same handle. The handle
/// holds a reference; the caller closes it with `CloseHandle`. A wait acquires the mutex, a signal releases it.
/// [Direct3D](crate::guide::direct3d#fences-and-keyed-mutexes) has more.
#[doc(alias = "cudaExternalSemaphoreHandleTypeKeyedMutex")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX;

/// Windows: the KMT handle, which has no name, of the keyed mutex of a Direct3D 11 resource that was created
/// with `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// It comes from `IDXGIResource::GetSharedHandle`. The handle is never closed and holds no reference. A wait acquires
/// the mutex, a signal releases it.
#[doc(alias = "cudaExternalSemaphoreHandleTypeKeyedMutexKmt")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT;

/// Linux: the file descriptor of a timeline semaphore.
///
/// `vkGetSemaphoreFdKHR` of Vulkan exports it with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`, from a semaphore
/// of type `VK_SEMAPHORE_TYPE_TIMELINE`. A device supports it if
/// [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`] is 1. The driver closes the FD when the import
/// succeeds: [who owns the file descriptor](crate::memory#who-owns-the-file-descriptor).
#[doc(alias = "cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// Windows: the NT handle, or its name, of a timeline semaphore.
///
/// `vkGetSemaphoreWin32HandleKHR` of Vulkan exports it with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`, from
/// a semaphore of type `VK_SEMAPHORE_TYPE_TIMELINE`. The handle holds a reference; the caller closes it with
/// `CloseHandle`.
#[doc(alias = "cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32;
