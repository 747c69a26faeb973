//! Commands that access shared memory without a pipeline: copies, fills and barriers.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};
use cuda_external_in_process::vulkan::array_slice;

use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::state_tracker::tracked_objects::AccessKind::{self, Read, Write};

use crate::layer::vulkan::chassis::{device_record::DeviceRecord, intercept_macro::intercept};
use crate::layer::vulkan::state_tracker::vulkan_state::{has_exportables, object_key};
use crate::layer::vulkan::sync::access_history::RecordedCommand::{self, Acquire, Layout, Release};
use crate::layer::vulkan::sync::access_history::Subresource;

/// Records what a command does.
fn record_commands(
    visit: &LayerCall,
    commands: vk::CommandBuffer,
    new: impl IntoIterator<Item = RecordedCommand>,
) {
    let mut state = visit.state();
    for command in new {
        state.vulkan.record_command(commands.as_raw(), command);
    }
}

/// The same of what it reads and writes.
fn record_accesses(
    visit: &LayerCall,
    commands: vk::CommandBuffer,
    call: &'static str,
    uses: impl IntoIterator<Item = (Subresource, AccessKind)>,
) {
    record_commands(
        visit,
        commands,
        uses.into_iter().map(|(extent, does)| RecordedCommand::ObjectUse(extent, does, call)),
    );
}

impl DeviceRecord {
    fn buffer(&self, buffer: vk::Buffer, offset: u64, size: u64) -> Subresource {
        Subresource::Buffer(object_key(self.handle, buffer), offset, size)
    }

    fn image(&self, image: vk::Image) -> Subresource {
        Subresource::Image(object_key(self.handle, image))
    }

    /// The range of a copy between a buffer and an image. Its length is not computed: one byte at the copy's offset
    /// stands for it.
    fn buffer_start(&self, buffer: vk::Buffer, offset: u64) -> Subresource {
        self.buffer(buffer, offset, 1)
    }
}

/// Returns the command of a barrier between queue families, if one of the families is not Vulkan's.
fn ownership_transfer(extent: Subresource, from: u32, to: u32) -> Option<RecordedCommand> {
    let is_outside = |family| matches!(family, vk::QUEUE_FAMILY_EXTERNAL | vk::QUEUE_FAMILY_FOREIGN_EXT);
    match (is_outside(from), is_outside(to)) {
        (true, false) => Some(Acquire(extent)),
        (false, true) => Some(Release(extent)),
        _ => None,
    }
}

