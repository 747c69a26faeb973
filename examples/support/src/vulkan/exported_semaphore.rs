#[cfg(unix)]
use std::os::fd::{FromRawFd, OwnedFd};
use std::slice;

use ash::vk;
use cuda_external_sys::*;

use super::{TIMEOUT, Vulkan};
use crate::Result;

const HANDLE_TYPE: vk::ExternalSemaphoreHandleTypeFlags = if cfg!(windows) {
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32
} else {
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreKind {
    /// Each signal ends one wait.
    Binary,
    /// A counter that only grows. A wait ends when the counter has reached the wait's value.
    Timeline,
}

/// A binary or timeline semaphore that can be exported.
pub struct ExportableSemaphore<'v> {
    vulkan: &'v Vulkan,
    pub raw: vk::Semaphore,
    kind: SemaphoreKind,
}

impl<'v> ExportableSemaphore<'v> {
    pub fn new_binary(vulkan: &'v Vulkan) -> Result<Self> {
        Self::new(vulkan, SemaphoreKind::Binary, 0)
    }

    pub fn new_timeline(vulkan: &'v Vulkan, initial: u64) -> Result<Self> {
        Self::new(vulkan, SemaphoreKind::Timeline, initial)
    }

    pub fn new(vulkan: &'v Vulkan, kind: SemaphoreKind, initial: u64) -> Result<Self> {
        vulkan.require_shared_semaphores()?;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(HANDLE_TYPE);
        let type_ = match kind {
            SemaphoreKind::Binary => vk::SemaphoreType::BINARY,
            SemaphoreKind::Timeline => vk::SemaphoreType::TIMELINE,
        };
        let mut type_info =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(type_).initial_value(initial);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut type_info);
        // SAFETY: the chain outlives the call.
        let raw = unsafe { vulkan.device.create_semaphore(&info, None) }?;
        Ok(Self { vulkan, raw, kind })
    }

    /// Takes ownership of a semaphore.
    ///
    /// # Safety
    ///
    /// `raw` must belong to the device of `vulkan`, and must be of this kind. Nothing else may destroy `raw`.
    pub unsafe fn from_raw(vulkan: &'v Vulkan, raw: vk::Semaphore, kind: SemaphoreKind) -> Self {
        Self { vulkan, raw, kind }
    }

    /// Returns the handle type with which CUDA imports the semaphore.
    pub fn handle_type(&self) -> CUexternalSemaphoreHandleType {
        match (self.kind, cfg!(windows)) {
            (SemaphoreKind::Timeline, false) => CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            (SemaphoreKind::Timeline, true) => CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
            (_, false) => CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
            (_, true) => CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32,
        }
    }

    /// Returns a new descriptor of the semaphore. Each importer takes over a separate descriptor.
    #[cfg(unix)]
    pub fn export_fd(&self) -> Result<OwnedFd> {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(self.raw).handle_type(HANDLE_TYPE);
        // SAFETY: the caller owns the new descriptor.
        unsafe { Ok(OwnedFd::from_raw_fd(self.vulkan.external_semaphore.get_semaphore_fd(&info)?)) }
    }

    pub fn signal_from_host(&self, value: u64) -> Result<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(self.raw).value(value);
        // SAFETY: the semaphore lives.
        Ok(unsafe { self.vulkan.device.signal_semaphore(&info) }?)
    }

    pub fn wait(&self, value: u64) -> Result<()> {
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(slice::from_ref(&self.raw))
            .values(slice::from_ref(&value));
        // SAFETY: the semaphore lives.
        Ok(unsafe { self.vulkan.device.wait_semaphores(&info, TIMEOUT) }?)
    }

    pub fn counter_value(&self) -> Result<u64> {
        // SAFETY: the semaphore lives.
        Ok(unsafe { self.vulkan.device.get_semaphore_counter_value(self.raw) }?)
    }
}

impl Drop for ExportableSemaphore<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses the semaphore any more.
        unsafe { self.vulkan.device.destroy_semaphore(self.raw, None) };
    }
}
