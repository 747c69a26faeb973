#![doc = page!("semaphore.md")]

#[cfg(doc)]
use crate::*; // for the links

/// An imported semaphore, from [`cuImportExternalSemaphore`] until [`cuDestroyExternalSemaphore`].
///
/// An opaque handle: never dereference it. The runtime API's type is `cudaExternalSemaphore_t`.
#[doc(alias = "cudaExternalSemaphore_t")]
pub use crate::bindings::CUexternalSemaphore;

/// The driver's private struct, to which a [`CUexternalSemaphore`] points.
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

/// The handle in a [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`]: one union field, selected by the descriptor's `type_`.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle;

/// A Windows handle of the semaphore, or the name of the shared object, in a
/// [`CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle`]. Exactly one of the two is not null.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32;

/// The parameters of one signal, for [`cuSignalExternalSemaphoresAsync`] and a graph's signal node.
///
/// For a binary semaphore `default()` is enough.
#[doc(alias = "cudaExternalSemaphoreSignalParams")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

/// The value, NvSciSync fence or key of a [signal](CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS). This is a struct, not a
/// union. The driver uses the field that goes with the semaphore's handle type, or none for a binary semaphore.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params;

/// The value to which a timeline semaphore or a Direct3D fence is set.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence;

/// The key with which a keyed mutex is released.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex;

/// The address of the NvSciSync fence that [`cuSignalExternalSemaphoresAsync`] overwrites: set `fence`. `reserved` only
/// gives the union its size.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync;

/// The parameters of one wait, for [`cuWaitExternalSemaphoresAsync`] and a graph's wait node.
///
/// For a binary semaphore `default()` is enough.
///
/// ```
/// use cuda_external_sys::*;
///
/// // Acquire a keyed mutex with key 1, and wait for at most 100 milliseconds.
/// let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
/// wait.params.keyedMutex.key = 1;
/// wait.params.keyedMutex.timeoutMs = 100;
/// assert_eq!(std::mem::size_of_val(&wait), 144);
/// ```
#[doc(alias = "cudaExternalSemaphoreWaitParams")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

/// The value, NvSciSync fence or key of a [wait](CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS). This is a struct, not a union.
/// The driver uses the field that goes with the semaphore's handle type, or none for a binary semaphore.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params;

/// The value that a timeline semaphore or a Direct3D fence must have reached for the wait to end.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence;

/// The key with which a keyed mutex is acquired, and the time limit.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex;

/// The address of the NvSciSync fence for which a stream waits: set `fence`. `reserved` only gives the union its size.
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync;

/// A bit of a signal's [`flags`](CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::flags). If the bit is set, the signal does not
/// make NvSciBuf memory coherent.
///
/// The flag is for NvSciSync only. Set it only if `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` is false for all
/// NvSciBuf memory that this process imported (NVIDIA's programming guide). Setting the flag although coherence is
/// needed is **undefined behavior**: see [coherence](crate::guide::nvsci#coherence).
#[doc(alias = "cudaExternalSemaphoreSignalSkipNvSciBufMemSync")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;

/// A bit of a wait's [`flags`](CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::flags). If the bit is set, the wait does not make
/// NvSciBuf memory coherent.
///
/// The flag is for NvSciSync only. Set it only if `NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency` is false for all
/// NvSciBuf memory that this process imported (NVIDIA's programming guide). Setting the flag although coherence is
/// needed is **undefined behavior**: see [coherence](crate::guide::nvsci#coherence).
#[doc(alias = "cudaExternalSemaphoreWaitSkipNvSciBufMemSync")]
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;

/// A flag of [`cuDeviceGetNvSciSyncAttributes`], for a device that signals an `NvSciSyncObj`.
#[doc(alias = "cudaNvSciSyncAttrSignal")]
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_SIGNAL;

/// A flag of [`cuDeviceGetNvSciSyncAttributes`], for a device that waits for an `NvSciSyncObj`.
#[doc(alias = "cudaNvSciSyncAttrWait")]
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_WAIT;

