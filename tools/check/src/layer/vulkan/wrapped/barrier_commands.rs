//! Barriers, which may transfer the ownership of memory, and waits for events.

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::chassis::wrapped_call::LayerCall;
use crate::layer::vulkan::chassis::intercept;
use crate::layer::vulkan::state_tracker::cmd_buffer_state::RecordedCommand;
use crate::layer::vulkan::state_tracker::vulkan_state::object_key;
use crate::layer::vulkan::sync::queue_and_stream_replay::AccessAction;
use crate::layer::vulkan::utils::handle_keys::ResourcePart;
use crate::layer::vulkan::utils::stage_work_kinds::StageWorkKinds;

fn record_commands(
    layer_call: &LayerCall,
    commands: vk::CommandBuffer,
    new: impl IntoIterator<Item = RecordedCommand>,
) {
    let mut state = layer_call.lock_state();
    for command in new {
        state.vulkan.record_command(commands.as_raw(), command);
    }
}

/// Returns the commands to record for a wait for events. A dependency is enough for an event that a queue sets: such an
/// event orders only that queue's work. If the source stages include HOST (`waits_for_host`), a wait for the host comes
/// first: the host may set the event after any work.
fn event_wait_commands(waits_for_host: bool) -> impl Iterator<Item = RecordedCommand> {
    let host = waits_for_host.then_some(RecordedCommand::WaitForHost);
    host.into_iter().chain([RecordedCommand::Dependency(StageWorkKinds::ALL, StageWorkKinds::ALL)])
}

/// Returns what to record for a barrier that acquires from or releases to VK_QUEUE_FAMILY_EXTERNAL or FOREIGN_EXT.
fn ownership_transfer_command(
    resource: ResourcePart,
    [from, to]: [u32; 2],
    waits: StageWorkKinds,
) -> Option<RecordedCommand> {
    let is_outside = |family| matches!(family, vk::QUEUE_FAMILY_EXTERNAL | vk::QUEUE_FAMILY_FOREIGN_EXT);
    match (is_outside(from), is_outside(to)) {
        (true, false) => Some(RecordedCommand::Access(resource, waits, AccessAction::Acquire)),
        (false, true) => Some(RecordedCommand::Access(resource, StageWorkKinds::ALL, AccessAction::Release)),
        _ => None,
    }
}

/// Returns the stages of each barrier: those that the barrier waits for, and those that wait for the barrier.
fn barrier_stages(info: &vk::DependencyInfo<'_>) -> Vec<[vk::PipelineStageFlags2; 2]> {
    // SAFETY: the program passes valid arrays with these counts.
    let (memory, buffers, images) = unsafe {
        (
            array_slice(info.p_memory_barriers, info.memory_barrier_count).iter(),
            array_slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count).iter(),
            array_slice(info.p_image_memory_barriers, info.image_memory_barrier_count).iter(),
        )
    };
    let stages = memory.map(|one| [one.src_stage_mask, one.dst_stage_mask]);
    let stages = stages.chain(buffers.map(|one| [one.src_stage_mask, one.dst_stage_mask]));
    stages.chain(images.map(|one| [one.src_stage_mask, one.dst_stage_mask])).collect()
}

macro_rules! record_barriers {
    ($of:ident, $layer_call:ident, $commands:ident, $buffers:expr, $images:expr, $stages:expr) => {{
        let stages = $stages;
        let buffers = $buffers.iter().filter_map(|one| {
            let buffer = ResourcePart::Buffer(object_key($of.handle, one.buffer), one.offset, one.size);
            let families = [one.src_queue_family_index, one.dst_queue_family_index];
            ownership_transfer_command(buffer, families, stages[0])
        });
        let images = $images.iter().filter_map(|one| {
            let image = ResourcePart::Image(object_key($of.handle, one.image));
            let families = [one.src_queue_family_index, one.dst_queue_family_index];
            ownership_transfer_command(image, families, stages[0])
        });
        let order = [RecordedCommand::Dependency(stages[0], stages[1])];
        record_commands($layer_call, $commands, buffers.chain(images).chain(order))
    }};
    ($of:ident, $layer_call:ident, $commands:ident, $infos:expr) => {{
        for info in $infos {
            let info: &vk::DependencyInfo<'_> = info;
            let buffers = array_slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count);
            let images = array_slice(info.p_image_memory_barriers, info.image_memory_barrier_count);
            // Each barrier counts as having the stages of all barriers in `info`.
            let scopes =
                barrier_stages(info).into_iter().map(|stages| stages.map(StageWorkKinds::from_stage_mask));
            let scopes = scopes.reduce(|all, one| [all[0].union_kinds(one[0]), all[1].union_kinds(one[1])]);
            if let Some(scopes) = scopes {
                record_barriers!($of, $layer_call, $commands, buffers, images, scopes);
            }
        }
    }};
}

intercept! {
    pipeline_barrier = c"vkCmdPipelineBarrier": PFN_vkCmdPipelineBarrier(
        commands: vk::CommandBuffer, from: vk::PipelineStageFlags, to: vk::PipelineStageFlags,
        flags: vk::DependencyFlags,
        memory_count: u32, memories: *const vk::MemoryBarrier<'_>,
        buffer_count: u32, buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32, images: *const vk::ImageMemoryBarrier<'_>,
    ) |of, layer_call| record_barriers!(of, layer_call, commands, array_slice(buffers, buffer_count),
        array_slice(images, image_count), [from, to].map(StageWorkKinds::from_legacy_stage_mask));
    pipeline_barrier2 = c"vkCmdPipelineBarrier2" | c"vkCmdPipelineBarrier2KHR": PFN_vkCmdPipelineBarrier2(
        commands: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>,
    ) |of, layer_call| record_barriers!(of, layer_call, commands, array_slice(info, 1));
    wait_events = c"vkCmdWaitEvents": PFN_vkCmdWaitEvents(
        commands: vk::CommandBuffer, count: u32, events: *const vk::Event, from: vk::PipelineStageFlags,
        to: vk::PipelineStageFlags, memory_count: u32, memories: *const vk::MemoryBarrier<'_>,
        buffer_count: u32, buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32, images: *const vk::ImageMemoryBarrier<'_>,
    ) |of, layer_call| {
        record_commands(layer_call, commands, event_wait_commands(from.contains(vk::PipelineStageFlags::HOST)));
        record_barriers!(of, layer_call, commands, array_slice(buffers, buffer_count),
            array_slice(images, image_count), [StageWorkKinds::ALL; 2])
    };
    wait_events2 = c"vkCmdWaitEvents2" | c"vkCmdWaitEvents2KHR": PFN_vkCmdWaitEvents2(
        commands: vk::CommandBuffer, count: u32, events: *const vk::Event, infos: *const vk::DependencyInfo<'_>,
    ) |of, layer_call| {
        let infos = array_slice(infos, count);
        let mut stages = infos.iter().flat_map(barrier_stages);
        let waits_for_host = stages.any(|[from, _]| from.contains(vk::PipelineStageFlags2::HOST));
        record_commands(layer_call, commands, event_wait_commands(waits_for_host));
        record_barriers!(of, layer_call, commands, infos);
    };
}
