//! Imported semaphores.

#[cfg(unix)]
use std::os::fd::{IntoRawFd, OwnedFd};
#[cfg(unix)]
use std::ptr;

use cuda_external_sys::*;

use super::assert_torn_down;
#[cfg(unix)]
#[cfg(unix)]
use crate::Result;
#[cfg(unix)]
use crate::vulkan::Semaphore;

/// Imports a semaphore: `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD` for a binary one,
/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD` for a timeline. The descriptor is the driver's from the
/// call on, as in [`import_memory`](super::import_memory).
#[cfg(unix)]
pub fn import_semaphore(fd: OwnedFd, type_: CUexternalSemaphoreHandleType) -> Result<CUexternalSemaphore> {
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.fd = fd.into_raw_fd();
    let mut semaphore = ptr::null_mut();
    // SAFETY: both pointers are to variables that outlive the call; the descriptor was ours to give.
    unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) }.result()?;
    Ok(semaphore)
}

/// An import of a semaphore, which is destroyed at the end of its scope. No signal and no wait may be outstanding then.
pub struct ImportedSemaphore {
    raw: CUexternalSemaphore,
}

impl ImportedSemaphore {
    /// Imports a semaphore by an opaque FD: see [`import_semaphore`].
    #[cfg(unix)]
    pub fn from_fd(fd: OwnedFd, type_: CUexternalSemaphoreHandleType) -> Result<Self> {
        Ok(Self::from_raw(import_semaphore(fd, type_)?))
    }

    /// Exports Vulkan's semaphore and imports it as what it is, binary or a timeline.
    #[cfg(unix)]
    pub fn from_vulkan(semaphore: &Semaphore) -> Result<Self> {
        Self::from_fd(semaphore.export()?, semaphore.handle_type())
    }

    /// Takes an import over.
    pub fn from_raw(raw: CUexternalSemaphore) -> Self {
        Self { raw }
    }

    /// Returns the import's handle.
    pub fn raw(&self) -> CUexternalSemaphore {
        self.raw
    }
}

impl Drop for ImportedSemaphore {
    fn drop(&mut self) {
        // SAFETY: destroyed once, when no work that uses it is outstanding.
        assert_torn_down(&[unsafe { cuDestroyExternalSemaphore(self.raw) }]);
    }
}
