//! A submission that is made once and submitted again and again, as a program does in every frame.

use std::ptr;

use ash::vk;

use super::{Queue, Vulkan};
use crate::Result;

/// Waits for a semaphore, runs commands, signals a semaphore; with all that the structures point to.
pub struct ReusableSubmission {
    wait: vk::Semaphore,
    signal: vk::Semaphore,
    stage: vk::PipelineStageFlags,
    commands: Option<vk::CommandBuffer>,
    values: vk::TimelineSemaphoreSubmitInfo<'static>,
    info: vk::SubmitInfo<'static>,
}

impl ReusableSubmission {
    /// Each submission reads the values of timelines through the pointers. Binary semaphores ignore them. The value
    /// is boxed, since it points to itself.
    pub fn new(
        (wait, wait_value): (vk::Semaphore, *const u64),
        commands: Option<vk::CommandBuffer>,
        (signal, signal_value): (vk::Semaphore, *const u64),
    ) -> Box<Self> {
        let values = vk::TimelineSemaphoreSubmitInfo {
            wait_semaphore_value_count: 1,
            p_wait_semaphore_values: wait_value,
            signal_semaphore_value_count: 1,
            p_signal_semaphore_values: signal_value,
            ..Default::default()
        };
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let mut new =
            Box::new(Self { wait, signal, stage, commands, values, info: vk::SubmitInfo::default() });
        new.info = vk::SubmitInfo {
            p_next: (&raw const new.values).cast(),
            wait_semaphore_count: 1,
            p_wait_semaphores: &raw const new.wait,
            p_wait_dst_stage_mask: &raw const new.stage,
            command_buffer_count: u32::from(commands.is_some()),
            p_command_buffers: new.commands.as_ref().map_or(ptr::null(), |commands| commands),
            signal_semaphore_count: 1,
            p_signal_semaphores: &raw const new.signal,
            ..Default::default()
        };
        new
    }

    /// Submits once more.
    ///
    /// # Safety
    ///
    /// The values' pointers must be valid, and what the commands use must live until they are done.
    pub unsafe fn submit(&self, vulkan: &Vulkan, queue: &Queue) -> Result<()> {
        // SAFETY: what the structure points to lives as long as `self`, or as the caller guarantees.
        Ok(unsafe { vulkan.device.queue_submit(queue.raw, &[self.info], vk::Fence::null()) }?)
    }
}
