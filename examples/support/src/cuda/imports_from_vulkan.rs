//! Imports of what Vulkan exports.

use super::{ImportedMemory, ImportedSemaphore};
use crate::Result;
use crate::vulkan::{ExportableSemaphore, VulkanMemory};

impl ImportedMemory {
    /// Exports Vulkan's memory and imports it.
    pub fn from_vulkan(memory: &VulkanMemory) -> Result<Self> {
        Self::from_fd(memory.export_fd()?, memory.size, memory.dedicated)
    }
}

impl ImportedSemaphore {
    /// Exports Vulkan's semaphore and imports it with the handle type of its kind, binary or timeline.
    pub fn from_vulkan(semaphore: &ExportableSemaphore) -> Result<Self> {
        Self::from_fd(semaphore.export_fd()?, semaphore.handle_type())
    }
}
