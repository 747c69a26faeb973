//! The functions of [`crate::semaphore`].

#[cfg(doc)]
use crate::*; // for the links

/// Imports a semaphore, fence or keyed mutex that another API or process exported, and returns a handle for
/// it.
///
/// # Parameters
///
/// - `extSem_out`: receives the handle, on success only.
/// - `semHandleDesc`: describes what is imported. The driver reads it during the call.
///
/// # Ownership
///
/// - **A file descriptor** belongs to the driver after a successful import. Give it away before the call, and [never
///   close it afterwards](crate::memory#who-owns-the-file-descriptor), not even after a failure. *Measured*: a
///   failed import of a semaphore has left the FD open, unlike some failed imports of memory. Another driver may close it.
/// - **A Windows NT handle** is not taken over: close it with `CloseHandle`. The handle holds a reference: the
///   semaphore stays while the handle is open.
/// - **A KMT handle** is not closed and holds no reference.
/// - **An `NvSciSyncObj`** is not taken over. Freeing it before the import has ended is undefined behavior.
///
/// # Context and threads
///
/// A context of the exporter's device must be current: [match devices](crate::device#matching-devices). Any thread may
/// import, several at once.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform or device does not import this type.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: the handle does not refer to an exported
///   semaphore.
/// - [`CUDA_ERROR_OPERATING_SYSTEM`]: a call to the operating system failed (*not verified*).
/// - [`CUDA_ERROR_INVALID_VALUE`]: `type_` is unknown, `flags` or a reserved field is not 0, or a pointer is
///   null (*measured*).
/// - [`CUDA_ERROR_UNKNOWN`]: the file descriptor is not open, or is not a semaphore of a GPU (*measured*).
/// - [`CUDA_ERROR_CONTEXT_IS_DESTROYED`]: the current context was released (*measured*).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// A successful import does not prove that the description was correct. *Measured*: driver 580.159.04 accepts memory as a
/// semaphore, and a binary semaphore as a timeline.
///
/// # Safety
///
/// The pointers must be valid for their types, and the union field of `handle` that goes with `type_` must be
/// the one that was written. A file descriptor must be the caller's to give away. `type_` must say correctly whether the
/// semaphore is binary or a timeline: the driver cannot see it from the file descriptor.
///
/// # Example
///
/// An FD from `vkGetSemaphoreFdKHR`, of a timeline semaphore:
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
/// Destroy it with [`cuDestroyExternalSemaphore`]. Since CUDA 10.0. Source: driver API manual, "External Resource
/// Interoperability".
#[doc(alias = "cudaImportExternalSemaphore")]
pub use crate::bindings::cuImportExternalSemaphore;

/// Enqueues signals of semaphores in a stream. They happen once all earlier work of the stream is done.
///
/// # Parameters
///
/// - `extSemArray`: the semaphores, `numExtSems` of them.
/// - `paramsArray`: each one's parameters.
/// - `numExtSems`: the length of both arrays.
/// - `stream`: the stream; null is the default stream, the one that all threads share.
///
/// The driver reads both arrays during the call.
///
/// # What a signal does
///
/// | handle type | effect |
/// |---|---|
/// | OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT | the binary semaphore becomes signaled; nothing of `params` is read |
/// | TIMELINE_SEMAPHORE_FD, TIMELINE_SEMAPHORE_WIN32, D3D12_FENCE, D3D11_FENCE | it is set to `params.fence.value` |
/// | NVSCISYNC | the call overwrites the `NvSciSyncFence` at `params.nvSciSync.fence` with a fence for the waiters |
/// | D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT | the mutex is released with `params.keyedMutex.key` |
///
/// What this stream wrote before the signal is visible to the waiter.
///
/// The other API waits for the signal, in work that is submitted [after this call](crate::semaphore#who-goes-first).
/// Each signal of a binary semaphore must have exactly one wait.
///
/// For NvSciSync, the waiter may be CUDA too. The signal also makes all NvSciBuf memory of this process coherent, unless
/// [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`] is set. A signal of a
/// [deterministic fence](crate::guide::nvsci#deterministic-fences) adds 1 to it. An object with
/// [timestamps](crate::guide::nvsci#timestamps) may have only one fence outstanding.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: a semaphore or the stream is not a valid handle. *Measured*: for a null semaphore and
///   for a destroyed stream, driver 580.159.04 ends the process with SIGSEGV instead.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null array, no semaphore at all, a destroyed semaphore, an unknown flag, or
///   a reserved field that is not 0 (*measured*).
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the `NvSciSyncObj` was made without [`CUDA_NVSCISYNC_ATTR_SIGNAL`], or
///   this kind of semaphore cannot be signaled here.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// - Both arrays must have `numExtSems` entries, and the field of `params` that goes with the semaphore must be
///   the one that was written.
/// - The semaphores must not be destroyed before the signals have happened.
/// - A timeline's value must grow. *Measured*: the driver accepts a smaller one. What the other API then does is
///   undefined.
/// - The current context must be that of the stream.
/// - Skipping the NvSciBuf synchronization where coherence is needed is undefined behavior.
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
pub use crate::bindings::cuSignalExternalSemaphoresAsync;