/// Records barriers: the structures of both versions have the same fields.
macro_rules! record_barriers {
    ($of:ident, $visit:ident, $commands:ident, $buffers:expr, $images:expr) => {{
        let buffers = $buffers.iter().filter_map(|one| {
            let extent = $of.buffer(one.buffer, one.offset, one.size);
            ownership_transfer(extent, one.src_queue_family_index, one.dst_queue_family_index)
        });
        let images = $images.iter().flat_map(|one| {
            let extent = $of.image(one.image);
            let moved = ownership_transfer(extent, one.src_queue_family_index, one.dst_queue_family_index);
            let has_layout = one.new_layout != vk::ImageLayout::UNDEFINED;
            moved.into_iter().chain(has_layout.then_some(Layout(extent)))
        });
        record_commands($visit, $commands, buffers.chain(images))
    }};
    ($of:ident, $visit:ident, $commands:ident, $infos:expr) => {{
        let infos: &[vk::DependencyInfo<'_>] = $infos;
        let buffers = infos
            .iter()
            .flat_map(|one| array_slice(one.p_buffer_memory_barriers, one.buffer_memory_barrier_count));
        let images = infos
            .iter()
            .flat_map(|one| array_slice(one.p_image_memory_barriers, one.image_memory_barrier_count));
        let (buffers, images) = (Vec::from_iter(buffers), Vec::from_iter(images));
        record_barriers!($of, $visit, $commands, buffers, images)
    }};
}

intercept! {
    2, true, if has_exportables();
    begin_command_buffer = c"vkBeginCommandBuffer": PFN_vkBeginCommandBuffer(
        commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo<'_>,
    ) -> vk::Result |of, visit| visit.state().vulkan.cmd_buffers.remove(&commands.as_raw());
    execute_commands = c"vkCmdExecuteCommands": PFN_vkCmdExecuteCommands(
        commands: vk::CommandBuffer, count: u32, others: *const vk::CommandBuffer,
    ) |of, visit| {
        let of_other = |other: &vk::CommandBuffer| {
            visit.state().vulkan.cmd_buffers.get(&other.as_raw()).map(|of| of.commands.clone())
        };
        let all: Vec<_> = array_slice(others, count).iter().filter_map(of_other).collect();
        record_commands(visit, commands, all.into_iter().flatten());
    };
    pipeline_barrier = c"vkCmdPipelineBarrier": PFN_vkCmdPipelineBarrier(
        commands: vk::CommandBuffer, from: vk::PipelineStageFlags, to: vk::PipelineStageFlags, flags: vk::DependencyFlags,
        memory_count: u32, memories: *const vk::MemoryBarrier<'_>,
        buffer_count: u32, buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32, images: *const vk::ImageMemoryBarrier<'_>,
    ) |of, visit| record_barriers!(of, visit, commands, array_slice(buffers, buffer_count), array_slice(images, image_count));
    wait_events = c"vkCmdWaitEvents": PFN_vkCmdWaitEvents(
        commands: vk::CommandBuffer, count: u32, events: *const vk::Event, from: vk::PipelineStageFlags,
        to: vk::PipelineStageFlags, memory_count: u32, memories: *const vk::MemoryBarrier<'_>,
        buffer_count: u32, buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32, images: *const vk::ImageMemoryBarrier<'_>,
    ) |of, visit| record_barriers!(of, visit, commands, array_slice(buffers, buffer_count), array_slice(images, image_count));
    pipeline_barrier2 = c"vkCmdPipelineBarrier2" | c"vkCmdPipelineBarrier2KHR": PFN_vkCmdPipelineBarrier2(
        commands: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>,
    ) |of, visit| record_barriers!(of, visit, commands, array_slice(info, 1));
    wait_events2 = c"vkCmdWaitEvents2" | c"vkCmdWaitEvents2KHR": PFN_vkCmdWaitEvents2(
        commands: vk::CommandBuffer, count: u32, events: *const vk::Event, infos: *const vk::DependencyInfo<'_>,
    ) |of, visit| record_barriers!(of, visit, commands, array_slice(infos, count));
    copy_buffer = c"vkCmdCopyBuffer": PFN_vkCmdCopyBuffer(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, count: u32, regions: *const vk::BufferCopy,
    ) |of, visit| record_accesses(visit, commands, CALL, array_slice(regions, count).iter().flat_map(|region| {
        let read = (of.buffer(from, region.src_offset, region.size), Read);
        [read, (of.buffer(to, region.dst_offset, region.size), Write)]
    }));
    copy_buffer2 = c"vkCmdCopyBuffer2" | c"vkCmdCopyBuffer2KHR": PFN_vkCmdCopyBuffer2(
        commands: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>,
    ) |of, visit| {
        let info = &*info;
        record_accesses(visit, commands, CALL, array_slice(info.p_regions, info.region_count).iter().flat_map(|region| {
            let read = (of.buffer(info.src_buffer, region.src_offset, region.size), Read);
            [read, (of.buffer(info.dst_buffer, region.dst_offset, region.size), Write)]
        }));
    };
    copy_image = c"vkCmdCopyImage": PFN_vkCmdCopyImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageCopy,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.image(from), Read), (of.image(to), Write)]);
    copy_image2 = c"vkCmdCopyImage2" | c"vkCmdCopyImage2KHR": PFN_vkCmdCopyImage2(
        commands: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>,
    ) |of, visit|
        record_accesses(visit, commands, CALL, [(of.image((*info).src_image), Read), (of.image((*info).dst_image), Write)]);
    blit_image = c"vkCmdBlitImage": PFN_vkCmdBlitImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageBlit, filter: vk::Filter,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.image(from), Read), (of.image(to), Write)]);
    blit_image2 = c"vkCmdBlitImage2" | c"vkCmdBlitImage2KHR": PFN_vkCmdBlitImage2(
        commands: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>,
    ) |of, visit|
        record_accesses(visit, commands, CALL, [(of.image((*info).src_image), Read), (of.image((*info).dst_image), Write)]);
    resolve_image = c"vkCmdResolveImage": PFN_vkCmdResolveImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageResolve,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.image(from), Read), (of.image(to), Write)]);
    resolve_image2 = c"vkCmdResolveImage2" | c"vkCmdResolveImage2KHR": PFN_vkCmdResolveImage2(
        commands: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>,
    ) |of, visit|
        record_accesses(visit, commands, CALL, [(of.image((*info).src_image), Read), (of.image((*info).dst_image), Write)]);
    copy_buffer_to_image = c"vkCmdCopyBufferToImage": PFN_vkCmdCopyBufferToImage(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::BufferImageCopy,
    ) |of, visit| {
        let read = array_slice(regions, count).iter().map(|one| (of.buffer_start(from, one.buffer_offset), Read));
        record_accesses(visit, commands, CALL, read.chain([(of.image(to), Write)]));
    };
    copy_buffer_to_image2 = c"vkCmdCopyBufferToImage2" | c"vkCmdCopyBufferToImage2KHR": PFN_vkCmdCopyBufferToImage2(
        commands: vk::CommandBuffer, info: *const vk::CopyBufferToImageInfo2<'_>,
    ) |of, visit| {
        let regions = array_slice((*info).p_regions, (*info).region_count).iter();
        let read = regions.map(|one| (of.buffer_start((*info).src_buffer, one.buffer_offset), Read));
        record_accesses(visit, commands, CALL, read.chain([(of.image((*info).dst_image), Write)]));
    };
    copy_image_to_buffer = c"vkCmdCopyImageToBuffer": PFN_vkCmdCopyImageToBuffer(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Buffer,
        count: u32, regions: *const vk::BufferImageCopy,
    ) |of, visit| {
        let written = array_slice(regions, count).iter().map(|one| (of.buffer_start(to, one.buffer_offset), Write));
        record_accesses(visit, commands, CALL, [(of.image(from), Read)].into_iter().chain(written));
    };
    copy_image_to_buffer2 = c"vkCmdCopyImageToBuffer2" | c"vkCmdCopyImageToBuffer2KHR": PFN_vkCmdCopyImageToBuffer2(
        commands: vk::CommandBuffer, info: *const vk::CopyImageToBufferInfo2<'_>,
    ) |of, visit| {
        let regions = array_slice((*info).p_regions, (*info).region_count).iter();
        let written = regions.map(|one| (of.buffer_start((*info).dst_buffer, one.buffer_offset), Write));
        record_accesses(visit, commands, CALL, [(of.image((*info).src_image), Read)].into_iter().chain(written));
    };
    fill_buffer = c"vkCmdFillBuffer": PFN_vkCmdFillBuffer(
        commands: vk::CommandBuffer, to: vk::Buffer, offset: u64, size: u64, word: u32,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.buffer(to, offset, size), Write)]);
    update_buffer = c"vkCmdUpdateBuffer": PFN_vkCmdUpdateBuffer(
        commands: vk::CommandBuffer, to: vk::Buffer, offset: u64, size: u64, data: *const c_void,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.buffer(to, offset, size), Write)]);
    clear_color_image = c"vkCmdClearColorImage": PFN_vkCmdClearColorImage(
        commands: vk::CommandBuffer, to: vk::Image, to_layout: vk::ImageLayout, color: *const vk::ClearColorValue,
        count: u32, ranges: *const vk::ImageSubresourceRange,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.image(to), Write)]);
    clear_depth_image = c"vkCmdClearDepthStencilImage": PFN_vkCmdClearDepthStencilImage(
        commands: vk::CommandBuffer, to: vk::Image, to_layout: vk::ImageLayout, value: *const vk::ClearDepthStencilValue,
        count: u32, ranges: *const vk::ImageSubresourceRange,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.image(to), Write)]);
    copy_query_results = c"vkCmdCopyQueryPoolResults": PFN_vkCmdCopyQueryPoolResults(
        commands: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32, to: vk::Buffer, offset: u64, stride: u64,
        flags: vk::QueryResultFlags,
    ) |of, visit| record_accesses(visit, commands, CALL, [(of.buffer(to, offset, 4), Write)]);
}