/// The types of semaphore handles. [Which type to use](self#handle-types) depends on the exporter.
///
/// This Rust type can hold a number that these bindings do not know. *Measured* on driver 580.159.04:
/// [`cuImportExternalSemaphore`] returns [`CUDA_ERROR_INVALID_VALUE`] for 0, 11 and 77, which are not handle types.
#[doc(alias = "cudaExternalSemaphoreHandleType")]
pub use crate::bindings::CUexternalSemaphoreHandleType;

/// Linux: the file descriptor of a binary semaphore.
///
/// `vkGetSemaphoreFdKHR` of Vulkan exports the FD with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`, from a
/// semaphore of type `VK_SEMAPHORE_TYPE_BINARY`. After a successful import the FD belongs to CUDA's driver: [who owns
/// the file descriptor](crate::memory#ownership-of-the-file-descriptor).
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueFd")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

/// Windows: a binary semaphore, as an NT handle or by name.
///
/// `vkGetSemaphoreWin32HandleKHR` of Vulkan exports the handle with
/// `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`. Close the handle with `CloseHandle` after the import.
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueWin32")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;

/// Windows: a binary semaphore, as a globally shared KMT handle, without a name: `win32.name` must be null.
///
/// Vulkan exports the handle with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT`. Never close the handle. It
/// does not keep the semaphore alive, and is invalid once every reference to the semaphore is gone.
#[doc(alias = "cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;

/// Windows: an `ID3D12Fence` that was created with `D3D12_FENCE_FLAG_SHARED`, as an NT handle or by name.
///
/// `ID3D12Device::CreateSharedHandle` returns the handle, which holds a reference to the fence. Close the handle with
/// `CloseHandle` after the import. See also [Direct3D](crate::guide::direct3d).
#[doc(alias = "cudaExternalSemaphoreHandleTypeD3D12Fence")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE;

/// Windows: an `ID3D11Fence` that was created with `D3D11_FENCE_FLAG_SHARED`, as an NT handle or by name.
///
/// `ID3D11Fence::CreateSharedHandle` returns the handle, which holds a reference to the fence. Close the handle with
/// `CloseHandle` after the import. See also [Direct3D](crate::guide::direct3d).
#[doc(alias = "cudaExternalSemaphoreHandleTypeD3D11Fence")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE;

/// Jetson and DRIVE (Linux and QNX): an `NvSciSyncObj`. An H100 and an H200 refuse the type (*measured*).
///
/// [`cuDeviceGetNvSciSyncAttributes`] fills in an attribute list. Reconcile this list with the lists of the other
/// signalers and waiters, and allocate the object from the result. The application owns the object, and must not free
/// it before [`cuDestroyExternalSemaphore`] has ended the import. See also [NvSci](crate::guide::nvsci).
#[doc(alias = "cudaExternalSemaphoreHandleTypeNvSciSync")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;

/// Windows: the keyed mutex (`IDXGIKeyedMutex`) of a Direct3D 11 resource, as an NT handle or by name. Create the
/// resource with `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX` and `D3D11_RESOURCE_MISC_SHARED_NTHANDLE`.
///
/// `IDXGIResource1::CreateSharedHandle` returns the handle, which is the handle of both the resource and its mutex.
/// Close the handle with `CloseHandle` after the import. A wait acquires the mutex, and a signal releases the mutex.
/// See also [the section about fences and keyed mutexes](crate::guide::direct3d#fences-and-keyed-mutexes).
#[doc(alias = "cudaExternalSemaphoreHandleTypeKeyedMutex")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX;

/// Windows: the KMT handle of the keyed mutex of a Direct3D 11 resource that was created with
/// `D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX`.
///
/// `IDXGIResource::GetSharedHandle` returns the handle. Never close the handle. It does not keep the resource alive,
/// and is invalid once every reference to the resource is gone. The handle has no name: `win32.name` must be null. A
/// wait acquires the mutex, and a signal releases the mutex.
#[doc(alias = "cudaExternalSemaphoreHandleTypeKeyedMutexKmt")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT;

