//! Work in a queue.

use std::slice;

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
    /// Records commands and submits them: see [`Vulkan::submit`].
    pub(super) fn new(
        vulkan: &'v Vulkan,
        queue: &'v Queue,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<Self> {
        let (wait_semaphores, wait_values): (Vec<_>, Vec<_>) = waits.iter().copied().unzip();
        let (signal_semaphores, signal_values): (Vec<_>, Vec<_>) = signals.iter().copied().unzip();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let allocate =
            vk::CommandBufferAllocateInfo::default().command_pool(queue.commands).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let device = &vulkan.device;
        // SAFETY: the pool, the queue and the fence are this device's; the lists outlive the submit.
        unsafe {
            let commands = device.allocate_command_buffers(&allocate)?[0];
            device.begin_command_buffer(commands, &begin)?;
            record(commands);
            device.end_command_buffer(commands)?;
            let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&wait_values)
                .signal_semaphore_values(&signal_values);
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&wait_semaphores)
                .wait_dst_stage_mask(&stages)
                .command_buffers(slice::from_ref(&commands))
                .signal_semaphores(&signal_semaphores)
                .push_next(&mut timeline);
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            device.queue_submit(queue.raw, &[info], fence)?;
            Ok(Self { vulkan, queue, commands, fence })
        }
    }

    /// Returns whether the work is complete.
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
        // SAFETY: after the wait the commands are no longer in use. Without its success they leak.
        unsafe {
            if device.wait_for_fences(&[self.fence], true, TIMEOUT).is_ok() {
                device.free_command_buffers(self.queue.commands, &[self.commands]);
                device.destroy_fence(self.fence, None);
            }
        }
    }
}