/// [`cuSignalExternalSemaphoresAsync`], where a null stream is the calling thread's own default stream.
///
/// In C, `CUDA_API_PER_THREAD_DEFAULT_STREAM` makes the plain name mean this function. Both functions treat every other
/// stream alike.
///
/// # Safety
///
/// As for [`cuSignalExternalSemaphoresAsync`].
///
/// Since CUDA 10.0. Source: cuda.h, and "API synchronization behavior" in the driver API manual.
#[doc(alias = "cudaSignalExternalSemaphoresAsync_ptsz")]
pub use crate::bindings::cuSignalExternalSemaphoresAsync_ptsz;

/// Enqueues waits for semaphores in a stream. Later work of the stream starts once all of them have ended.
///
/// The call returns at once: the stream waits, not the host. A wait begins once all earlier work of the stream is done.
/// Work in other streams does not wait, nor do functions without a stream: [one
/// stream](crate::semaphore#one-stream).
///
/// # Parameters
///
/// - `extSemArray`: the semaphores, `numExtSems` of them.
/// - `paramsArray`: each one's parameters.
/// - `numExtSems`: the length of both arrays.
/// - `stream`: the stream; null is the default stream, the one that all threads share.
///
/// The driver reads both arrays during the call.
///
/// # When a wait ends
///
/// | handle type | ends when |
/// |---|---|
/// | OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT | the binary semaphore is signaled; the wait resets it to unsignaled |
/// | TIMELINE_SEMAPHORE_FD, TIMELINE_SEMAPHORE_WIN32, D3D12_FENCE, D3D11_FENCE | its value is at least `params.fence.value` |
/// | NVSCISYNC | the signal that wrote the `NvSciSyncFence` at `params.nvSciSync.fence` has happened |
/// | D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT | the mutex was released with `params.keyedMutex.key` and is acquired, or `timeoutMs` milliseconds have passed since the wait began |
///
/// What the signaler wrote before its signal is visible after the wait.
///
/// The other API signals, in work that must be submitted [before this call](crate::semaphore#who-goes-first). A
/// [deterministic NvSciSync fence](crate::guide::nvsci#deterministic-fences) is the exception.
///
/// For NvSciSync, the signaler may be CUDA too. The wait also makes all NvSciBuf memory of this process coherent, unless
/// [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`] is set.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: a semaphore or the stream is not a valid handle. *Measured*: for a destroyed stream,
///   driver 580.159.04 ends the process with SIGSEGV instead.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null array, no semaphore at all, a null or destroyed semaphore, an unknown
///   flag, or a reserved field that is not 0 (*measured*).
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the `NvSciSyncObj` was made without [`CUDA_NVSCISYNC_ATTR_WAIT`], or
///   this kind of semaphore cannot be waited for here.
/// - [`CUDA_ERROR_TIMEOUT`]: a keyed mutex was not released in time. This call returns before that time has passed. The
///   manual says neither which later call returns the code nor what the stream does then (*not verified*).
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// - Both arrays must have `numExtSems` entries, and the field of `params` that goes with the semaphore must be
///   the one that was written.
/// - The semaphores must not be destroyed before the waits have ended.
/// - The current context must be that of the stream.
/// - Skipping the NvSciBuf synchronization where coherence is needed is undefined behavior.
///
/// # Example
///
/// ```no_run
/// use cuda_external_sys::*;
///
/// /// Lets the stream go on once Vulkan has signaled a binary semaphore.
/// unsafe fn wait(semaphore: CUexternalSemaphore, stream: CUstream) -> CUresult {
///     let wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
///     unsafe { cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream) }
/// }
/// ```
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaWaitExternalSemaphoresAsync")]
pub use crate::bindings::cuWaitExternalSemaphoresAsync;

