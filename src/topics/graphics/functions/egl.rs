//! EGL's images and syncs.

#[cfg(doc)]
use crate::*; // for the links

/// Registers an EGL image, so that CUDA can use its memory.
///
/// The resource is never mapped: [`cuGraphicsResourceGetMappedEglFrame`] follows at once. Nothing orders the work of the
/// two APIs. [EGL images](crate::graphics#egl-images) has the synchronization and what was measured.
///
/// It is declared in cudaEGL.h, whose `EGLImageKHR` is `void *`.
///
/// # Parameters
///
/// - `pCudaResource`: receives the resource.
/// - `image`: the image, from `eglCreateImage` or `eglCreateImageKHR`.
/// - `flags`: one of [`CUgraphicsMapResourceFlags`]; `.into()` converts it.
///
/// # Errors
///
/// - [`CUDA_ERROR_UNKNOWN`]: a null image, or one that was destroyed (*measured*).
/// - [`CUDA_ERROR_INVALID_HANDLE`]: not an image.
/// - [`CUDA_ERROR_ALREADY_MAPPED`], [`CUDA_ERROR_INVALID_CONTEXT`]: listed without a reason.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pCudaResource` must be valid for writing a pointer. `image` must be an image of an initialized display.
///
/// Unregister it with [`cuGraphicsUnregisterResource`]. Since CUDA 7.0. Source: driver API manual, "EGL Interoperability".
#[doc(alias = "cudaGraphicsEGLRegisterImage")]
pub use crate::bindings::cuGraphicsEGLRegisterImage;

/// Returns the planes of a registered EGL image, as arrays or as addresses.
///
/// # Parameters
///
/// - `eglFrame`: receives the description. The resource owns its arrays and addresses.
/// - `resource`: the resource, from [`cuGraphicsEGLRegisterImage`].
/// - `index`: the face of a cube; otherwise 0.
/// - `mipLevel`: the mip level. The driver refuses neither a face nor a level that the image lacks (*measured*).
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not registered.
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`]: a null pointer, or an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `eglFrame` must be valid for writing a [`CUeglFrame`]. The resource must not be unregistered.
///
/// Since CUDA 7.0. Source: driver API manual, "EGL Interoperability".
#[doc(alias = "cudaGraphicsResourceGetMappedEglFrame")]
pub use crate::bindings::cuGraphicsResourceGetMappedEglFrame;

/// Creates an event from an EGL sync, so that a stream can wait for it.
///
/// **No driver for x86-64 from 450 to 580 exports it** ([drivers](crate::guide::releases#which-driver-has-each-function)): the call
/// returns [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`] there. [`cuEventRecord`] and times do not work with such an event.
/// After the sync is destroyed, only [`cuEventDestroy`] may be called with the event.
///
/// # Parameters
///
/// - `phEvent`: receives the event.
/// - `eglSync`: the sync, cudaEGL.h's `EGLSyncKHR`.
/// - `flags`: [`CU_EVENT_DEFAULT`] or [`CU_EVENT_BLOCKING_SYNC`].
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `phEvent` must be valid for writing a pointer. `eglSync` must be a sync that is not destroyed.
///
/// Destroy it with [`cuEventDestroy`]. Since CUDA 9.0. Source: driver API manual, "EGL Interoperability". *Not verified*.
#[doc(alias = "cudaEventCreateFromEGLSync")]
pub use crate::bindings::cuEventCreateFromEGLSync;
