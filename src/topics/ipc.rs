//! CUDA's older way to share memory between processes: handles of 64 bytes, for memory of [`cuMemAlloc_v2`].
//!
//! Only CUDA opens these handles. They cannot be made for [imported external memory](crate::memory). If the processes
//! can pass a file descriptor, they can share [memory of `cuMemCreate`](crate::vmm) instead, also with other APIs. The
//! handles need Linux or Windows, and a device whose attribute [`CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED`] is 1.
//!
//! At the end, close the mapping in each process that opened the handle, and then free the memory in the exporter.

#[cfg(doc)]
use crate::*; // for the links

/// A handle of memory for another process: 64 bytes to copy, by a pipe for example.
///
/// The handle holds no reference to the memory, and is valid until the exporter frees the memory.
#[doc(alias = "cudaIpcMemHandle_t")]
pub use crate::bindings::CUipcMemHandle;

/// The flag of [`cuIpcOpenMemHandle_v2`].
///
/// [`CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`]: if the memory is not on the current context's GPU, opening the handle tries
/// to enable peer access to the memory's GPU.
pub use crate::bindings::CUipcMem_flags;
pub use crate::bindings::CUipcMem_flags_values::*;

impl CUipcMemHandle {
    /// Returns the 64 bytes, to send to the other process.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 64] {
        // SAFETY: the handle is an array of 64 `c_char`, which may have any value, as `u8` may.
        unsafe { core::mem::transmute(self) }
    }
}

impl From<[u8; 64]> for CUipcMemHandle {
    /// Returns the handle that was sent as these bytes.
    #[inline]
    fn from(bytes: [u8; 64]) -> Self {
        // SAFETY: the handle is an array of 64 `c_char`, which may have any value, as `u8` may.
        unsafe { core::mem::transmute(bytes) }
    }
}

export_functions! {
    /// Returns a handle of device memory for another process.
    ///
    /// # Parameters
    ///
    /// - `dptr`: the address that [`cuMemAlloc_v2`] returned.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the memory cannot be shared in this way. *Measured* on an H100 for imported
    ///   memory and for memory of [`cuMemCreate`].
    /// - [`CUDA_ERROR_MAP_FAILED`]: the manual gives no reason.
    ///
    /// # Safety
    ///
    /// `pHandle` must be valid for writing a [`CUipcMemHandle`].
    ///
    /// The handle need not be released.
    #[doc(alias = "cudaIpcGetMemHandle")]
    pub use crate::bindings::cuIpcGetMemHandle;

    /// Maps memory of another process into the current context.
    ///
    /// If the handle is already open in the current context, the call returns the same address and adds a reference.
    /// *Measured*: in the process that made the handle, driver 580.159.04 returns [`CUDA_ERROR_INVALID_CONTEXT`].
    ///
    /// # Parameters
    ///
    /// - `Flags`: [`CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`]; `.into()` converts it.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: another flag, a handle of 64 zeros, or a handle whose memory was freed (all
    ///   *measured* on an H100).
    /// - [`CUDA_ERROR_MAP_FAILED`]: the memory could not be mapped.
    /// - [`CUDA_ERROR_TOO_MANY_PEERS`]: the hardware resources for peer access are exhausted.
    ///
    /// # Safety
    ///
    /// `pdptr` must be valid for writing a [`CUdeviceptr`]. The exporter must keep the memory until the mapping ends.
    ///
    /// Close the mapping with [`cuIpcCloseMemHandle`], once for each call.
    #[doc(alias = "cudaIpcOpenMemHandle")]
    pub use crate::bindings::cuIpcOpenMemHandle_v2;

    /// Releases a reference to memory of another process. Releasing the last reference unmaps the memory.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: not an address that [`cuIpcOpenMemHandle_v2`] returned, or the address of a
    ///   mapping that is closed already (*measured* on an H100).
    /// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_MAP_FAILED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// Nothing may use the memory any more: synchronize first.
    #[doc(alias = "cudaIpcCloseMemHandle")]
    pub use crate::bindings::cuIpcCloseMemHandle;

    // cuda.h defines this name as a macro for the versioned function.
    pub use crate::bindings::cuIpcOpenMemHandle;
}
