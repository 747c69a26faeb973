//! Submissions, in which waits and signals of shared semaphores become waits and signals of lavapipe's timelines.

use std::iter::repeat;
use std::ptr::null;

use ash::vk;
use cuda_external_in_process::vulkan::{array_slice, find_in_chain};

use super::functions;
use super::layer_state::LayerDevice;

type SemaphoreInfo = vk::SemaphoreSubmitInfo<'static>;

fn make_semaphore_infos(semaphores: &[vk::Semaphore], values: &[u64]) -> Vec<SemaphoreInfo> {
    let values = values.iter().copied().chain(repeat(0));
    let info = |(semaphore, value): (&_, _)| {
        SemaphoreInfo::default()
            .semaphore(*semaphore)
            .value(value)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
    };
    semaphores.iter().zip(values).map(info).collect()
}

/// Publishes the values of the device's semaphores, and then returns `result`, the result of a Vulkan call. If the
/// process is killed after the call has returned to the program, other processes have the values.
pub fn publish_values_after_call(device: &LayerDevice, result: vk::Result) -> vk::Result {
    device.semaphores.publish_all_values();
    result
}

functions! {
    FUNCTIONS:
    // Converts the submissions for vkQueueSubmit2, as Mesa's vkQueueSubmit does.
    fn vkQueueSubmit: PFN_vkQueueSubmit, device = device_of(
        queue: vk::Queue, count: u32, submits: *const vk::SubmitInfo<'_>, fence: vk::Fence
    ) -> vk::Result {
        if !device.is_lavapipe {
            return (device.call.fp_v1_0().queue_submit)(queue, count, submits, fence);
        }
        let lists = array_slice(submits, count).iter().map(|submit| {
            let timeline = find_in_chain::<vk::TimelineSemaphoreSubmitInfo>(submit.p_next);
            let (wait_values, signal_values) = timeline.map_or((&[][..], &[][..]), |info| {
                let waits = array_slice(info.p_wait_semaphore_values, info.wait_semaphore_value_count);
                (waits, array_slice(info.p_signal_semaphore_values, info.signal_semaphore_value_count))
            });
            let waits = array_slice(submit.p_wait_semaphores, submit.wait_semaphore_count);
            let mut waits = make_semaphore_infos(waits, wait_values);
            let stages = array_slice(submit.p_wait_dst_stage_mask, submit.wait_semaphore_count);
            for (wait, stage) in waits.iter_mut().zip(stages) {
                wait.stage_mask = vk::PipelineStageFlags2::from_raw(stage.as_raw().into());
            }
            let commands = array_slice(submit.p_command_buffers, submit.command_buffer_count).iter();
            let commands = commands.map(|one| vk::CommandBufferSubmitInfo::default().command_buffer(*one));
            let signals = array_slice(submit.p_signal_semaphores, submit.signal_semaphore_count);
            (waits, Vec::from_iter(commands), make_semaphore_infos(signals, signal_values))
        });
        let lists = Vec::from_iter(lists);
        let submits = array_slice(submits, count).iter().zip(&lists).map(|(submit, (waits, commands, signals))| {
            let info = vk::SubmitInfo2 { p_next: submit.p_next, ..Default::default() };
            info.wait_semaphore_infos(waits).command_buffer_infos(commands).signal_semaphore_infos(signals)
        });
        vkQueueSubmit2(queue, count, Vec::from_iter(submits).as_ptr(), fence)
    }
    fn vkQueueSubmit2: PFN_vkQueueSubmit2, device = device_of(
        queue: vk::Queue, count: u32, submits: *const vk::SubmitInfo2<'_>, fence: vk::Fence
    ) -> vk::Result {
        let submit = device.call.fp_v1_3().queue_submit2;
        if !device.is_lavapipe {
            return submit(queue, count, submits, fence);
        }
        let mut copies = array_slice(submits, count).to_vec();
        let lists = copies.iter().map(|submit| {
            let waits = array_slice(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count);
            let signals = array_slice(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count);
            (device.semaphores.reserve_values(waits, false), device.semaphores.reserve_values(signals, true))
        });
        let lists = Vec::from_iter(lists);
        for (copy, (waits, signals)) in copies.iter_mut().zip(&lists) {
            copy.p_wait_semaphore_infos = waits.as_ptr();
            copy.p_signal_semaphore_infos = signals.as_ptr();
        }
        // The fence is submitted separately: lavapipe signals a fence before the timelines of the same submission.
        let result = submit(queue, count, copies.as_ptr(), vk::Fence::null());
        if result != vk::Result::SUCCESS {
            // Begins with the newest turn, since `cancel_reservation` can take back only a semaphore's newest turn.
            for (submit, (waits, signals)) in array_slice(submits, count).iter().zip(&lists).rev() {
                let of_wait = array_slice(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count);
                let of_signal = array_slice(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count);
                device.semaphores.cancel_reservations(of_wait, waits, false);
                device.semaphores.cancel_reservations(of_signal, signals, true);
            }
            return result;
        }
        if fence == vk::Fence::null() { result } else { submit(queue, 0, null(), fence) }
    }
    fn vkQueueWaitIdle: PFN_vkQueueWaitIdle, device = device_of(queue: vk::Queue) -> vk::Result {
        publish_values_after_call(&device, (device.call.fp_v1_0().queue_wait_idle)(queue))
    }
    fn vkDeviceWaitIdle: PFN_vkDeviceWaitIdle, device = device_of(handle: vk::Device) -> vk::Result {
        publish_values_after_call(&device, (device.call.fp_v1_0().device_wait_idle)(handle))
    }
    fn vkWaitForFences: PFN_vkWaitForFences, device = device_of(
        handle: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64
    ) -> vk::Result {
        publish_values_after_call(&device, (device.call.fp_v1_0().wait_for_fences)(handle, count, fences, all, timeout))
    }
    fn vkGetFenceStatus: PFN_vkGetFenceStatus, device = device_of(handle: vk::Device, fence: vk::Fence) -> vk::Result {
        publish_values_after_call(&device, (device.call.fp_v1_0().get_fence_status)(handle, fence))
    }
}
