//! The functions of [`crate::semaphore`].

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
/// fence. [Why](crate::semaphore#who-goes-first).
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
pub use crate::bindings::cuDeviceGetNvSciSyncAttributes;
