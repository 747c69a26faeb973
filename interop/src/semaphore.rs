//! Vulkan semaphores that can be exported.

use std::os::fd::{FromRawFd, OwnedFd};
use std::slice;

use ash::vk;

use crate::Result;
use crate::vulkan::{PATIENCE, Vulkan};

const OPAQUE_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

pub struct Semaphore<'v> {
    vulkan: &'v Vulkan,
    pub raw: vk::Semaphore,
}

impl<'v> Semaphore<'v> {
    /// Each signal is for one wait. CUDA imports it as `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`.
    pub fn binary(vulkan: &'v Vulkan) -> Result<Self> {
        Self::new(vulkan, vk::SemaphoreType::BINARY, 0)
    }

    /// A number that only grows; a wait is for a value. CUDA imports it as
    /// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`.
    pub fn timeline(vulkan: &'v Vulkan, initial: u64) -> Result<Self> {
        Self::new(vulkan, vk::SemaphoreType::TIMELINE, initial)
    }

    fn new(vulkan: &'v Vulkan, kind: vk::SemaphoreType, initial: u64) -> Result<Self> {
        vulkan.semaphore_fd()?;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(OPAQUE_FD);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind).initial_value(initial);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut kind);
        // SAFETY: the chain outlives the call.
        let raw = unsafe { vulkan.device.create_semaphore(&info, None) }?;
        Ok(Self { vulkan, raw })
    }

    /// A new descriptor for the semaphore. Each importer takes one for itself.
    pub fn export(&self) -> Result<OwnedFd> {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(self.raw).handle_type(OPAQUE_FD);
        // SAFETY: Vulkan makes the descriptor for us, and nobody else knows it.
        unsafe { Ok(OwnedFd::from_raw_fd(self.vulkan.semaphore_fd()?.get_semaphore_fd(&info)?)) }
    }

    /// The CPU signals a timeline.
    pub fn signal(&self, value: u64) -> Result<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(self.raw).value(value);
        // SAFETY: the semaphore lives.
        Ok(unsafe { self.vulkan.device.signal_semaphore(&info) }?)
    }

    /// The CPU waits for a timeline.
    pub fn wait(&self, value: u64) -> Result<()> {
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(slice::from_ref(&self.raw))
            .values(slice::from_ref(&value));
        // SAFETY: the semaphore lives.
        Ok(unsafe { self.vulkan.device.wait_semaphores(&info, PATIENCE) }?)
    }

    /// Where a timeline stands.
    pub fn value(&self) -> Result<u64> {
        // SAFETY: the semaphore lives.
        Ok(unsafe { self.vulkan.device.get_semaphore_counter_value(self.raw) }?)
    }
}

impl Drop for Semaphore<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses it any more.
        unsafe { self.vulkan.device.destroy_semaphore(self.raw, None) };
    }
}
