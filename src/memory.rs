//! External memory.

/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE;
/// TODO
#[cfg(cuda_since = "13.0")]
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;
/// TODO
pub use crate::bindings::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_DEDICATED;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32;
/// TODO
pub use crate::bindings::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
/// TODO
pub use crate::bindings::CUextMemory_st;
/// TODO
pub use crate::bindings::CUexternalMemory;
/// TODO
pub use crate::bindings::CUexternalMemoryHandleType;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDestroyExternalMemory;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuExternalMemoryGetMappedBuffer;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuExternalMemoryGetMappedMipmappedArray;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuImportExternalMemory;
