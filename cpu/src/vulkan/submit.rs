//! Submissions: shared semaphores in the place of the application's, and what a caller who sees one finished may rely on.

use std::slice;

use ash::vk;

use super::chain;
use super::device;

/// Returns a list of the application's, which may be null where it is empty.
pub unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by this function's own condition.
    unsafe { slice::from_raw_parts(first, count as usize) }
}

type Info = vk::SemaphoreSubmitInfo<'static>;

/// Returns the semaphores of a batch of `vkQueueSubmit`, with a timeline's values.
fn infos(semaphores: &[vk::Semaphore], values: &[u64]) -> Vec<Info> {
    let values = values.iter().copied().chain(std::iter::repeat(0));
    let info = |(semaphore, value): (&_, _)| Info::default().semaphore(*semaphore).value(value);
    semaphores.iter().zip(values).map(info).collect()
}

/// The same as `vkQueueSubmit2`, which Mesa makes of it too.
pub unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the application's arguments; the lists outlive the call.
    unsafe {
        let lists = list(submits, count).iter().map(|submit| {
            let timeline = chain::find::<vk::TimelineSemaphoreSubmitInfo>(submit.p_next);
            let (wait_values, signal_values) = timeline.map_or((&[][..], &[][..]), |info| {
                let waits = list(info.p_wait_semaphore_values, info.wait_semaphore_value_count);
                (waits, list(info.p_signal_semaphore_values, info.signal_semaphore_value_count))
            });
            let mut waits = infos(list(submit.p_wait_semaphores, submit.wait_semaphore_count), wait_values);
            let stages = list(submit.p_wait_dst_stage_mask, submit.wait_semaphore_count);
            for (wait, stage) in waits.iter_mut().zip(stages) {
                wait.stage_mask = vk::PipelineStageFlags2::from_raw(stage.as_raw().into());
            }
            let mut signals =
                infos(list(submit.p_signal_semaphores, submit.signal_semaphore_count), signal_values);
            for signal in &mut signals {
                signal.stage_mask = vk::PipelineStageFlags2::ALL_COMMANDS;
            }
            let commands = list(submit.p_command_buffers, submit.command_buffer_count).iter();
            let commands = commands.map(|one| vk::CommandBufferSubmitInfo::default().command_buffer(*one));
            (waits, Vec::from_iter(commands), signals)
        });
        let lists = Vec::from_iter(lists);
        let submits = list(submits, count).iter().zip(&lists).map(|(submit, (waits, commands, signals))| {
            let info = vk::SubmitInfo2 { p_next: submit.p_next, ..Default::default() };
            let info = info.wait_semaphore_infos(waits).command_buffer_infos(commands);
            info.signal_semaphore_infos(signals)
        });
        queue_submit2(queue, count, Vec::from_iter(submits).as_ptr(), fence)
    }
}

pub unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the application's arguments; the replaced lists outlive the call.
    unsafe {
        let device = device::of(queue);
        let mut copies = list(submits, count).to_vec();
        let lists = copies.iter().map(|submit| {
            let waits = list(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count);
            let signals = list(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count);
            (device.semaphores.enqueue(waits, false), device.semaphores.enqueue(signals, true))
        });
        let lists = Vec::from_iter(lists);
        for (copy, (waits, signals)) in copies.iter_mut().zip(&lists) {
            copy.p_wait_semaphore_infos = waits.as_ptr();
            copy.p_signal_semaphore_infos = signals.as_ptr();
        }
        let submit = device.call.fp_v1_3().queue_submit2;
        // lavapipe signals a submission's fence before its timelines: the fence is a submission of its own, so that who waits for it
        // finds the values.
        match submit(queue, count, copies.as_ptr(), vk::Fence::null()) {
            vk::Result::SUCCESS if fence != vk::Fence::null() => submit(queue, 0, std::ptr::null(), fence),
            result => result,
        }
    }
}

/// These tell the caller that submissions are finished, so other processes must find their values, even if this one is killed then.
macro_rules! tell {
    ($($name:ident = $function:ident ($handle:ident: $type:ty $(, $argument:ident: $of:ty)*);)*) => {$(
        pub unsafe extern "system" fn $name($handle: $type $(, $argument: $of)*) -> vk::Result {
            // SAFETY: the application's arguments.
            unsafe {
                let device = device::of($handle);
                let result = (device.call.fp_v1_0().$function)($handle $(, $argument)*);
                device.semaphores.publish();
                result
            }
        }
    )*};
}
tell! {
    queue_wait_idle = queue_wait_idle(queue: vk::Queue);
    device_wait_idle = device_wait_idle(device: vk::Device);
    wait_for_fences = wait_for_fences(device: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64);
    get_fence_status = get_fence_status(device: vk::Device, fence: vk::Fence);
}