/// Linux: the file descriptor of a timeline semaphore.
///
/// `vkGetSemaphoreFdKHR` of Vulkan exports the FD with `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`, from a
/// semaphore of type `VK_SEMAPHORE_TYPE_TIMELINE`. CUDA can import the semaphore on a device whose attribute
/// [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`] is 1. After a successful import the FD belongs to
/// CUDA's driver: [who owns the file descriptor](crate::memory#ownership-of-the-file-descriptor).
#[doc(alias = "cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// Windows: a timeline semaphore, as an NT handle or by name.
///
/// `vkGetSemaphoreWin32HandleKHR` of Vulkan exports the handle with
/// `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`, from a semaphore of type `VK_SEMAPHORE_TYPE_TIMELINE`. Close
/// the handle with `CloseHandle` after the import. CUDA can import the semaphore on a device whose attribute
/// [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`] is 1.
#[doc(alias = "cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32")]
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32;

export_functions! {
    /// Imports a semaphore, fence or keyed mutex that another API or process exported, and returns a handle for it.
    ///
    /// # Parameters
    ///
    /// - `extSem_out`: receives the handle, on success only.
    /// - `semHandleDesc`: describes what is imported. The driver reads the description during the call.
    ///
    /// # Ownership
    ///
    /// - **A file descriptor** belongs to the driver after a successful import. Give it up before the call, and
    ///   [never close it afterwards](crate::memory#ownership-of-the-file-descriptor), not even after a failure.
    ///   *Measured*: driver 580.159.04 leaves the FD open if the import fails. Another driver may close it.
    /// - **A Windows NT handle** stays yours: close it with `CloseHandle` after the import. The semaphore is not
    ///   destroyed while the handle is open.
    /// - **A KMT handle** must not be closed. It does not keep the semaphore alive, and is invalid once every reference
    ///   to the semaphore is gone.
    /// - **An `NvSciSyncObj`** stays yours. Freeing it before [`cuDestroyExternalSemaphore`] is undefined behavior.
    ///
    /// # Context and threads
    ///
    /// A context of the exporter's device must be current: [match devices](crate::device#matching-devices). Any thread
    /// may import, and several threads may import at once.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform does not import this type, for example a Windows type on Linux
    ///   (*measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: the manual gives no reason.
    /// - [`CUDA_ERROR_OPERATING_SYSTEM`]: a call to the operating system failed (*not verified*).
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `type_` is unknown, `flags` or a reserved field is not 0, or an argument of the
    ///   call is null (all *measured*).
    /// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or is not one that a GPU's driver exported
    ///   (*measured*; for the FD -1 as a timeline the code is [`CUDA_ERROR_INVALID_VALUE`]).
    /// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released (*measured*).
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// A successful import does not prove that the description was correct. *Measured*: driver 580.159.04 accepts
    /// memory as a semaphore, a binary semaphore as a timeline, and a timeline as a binary semaphore.
    ///
    /// # Safety
    ///
    /// `extSem_out` must be valid for writing a pointer, and `semHandleDesc` for reading a description. The union field
    /// of `handle` that goes with `type_` must identify an object of this type. If the field is `fd`, the caller must
    /// own the FD and give it up. Driver 580.159.04 accepts a binary semaphore as a timeline (*measured*).
    ///
    /// # Example
    ///
    /// Importing a timeline semaphore, of which `vkGetSemaphoreFdKHR` returned an FD:
    ///
    /// ```no_run
    /// use cuda_external_sys::*;
    /// use std::ptr;
    ///
    /// /// Takes over the FD: it must not be closed after a failure either.
    /// unsafe fn import(fd: i32) -> Result<CUexternalSemaphore, CUresult> {
    ///     let desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    ///         type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
    ///         handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle { fd },
    ///         ..Default::default()
    ///     };
    ///     let mut semaphore = ptr::null_mut();
    ///     unsafe { cuImportExternalSemaphore(&mut semaphore, &desc).result()? };
    ///     Ok(semaphore)
    /// }
    /// ```
    ///
    /// End the import with [`cuDestroyExternalSemaphore`]. Since CUDA 10.0. Source: manual, "External Resource
    /// Interoperability".
    #[doc(alias = "cudaImportExternalSemaphore")]
    pub use crate::bindings::cuImportExternalSemaphore;

    /// Enqueues signals of semaphores in a stream. The signals happen once all earlier work of the stream is done.
    ///
    /// # Parameters
    ///
    /// - `extSemArray`: the semaphores, `numExtSems` of them.
    /// - `paramsArray`: the parameters for each semaphore.
    /// - `stream`: the stream; null is the default stream, the one that all threads share.
    ///
    /// The driver reads both arrays during the call.
    ///
    /// # What a signal does
    ///
    /// | handle type | effect |
    /// |---|---|
    /// | OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT | the binary semaphore becomes signaled; all of `params` can stay 0 |
    /// | TIMELINE_SEMAPHORE_FD, TIMELINE_SEMAPHORE_WIN32, D3D12_FENCE, D3D11_FENCE | the semaphore or fence is set to `params.fence.value` |
    /// | NVSCISYNC | the `NvSciSyncFence` at `params.nvSciSync.fence`, which this call overwrites, becomes signaled |
    /// | D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT | the mutex is released with `params.keyedMutex.key` |
    ///
    /// What this stream wrote before the signal is visible to the waiter.
    ///
    /// The other API waits for the signal, in work that is submitted [after this
    /// call](crate::semaphore#order-of-submission). Each signal of a binary semaphore must have exactly one wait.
    ///
    /// With NvSciSync, the waiter may be CUDA too. The signal also makes all imported NvSciBuf memory coherent, unless
    /// [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`] is set. A signal of a [deterministic
    /// fence](crate::guide::nvsci#deterministic-fences) adds 1 to the fence's value. This signal may be submitted after
    /// its wait. Only one unsignaled fence of an `NvSciSyncObj` may have a [timestamp](crate::guide::nvsci#timestamps).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: by the manual, a semaphore or the stream is not a valid handle. *Measured*: for
    ///   a null semaphore, an import of memory or a destroyed stream, driver 580.159.04 ends the process with SIGSEGV.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null array, a `numExtSems` of 0, a destroyed semaphore, a pointer to zeros in
    ///   place of a semaphore, an unknown flag, NvSciSync's flag for a semaphore of another type, a reserved field that
    ///   is not 0, or a stream of a context other than the current one (all *measured*).
    /// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the stream's context was destroyed. The call may crash too (*measured*).
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the `NvSciSyncObj`'s attributes were set without [`CUDA_NVSCISYNC_ATTR_SIGNAL`].
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// - Both arrays must have `numExtSems` entries. In each entry of `paramsArray`, the field of `params` for the
    ///   semaphore's handle type must be set, if there is one. `nvSciSync.fence` must point to an `NvSciSyncFence`.
    /// - The semaphores must come from [`cuImportExternalSemaphore`], and must not be destroyed before the signals have
    ///   happened. The stream must not have been destroyed.
    /// - Each signal of a Vulkan timeline must set a larger value than the timeline has: otherwise Vulkan's behavior is
    ///   undefined. *Measured*: driver 580.159.04 accepts a smaller value.
    /// - The current context must be that of the stream.
    /// - [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`] must not be set if coherence is needed.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use cuda_external_sys::*;
    ///
    /// /// Sets a timeline semaphore to `value` once the earlier work of the stream is done.
    /// unsafe fn signal(semaphore: CUexternalSemaphore, value: u64, stream: CUstream) -> CUresult {
    ///     let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    ///     signal.params.fence.value = value;
    ///     unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream) }
    /// }
    /// ```
    ///
    /// Since CUDA 10.0. Source: manual, "External Resource Interoperability".
    #[doc(alias = "cudaSignalExternalSemaphoresAsync")]
    pub use crate::bindings::cuSignalExternalSemaphoresAsync;

    /// Signals as [`cuSignalExternalSemaphoresAsync`] does, but a null stream is the calling thread's default stream.
    ///
    /// In C, defining `CUDA_API_PER_THREAD_DEFAULT_STREAM` makes the name without `_ptsz` mean this function.
    ///
    /// # Safety
    ///
    /// The same as for [`cuSignalExternalSemaphoresAsync`].
    ///
    /// Since CUDA 10.0. Source: cuda.h, and "API synchronization behavior" in the driver API manual.
    #[doc(alias = "cudaSignalExternalSemaphoresAsync_ptsz")]
    pub use crate::bindings::cuSignalExternalSemaphoresAsync_ptsz;

    /// Enqueues waits for semaphores in a stream. Later work of the stream starts once all these waits have ended.
    ///
    /// The call returns at once: the stream waits, not the host. A wait begins once all earlier work of the stream is
    /// done. A wait in a [`CU_STREAM_NON_BLOCKING`] stream does not hold back other streams, or copies and fills
    /// without a stream argument: [one stream](crate::semaphore#one-stream).
    ///
    /// # Parameters
    ///
    /// - `extSemArray`: the semaphores, `numExtSems` of them.
    /// - `paramsArray`: the parameters for each semaphore.
    /// - `stream`: the stream; null is the default stream, the one that all threads share.
    ///
    /// The driver reads both arrays during the call.
    ///
    /// # When a wait ends
    ///
    /// | handle type | ends when |
    /// |---|---|
    /// | OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT | the binary semaphore is signaled; the wait resets it to unsignaled |
    /// | TIMELINE_SEMAPHORE_FD, TIMELINE_SEMAPHORE_WIN32, D3D12_FENCE, D3D11_FENCE | the value of the semaphore or fence is at least `params.fence.value` |
    /// | NVSCISYNC | the `NvSciSyncFence` at `params.nvSciSync.fence` is signaled |
    /// | D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT | the mutex is acquired, after it was released with `params.keyedMutex.key` (a new mutex needs no release, and its key is 0), or `params.keyedMutex.timeoutMs` milliseconds (`INFINITE`: no limit) have passed |
    ///
    /// What the signaler wrote before its signal is visible after the wait.
    ///
    /// Submit the other API's signal [before this call](crate::semaphore#order-of-submission). Only the signal of a
    /// [deterministic NvSciSync fence](crate::guide::nvsci#deterministic-fences) may be submitted later.
    ///
    /// With NvSciSync, the signaler may be CUDA too. The wait also makes all imported NvSciBuf memory coherent, unless
    /// [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`] is set.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: by the manual, a semaphore or the stream is not a valid handle. *Measured*: for
    ///   an import of memory or a destroyed stream, driver 580.159.04 ends the process with SIGSEGV instead.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null array, a `numExtSems` of 0, a null or destroyed semaphore, a pointer to
    ///   zeros in place of a semaphore, an unknown flag, NvSciSync's flag for a semaphore of another type, a reserved
    ///   field that is not 0, or a stream of a context other than the current one (all *measured*).
    /// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the stream's context was destroyed (*measured*).
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the `NvSciSyncObj`'s attributes were set without [`CUDA_NVSCISYNC_ATTR_WAIT`].
    /// - [`CUDA_ERROR_TIMEOUT`]: a keyed mutex was not released in time. This call only enqueues the wait. The manual
    ///   says neither which later call returns the code nor what the stream does then (*not verified*).
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// - Both arrays must have `numExtSems` entries. In each entry of `paramsArray`, the field of `params` for the
    ///   semaphore's handle type must be set, if there is one. `nvSciSync.fence` must point to an `NvSciSyncFence`.
    /// - The semaphores must come from [`cuImportExternalSemaphore`], and must not be destroyed before the waits have
    ///   ended. The stream must not have been destroyed.
    /// - The current context must be that of the stream.
    /// - [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`] must not be set if coherence is needed.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use cuda_external_sys::*;
    ///
    /// /// Makes the stream wait until Vulkan has signaled a binary semaphore.
    /// unsafe fn wait(semaphore: CUexternalSemaphore, stream: CUstream) -> CUresult {
    ///     let wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    ///     unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream) }
    /// }
    /// ```
    ///
    /// Since CUDA 10.0. Source: manual, "External Resource Interoperability".
    #[doc(alias = "cudaWaitExternalSemaphoresAsync")]
    pub use crate::bindings::cuWaitExternalSemaphoresAsync;

    /// Waits as [`cuWaitExternalSemaphoresAsync`] does, but a null stream is the calling thread's default stream.
    ///
    /// In C, defining `CUDA_API_PER_THREAD_DEFAULT_STREAM` makes the name without `_ptsz` mean this function.
    ///
    /// # Safety
    ///
    /// The same as for [`cuWaitExternalSemaphoresAsync`].
    ///
    /// Since CUDA 10.0. Source: cuda.h, and "API synchronization behavior" in the driver API manual.
    #[doc(alias = "cudaWaitExternalSemaphoresAsync_ptsz")]
    pub use crate::bindings::cuWaitExternalSemaphoresAsync_ptsz;

    /// Ends the import of a semaphore. The import's references to the exporter's semaphore are released.
    ///
    /// # Parameters
    ///
    /// - `extSem`: the import. The handle is invalid afterwards.
    ///
    /// The exporter's semaphore is not destroyed. All signals and waits that use the import must have ended:
    /// synchronize their streams. *Measured*: with driver 580.159.04 the call blocks until queued waits have ended. If
    /// nobody signals the semaphore, the call never returns.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: by the manual, `extSem` is not a valid handle. *Measured*: driver 580.159.04
    ///   returns [`CUDA_ERROR_INVALID_VALUE`] for null instead, and other invalid handles end the process with SIGSEGV.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// `extSem` must come from [`cuImportExternalSemaphore`] and be destroyed only once. Neither work in flight nor a
    /// graph that is launched later may use the import. *Measured*: on driver 580.159.04 a second destruction ends the
    /// process with SIGSEGV.
    ///
    /// Since CUDA 10.0. Source: manual, "External Resource Interoperability".
    #[doc(alias = "cudaDestroyExternalSemaphore")]
    pub use crate::bindings::cuDestroyExternalSemaphore;

    /// Fills an NvSciSync attribute list with the attributes that a device needs as a signaler, a waiter, or both.
    ///
    /// Reconcile this list with the lists of the other signalers and waiters (`NvSciSyncAttrListReconcile`), allocate
    /// an object from the result, and import the object as [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC`].
    /// See [all steps](crate::guide::nvsci#steps-for-a-fence).
    ///
    /// # Parameters
    ///
    /// - `nvSciSyncAttrList`: a list from `NvSciSyncAttrListCreate`, unreconciled and without
    ///   `NvSciSyncAttrKey_RequiredPerm`. The caller keeps ownership.
    /// - `flags`: [`CUDA_NVSCISYNC_ATTR_SIGNAL`], [`CUDA_NVSCISYNC_ATTR_WAIT`], or both by `|`.
    ///
    /// The call sets `NvSciSyncAttrKey_RequiredPerm` (signal, wait, or both), `NvSciSyncAttrKey_PrimitiveInfo` and
    /// `NvSciSyncAttrKey_GpuId` (the device's UUID).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: the list is invalid, for example null (*measured*).
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `flags` is 0 or has an unknown bit (both *measured*), or the list already has
    ///   `NvSciSyncAttrKey_RequiredPerm`.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform has no NvSciSync (*measured* on an H100 and an H200).
    /// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device (*measured*).
    /// - [`CUDA_ERROR_OUT_OF_MEMORY`]: the manual gives no reason.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// `nvSciSyncAttrList` must be a valid `NvSciSyncAttrList`.
    ///
    /// Since CUDA 10.2. Source: manual, "Device Management".
    #[doc(alias = "cudaDeviceGetNvSciSyncAttributes")]
    pub use crate::bindings::cuDeviceGetNvSciSyncAttributes;
}
