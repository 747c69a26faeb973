#![doc = include_str!("../docs/semaphore.md")]

#[cfg(doc)]
use crate::*; // for the links

/// Imports a semaphore, fence or keyed mutex that another API or process exported, and gives a handle for
/// it.
///
/// # Parameters
///
/// - `extSem_out`: where the handle is put. It is written on success only.
/// - `semHandleDesc`: what is imported. Read during the call, and not kept.
///
/// # Ownership
///
/// A file descriptor becomes the driver's when the import succeeds, and is closed then. A failure has left
/// it open (measured: [the table](crate::memory#who-owns-the-file-descriptor)), unlike one of a memory
/// import. A Windows NT handle stays the caller's; an `NvSciSyncObj` stays the caller's and must live as
/// long as the import.
///
/// # Context and threads
///
/// A context of the device that the exporter uses must be current. Any thread may import, several at once.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: `type_` is no known type, `flags` or a reserved field is not 0, or a
///   pointer is null.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform or device imports no such type.
/// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or is no semaphore of a GPU (measured).
/// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_OPERATING_SYSTEM`]: the handle does not stand for an
///   exported semaphore.
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// That an import succeeds shows little: driver 580.159 takes memory for a semaphore, and a binary one for
/// a timeline.
///
/// # Safety
///
/// The pointers must be valid for their types, and the arm of `handle` that goes with `type_` must be the
/// one that was written. A file descriptor must be the caller's to give away. Whether a semaphore is binary
/// or a timeline must be said rightly: the file descriptor does not tell.
///
/// # Example
///
/// An FD from `vkGetSemaphoreFdKHR`, of a timeline semaphore:
///
/// ```no_run
/// use cuda_external_sys::*;
/// use std::ptr;
///
/// /// Takes the FD over where it succeeds.
/// unsafe fn import(fd: i32) -> Result<CUexternalSemaphore, CUresult> {
///     let desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
///         type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
///         handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle { fd },
///         ..Default::default()
///     };
///     let mut semaphore = ptr::null_mut();
///     match unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) } {
///         CUDA_SUCCESS => Ok(semaphore),
///         error => Err(error),
///     }
/// }
/// ```
///
/// Undone by [`cuDestroyExternalSemaphore`]. Since CUDA 10.0. Source: driver API manual, "External Resource
/// Interoperability".
#[doc(alias = "cudaImportExternalSemaphore")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuImportExternalSemaphore;

/// Enqueues signals of semaphores in a stream: they happen once all earlier work of the stream is done.
///
/// # Parameters
///
/// - `extSemArray`: the semaphores, `numExtSems` of them.
/// - `paramsArray`: for each of them what it is set to.
/// - `numExtSems`: how many there are in both arrays.
/// - `stream`: the stream; null is the default stream, the one that all threads share.
///
/// Both arrays are read during the call, and not kept.
///
/// # What a signal does
///
/// | handle type | effect |
/// |---|---|
/// | OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT | the binary semaphore becomes signalled; nothing of `params` is read |
/// | TIMELINE_SEMAPHORE_FD, TIMELINE_SEMAPHORE_WIN32, D3D12_FENCE, D3D11_FENCE | it is set to `params.fence.value` |
/// | NVSCISYNC | the `NvSciSyncFence` at `params.nvSciSync.fence` is filled in, for those who wait |
/// | D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT | the mutex is released with `params.keyedMutex.key` |
///
/// What this stream wrote before the signal is visible to whoever waits for it. For NvSciSync, unless
/// [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`] is set, the signal also makes all NvSciBuf
/// memory of this process coherent.
///
/// A binary semaphore is waited for exactly once after each signal, by the other API, in work that is
/// submitted after this call. A signal of a deterministic NvSciSync fence adds 1: signal it from one stream
/// only.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: the stream is none.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the `NvSciSyncObj` was made without [`CUDA_NVSCISYNC_ATTR_SIGNAL`], or
///   this kind of semaphore cannot be signalled here.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both arrays must have `numExtSems` entries, the arm of `params` that goes with the semaphore must be the
/// one that was written, and the semaphores must not be destroyed before the signals have happened. The
/// current context must be that of the stream.
///
/// # Example
///
/// ```no_run
/// use cuda_external_sys::*;
///
/// /// Sets a timeline semaphore to `value` once the stream gets there.
/// unsafe fn signal(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
///     let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
///     signal.params.fence.value = value;
///     unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream) }
/// }
/// ```
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaSignalExternalSemaphoresAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuSignalExternalSemaphoresAsync;

