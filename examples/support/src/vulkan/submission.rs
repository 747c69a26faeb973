use std::mem::ManuallyDrop;
use std::slice;

use ash::vk;

use super::{ExportableSemaphore, Queue, TIMEOUT, Vulkan};
use crate::Result;

/// Commands that were submitted to a queue. Dropping this value waits until they are done, for at most [`TIMEOUT`].
pub struct Submission<'v> {
    vulkan: &'v Vulkan,
    queue: &'v Queue,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
}

impl Vulkan {
    /// Calls `record`, which records commands, and submits these commands to the device's first queue. In `waits` and
    /// `signals`, each semaphore is paired with a value, which Vulkan ignores for a binary semaphore.
    pub fn submit(
        &self,
        waits: &[(&ExportableSemaphore, u64)],
        signals: &[(&ExportableSemaphore, u64)],
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<Submission<'_>> {
        self.submit_to(self.first_queue(), waits, signals, record)
    }

    /// As [`Vulkan::submit`], to one of the device's queues.
    pub fn submit_to<'v>(
        &'v self,
        queue: &'v Queue,
        waits: &[(&ExportableSemaphore, u64)],
        signals: &[(&ExportableSemaphore, u64)],
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<Submission<'v>> {
        let raw = |(semaphore, value): &(&ExportableSemaphore, u64)| (semaphore.raw, *value);
        let (wait_semaphores, wait_values): (Vec<_>, Vec<_>) = waits.iter().map(raw).unzip();
        let (signal_semaphores, signal_values): (Vec<_>, Vec<_>) = signals.iter().map(raw).unzip();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let allocate =
            vk::CommandBufferAllocateInfo::default().command_pool(queue.commands).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let device = &self.device;
        // SAFETY: the pool, the queue and the fence are this device's; the lists outlive the submit.
        unsafe {
            let commands = device.allocate_command_buffers(&allocate)?[0];
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None);
            let fence = fence.inspect_err(|_| device.free_command_buffers(queue.commands, &[commands]))?;
            // If a call up to `queue_submit` fails, `drop` must not run: nothing signals the fence that it waits for.
            let submission = ManuallyDrop::new(Submission { vulkan: self, queue, commands, fence });
            let abandon = |_: &vk::Result| submission.destroy_commands_and_fence();
            device.begin_command_buffer(commands, &begin).inspect_err(abandon)?;
            record(commands);
            device.end_command_buffer(commands).inspect_err(abandon)?;
            let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&wait_values)
                .signal_semaphore_values(&signal_values);
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&wait_semaphores)
                .wait_dst_stage_mask(&stages)
                .command_buffers(slice::from_ref(&commands))
                .signal_semaphores(&signal_semaphores)
                .push_next(&mut timeline);
            device.queue_submit(queue.raw, &[info], fence).inspect_err(abandon)?;
            Ok(ManuallyDrop::into_inner(submission))
        }
    }

    pub fn submit_and_wait(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        self.submit(&[], &[], record)?.wait()
    }
}

impl Submission<'_> {
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the fence lives as long as `self`.
        Ok(unsafe { self.vulkan.device.get_fence_status(self.fence) }?)
    }

    /// Waits until the work is done, but for no longer than [`TIMEOUT`].
    pub fn wait(self) -> Result<()> {
        Ok(ManuallyDrop::new(self).wait_and_destroy()?)
    }

    /// Waits, and destroys the commands and the fence. If the wait fails, both leak: the GPU may still use them.
    fn wait_and_destroy(&self) -> std::result::Result<(), vk::Result> {
        // SAFETY: the fence lives. After the wait the commands are no longer in use.
        unsafe {
            self.vulkan.device.wait_for_fences(&[self.fence], true, TIMEOUT)?;
            self.destroy_commands_and_fence();
        }
        Ok(())
    }

    /// # Safety
    ///
    /// The GPU must not be using the commands, and nothing may use `self` afterwards.
    unsafe fn destroy_commands_and_fence(&self) {
        let device = &self.vulkan.device;
        // SAFETY: the caller guarantees (`# Safety`) that nothing uses the commands and the fence now or later.
        unsafe {
            device.free_command_buffers(self.queue.commands, &[self.commands]);
            device.destroy_fence(self.fence, None);
        }
    }
}

impl Drop for Submission<'_> {
    fn drop(&mut self) {
        let _ = self.wait_and_destroy();
    }
}
