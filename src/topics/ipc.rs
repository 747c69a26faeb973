//! CUDA's older way to share memory between processes: handles of 64 bytes, for memory of [`cuMemAlloc_v2`].
//!
//! The memory cannot be shared with another API this way, and imported memory has no such handle. Where both processes
//! can pass a file descriptor, [memory of `cuMemCreate`](crate::vmm) does more. The handles need a desktop or server GPU
//! on Linux or Windows: [`CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED`].
//!
//! The order at the end: every process closes its mapping, then the exporter frees the memory.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A handle of memory for another process: 64 bytes to copy, by a pipe for example.
///
/// It holds no reference to the memory, and only the driver can interpret it. It is valid until the exporter frees the
/// memory.
#[doc(alias = "cudaIpcMemHandle_t")]
pub use crate::bindings::CUipcMemHandle;

/// The flag of [`cuIpcOpenMemHandle_v2`].
///
/// [`CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`]: access to the memory of another GPU is enabled as it is needed.
pub use crate::bindings::CUipcMem_flags;
pub use crate::bindings::CUipcMem_flags_values::*;

impl CUipcMemHandle {
    /// Returns the 64 bytes, to send to the other process.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 64] {
        // SAFETY: the handle is 64 bytes, which may have any value.
        unsafe { core::mem::transmute(self) }
    }
}

impl From<[u8; 64]> for CUipcMemHandle {
    /// Returns the handle that was sent as these bytes.
    #[inline]
    fn from(bytes: [u8; 64]) -> Self {
        // SAFETY: the handle is 64 bytes, which may have any value.
        unsafe { core::mem::transmute(bytes) }
    }
}