/// [`cuSignalExternalSemaphoresAsync`], where a null stream is the calling thread's own default stream.
///
/// It is what that name stands for in C with `CUDA_API_PER_THREAD_DEFAULT_STREAM`. Any other stream is the
/// same to both.
///
/// # Safety
///
/// As for [`cuSignalExternalSemaphoresAsync`].
///
/// Since CUDA 10.0. Source: cuda.h, and "API synchronization behavior" in the driver API manual.
#[doc(alias = "cudaSignalExternalSemaphoresAsync_ptsz")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuSignalExternalSemaphoresAsync_ptsz;

/// Enqueues waits for semaphores in a stream: later work of the stream starts once all of them are over.
///
/// The call itself returns at once, and the host is not held up: it is the stream that waits. Work in other
/// streams goes on.
///
/// # Parameters
///
/// - `extSemArray`: the semaphores, `numExtSems` of them.
/// - `paramsArray`: for each of them what is waited for.
/// - `numExtSems`: how many there are in both arrays.
/// - `stream`: the stream; null is the default stream, the one that all threads share.
///
/// Both arrays are read during the call, and not kept.
///
/// # What a wait waits for
///
/// | handle type | until |
/// |---|---|
/// | OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT | the binary semaphore is signalled; the wait makes it unsignalled again |
/// | TIMELINE_SEMAPHORE_FD, TIMELINE_SEMAPHORE_WIN32, D3D12_FENCE, D3D11_FENCE | it is at least `params.fence.value` |
/// | NVSCISYNC | the signal that filled in the `NvSciSyncFence` at `params.nvSciSync.fence` has happened |
/// | D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT | the mutex was released with `params.keyedMutex.key` and is acquired, or `timeoutMs` milliseconds are over |
///
/// What the signaller wrote before its signal is visible after the wait. For NvSciSync, unless
/// [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`] is set, the wait also makes all NvSciBuf memory
/// of this process coherent.
///
/// The signal must be submitted to the other API before this call, except for a deterministic NvSciSync
/// fence. [Why](self#who-goes-first).
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a semaphore was destroyed (measured on driver 580.159).
/// - [`CUDA_ERROR_INVALID_HANDLE`]: the stream is none.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the `NvSciSyncObj` was made without [`CUDA_NVSCISYNC_ATTR_WAIT`], or
///   this kind of semaphore cannot be waited for here.
/// - [`CUDA_ERROR_TIMEOUT`]: a keyed mutex was not released in time.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both arrays must have `numExtSems` entries, the arm of `params` that goes with the semaphore must be the
/// one that was written, and the semaphores must not be destroyed before the waits are over. The current
/// context must be that of the stream.
///
/// # Example
///
/// ```no_run
/// use cuda_external_sys::*;
///
/// /// Lets the stream go on once Vulkan has signalled a binary semaphore.
/// unsafe fn wait(semaphore: CUexternalSemaphore, stream: CUstream) -> CUresult {
///     let wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
///     unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream) }
/// }
/// ```
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaWaitExternalSemaphoresAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuWaitExternalSemaphoresAsync;

/// [`cuWaitExternalSemaphoresAsync`], where a null stream is the calling thread's own default stream.
///
/// It is what that name stands for in C with `CUDA_API_PER_THREAD_DEFAULT_STREAM`. Any other stream is the
/// same to both.
///
/// # Safety
///
/// As for [`cuWaitExternalSemaphoresAsync`].
///
/// Since CUDA 10.0. Source: cuda.h, and "API synchronization behavior" in the driver API manual.
#[doc(alias = "cudaWaitExternalSemaphoresAsync_ptsz")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuWaitExternalSemaphoresAsync_ptsz;

