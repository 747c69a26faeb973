//! External semaphores.

/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
/// TODO
pub use crate::bindings::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
/// TODO
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_SIGNAL;
/// TODO
pub use crate::bindings::CUDA_NVSCISYNC_ATTR_WAIT;
/// TODO
pub use crate::bindings::CUextSemaphore_st;
/// TODO
pub use crate::bindings::CUexternalSemaphore;
/// TODO
pub use crate::bindings::CUexternalSemaphoreHandleType;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDestroyExternalSemaphore;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetNvSciSyncAttributes;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuImportExternalSemaphore;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuSignalExternalSemaphoresAsync;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuSignalExternalSemaphoresAsync_ptsz;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuWaitExternalSemaphoresAsync;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuWaitExternalSemaphoresAsync_ptsz;