/// [`cuWaitExternalSemaphoresAsync`], where a null stream is the calling thread's own default stream.
///
/// In C, `CUDA_API_PER_THREAD_DEFAULT_STREAM` makes the plain name mean this function. Both functions treat every other
/// stream alike.
///
/// # Safety
///
/// As for [`cuWaitExternalSemaphoresAsync`].
///
/// Since CUDA 10.0. Source: cuda.h, and "API synchronization behavior" in the driver API manual.
#[doc(alias = "cudaWaitExternalSemaphoresAsync_ptsz")]
pub use crate::bindings::cuWaitExternalSemaphoresAsync_ptsz;

/// Ends the import of a semaphore, and releases its references to the exporter's semaphore.
///
/// # Parameters
///
/// - `extSem`: the import. The handle is invalid afterwards.
///
/// All its signals and waits must have ended: synchronize their streams first. The exporter's own semaphore is not
/// affected.
///
/// *Measured*: the call blocks while a wait is still queued. If this thread is the one that would signal, the call never
/// returns.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `extSem` is not a valid handle. *Measured*: driver 580.159.04 returns
///   [`CUDA_ERROR_INVALID_VALUE`] for null, and ends the process with SIGSEGV for other invalid handles.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `extSem` must come from [`cuImportExternalSemaphore`] and be destroyed only once. No work in flight may use it, nor a
/// graph that is launched later. *Measured*: on driver 580.159.04 a second destruction ends the process with SIGSEGV.
///
/// Since CUDA 10.0. Source: driver API manual, "External Resource Interoperability".
#[doc(alias = "cudaDestroyExternalSemaphore")]
pub use crate::bindings::cuDestroyExternalSemaphore;

/// Fills in an NvSciSync attribute list with what a device needs as a signaler, as a waiter, or as both.
///
/// Reconcile the list with those of the other engines (`NvSciSyncAttrListReconcile`), allocate the object from the
/// result, and import it as [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC`].
/// [NvSci](crate::guide::nvsci#a-fence-from-start-to-end) has the whole path.
///
/// # Parameters
///
/// - `nvSciSyncAttrList`: a list from `NvSciSyncAttrListCreate`, unreconciled and without
///   `NvSciSyncAttrKey_RequiredPerm`. The caller keeps ownership.
/// - `dev`: the device.
/// - `flags`: [`CUDA_NVSCISYNC_ATTR_SIGNAL`], [`CUDA_NVSCISYNC_ATTR_WAIT`], or both by `|`.
///
/// The call sets `NvSciSyncAttrKey_RequiredPerm` (signal, wait, or both), `NvSciSyncAttrKey_PrimitiveInfo` and
/// `NvSciSyncAttrKey_GpuId`, the device's UUID. No context is needed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: the list is invalid, for example null (*measured*).
/// - [`CUDA_ERROR_INVALID_VALUE`]: `flags` has neither bit, or `NvSciSyncAttrKey_RequiredPerm` is set already.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: this platform has no NvSciSync.
/// - [`CUDA_ERROR_INVALID_DEVICE`], [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be an `NvSciSyncAttrList`.
///
/// Since CUDA 10.2. Source: driver API manual, "Device Management".
#[doc(alias = "cudaDeviceGetNvSciSyncAttributes")]
pub use crate::bindings::cuDeviceGetNvSciSyncAttributes;