/// Ends the import of a semaphore.
///
/// # Parameters
///
/// - `extSem`: the import. The handle is worth nothing afterwards.
///
/// All its signals and waits must be over, so synchronize the streams that they are in. With a wait still
/// queued the call blocks until that is over (measured on driver 580.159): for ever, where the same thread
/// was to signal. The exporter's own semaphore is not touched.
///
/// # Errors
///
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `extSem` must come from [`cuImportExternalSemaphore`], be destroyed once only (a second time ends the
/// process by SIGSEGV on driver 580.159), and be used by no work in flight nor by a graph that is launched
/// later.
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaDestroyExternalSemaphore")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDestroyExternalSemaphore;

/// Fills in what a device needs of an NvSciSync object, as its signaller, its waiter, or both.
///
/// The list is then reconciled with those of the other engines (`NvSciSyncAttrListReconcile`), and the
/// object made of the result is imported as [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC`].
///
/// # Parameters
///
/// - `nvSciSyncAttrList`: an `NvSciSyncAttrList` that is empty and not reconciled. It stays the caller's.
/// - `dev`: the device.
/// - `flags`: [`CUDA_NVSCISYNC_ATTR_SIGNAL`], [`CUDA_NVSCISYNC_ATTR_WAIT`], or both by `|`.
///
/// No context is needed.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform has no NvSciSync.
/// - [`CUDA_ERROR_INVALID_VALUE`]: `flags` has neither bit or an unknown one, or the list is null.
/// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_INVALID_DEVICE`], [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The list must be NvSciSync's.
///
/// Since CUDA 10.2. Source: driver API manual, "Device Management".
#[doc(alias = "cudaDeviceGetNvSciSyncAttributes")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetNvSciSyncAttributes;

/// An imported semaphore: what [`cuImportExternalSemaphore`] gives and [`cuDestroyExternalSemaphore`] ends.
///
/// A pointer of the driver's own; never dereference it. The runtime API's counterpart is
/// `cudaExternalSemaphore_t`.
#[doc(alias = "cudaExternalSemaphore_t")]
pub use crate::bindings::CUexternalSemaphore;

/// What [`CUexternalSemaphore`] points to: known to the driver alone.
pub use crate::bindings::CUextSemaphore_st;

/// What [`cuImportExternalSemaphore`] imports: a handle and its kind.
///
/// Begin with `default()`, which is zero everywhere, as `flags` and the reserved fields must be.
///
/// | `type_` | arm of `handle` | arm of `params` in a signal or wait |
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

/// The handle in a [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`]: one arm, by its `type_`.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle;

/// A Windows handle, or its name, in a [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle`]: exactly one of the
/// two.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32;

/// What one signal sets its semaphore to, for [`cuSignalExternalSemaphoresAsync`] and a graph's signal
/// node.
///
/// `default()` is all that a binary semaphore needs.
#[doc(alias = "cudaExternalSemaphoreSignalParams")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

/// The value, fence or key of a [signal](CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS). A struct: the members lie
/// side by side, and the one that goes with the semaphore's handle type is read.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params;

/// What a timeline semaphore or a Direct3D fence is set to.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence;

/// The key that a keyed mutex is released with.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex;

/// Where a signal puts its NvSciSync fence: write `fence`. The other arm only gives the union its size.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync;

/// What one wait waits for, for [`cuWaitExternalSemaphoresAsync`] and a graph's wait node.
///
/// `default()` is all that a binary semaphore needs.
///
/// ```
/// use cuda_external_sys::*;
///
/// // A keyed mutex: acquired by key 1, or given up after 100 milliseconds.
/// let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
/// wait.params.keyedMutex.key = 1;
/// wait.params.keyedMutex.timeoutMs = 100;
/// assert_eq!(std::mem::size_of_val(&wait), 144);
/// ```
#[doc(alias = "cudaExternalSemaphoreWaitParams")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

/// The value, fence or key of a [wait](CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS). A struct: the members lie side
/// by side, and the one that goes with the semaphore's handle type is read.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params;

/// Which value of a timeline semaphore or a Direct3D fence ends the wait.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence;

/// The key that a keyed mutex is acquired by, and for how long that is tried.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex;

/// Which NvSciSync fence is waited for: write `fence`. The other arm only gives the union its size.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync;

/// In a signal's [`flags`](CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::flags): leave out what makes NvSciBuf
/// memory coherent.
///
/// For NvSciSync alone, where `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` is false for all memory
/// concerned. Where it is true, the other engines may read old bytes.
#[doc(alias = "cudaExternalSemaphoreSignalSkipNvSciBufMemSync")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;

/// In a wait's [`flags`](CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::flags): leave out what makes NvSciBuf memory
/// coherent.
///
/// For NvSciSync alone, where `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` is false for all memory
/// concerned. Where it is true, CUDA may read old bytes.
#[doc(alias = "cudaExternalSemaphoreWaitSkipNvSciBufMemSync")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;

/// Asks [`cuDeviceGetNvSciSyncAttributes`] for what a device needs to signal.
#[doc(alias = "cudaNvSciSyncAttrSignal")]
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_SIGNAL;

/// Asks [`cuDeviceGetNvSciSyncAttributes`] for what a device needs to wait.
#[doc(alias = "cudaNvSciSyncAttrWait")]
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_WAIT;

/// The kinds of semaphore handles; [which one](self#which-handle-type) is the exporter's to say.
///
/// A number that these bindings do not know is a value like any other, and an error for the driver.
#[doc(alias = "cudaExternalSemaphoreHandleType")]
pub use crate::bindings::CUexternalSemaphoreHandleType;

/// Linux: the file descriptor of a binary semaphore.
///
/// From Vulkan's `vkGetSemaphoreFdKHR` with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`, of a
/// semaphore of type `VK_SEMAPHORE_TYPE_BINARY`. Closed by the driver when the import succeeds: [the
/// table](crate::memory#who-owns-the-file-descriptor).
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

/// Windows: the NT handle, or its name, of a binary semaphore.
///
/// From Vulkan's `vkGetSemaphoreWin32HandleKHR` with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`.
/// Closed by the caller, with `CloseHandle`.
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: the KMT handle, with no name, of a binary semaphore.
///
/// From Vulkan with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`. Never closed, and holds no
/// reference.
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: the NT handle, or its name, of an `ID3D12Fence` that was created with
/// `D3D12_FENCE_FLAG_SHARED`.
///
/// From `ID3D12Device::CreateSharedHandle`. Closed by the caller, with `CloseHandle`.
#[doc(alias = "cudaExternalSemaphoreHandleTypeD3D12Fence")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE;

/// Windows: the NT handle, or its name, of an `ID3D11Fence` that was created with
/// `D3D11_FENCE_FLAG_SHARED`.
///
/// From `ID3D11Fence::CreateSharedHandle`. Closed by the caller, with `CloseHandle`.
#[doc(alias = "cudaExternalSemaphoreHandleTypeD3D11Fence")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE;

/// Tegra and DRIVE, Linux and QNX: an `NvSciSyncObj`.
///
/// Made from an attribute list that [`cuDeviceGetNvSciSyncAttributes`] had its part in. It stays the
/// application's, which keeps it for as long as the import lives.
#[doc(alias = "cudaExternalSemaphoreHandleTypeNvSciSync")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;

/// Windows: the NT handle, or its name, of the keyed mutex (`IDXGIKeyedMutex`) of a Direct3D 11 resource
/// that was created with `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX` and `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// From `IDXGIResource1::CreateSharedHandle`: the handle of the resource is also that of its mutex. Closed
/// by the caller, with `CloseHandle`. A wait acquires the mutex, a signal releases it.
#[doc(alias = "cudaExternalSemaphoreHandleTypeKeyedMutex")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX;

/// Windows: the KMT handle, with no name, of the keyed mutex of a Direct3D 11 resource that was created
/// with `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// From `IDXGIResource::GetSharedHandle`. Never closed, and holds no reference. A wait acquires the mutex,
/// a signal releases it.
#[doc(alias = "cudaExternalSemaphoreHandleTypeKeyedMutexKmt")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT;

/// Linux: the file descriptor of a timeline semaphore.
///
/// From Vulkan's `vkGetSemaphoreFdKHR` with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`, of a
/// semaphore of type `VK_SEMAPHORE_TYPE_TIMELINE`. Whether a device can is
/// [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`]. Closed by the driver when the import
/// succeeds: [the table](crate::memory#who-owns-the-file-descriptor).
#[doc(alias = "cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// Windows: the NT handle, or its name, of a timeline semaphore.
///
/// From Vulkan's `vkGetSemaphoreWin32HandleKHR` with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`,
/// of a semaphore of type `VK_SEMAPHORE_TYPE_TIMELINE`. Closed by the caller, with `CloseHandle`.
#[doc(alias = "cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32;
