//! Work in a queue.

use ash::vk;

use super::{Queue, TIMEOUT, Vulkan};
use crate::Result;

/// Work in a queue. Dropping it waits for its end.
pub struct Submission<'v> {
    vulkan: &'v Vulkan,
    queue: &'v Queue,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
}

impl<'v> Submission<'v> {
    pub(super) fn new(
        vulkan: &'v Vulkan,
        queue: &'v Queue,
        commands: vk::CommandBuffer,
        fence: vk::Fence,
    ) -> Self {
        Self { vulkan, queue, commands, fence }
    }

    /// Returns whether the work is done.
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the fence lives as long as `self`.
        Ok(unsafe { self.vulkan.device.get_fence_status(self.fence) }?)
    }

    /// Waits until the work is done, but for no longer than [`TIMEOUT`].
    pub fn wait(self) -> Result<()> {
        // SAFETY: the fence lives as long as `self`.
        Ok(unsafe { self.vulkan.device.wait_for_fences(&[self.fence], true, TIMEOUT) }?)
    }
}

impl Drop for Submission<'_> {
    fn drop(&mut self) {
        let device = &self.vulkan.device;
        // SAFETY: the fence tells that the commands are no longer in use. Else they leak.
        unsafe {
            if device.wait_for_fences(&[self.fence], true, TIMEOUT).is_ok() {
                device.free_command_buffers(self.queue.commands, &[self.commands]);
                device.destroy_fence(self.fence, None);
            }
        }
    }
}
