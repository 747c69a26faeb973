//! What command buffers do to shared memory: transfers and barriers. Recorded where `--enable hand-over` is on.

use std::ffi::{CStr, c_void};

use ash::vk::{self, Handle as _};

use cuda_external_guest::vulkan::entries;

use crate::layer::visit::Visit;

use super::accesses::Command::{self, Acquire, Layout, Read, Release, Write};
use super::accesses::Extent;
use super::records::{handle, is_wanted};
use super::tables::{Device, intercept};

/// The layer's function of this name, where commands are wanted.
pub fn intercepted(name: &CStr) -> vk::PFN_vkVoidFunction {
    function(name).filter(|_| is_wanted())
}

/// Records what a command does, and goes on to the next layer.
fn record(
    visit: &mut Visit,
    commands: vk::CommandBuffer,
    new: impl IntoIterator<Item = Command>,
    next: impl FnOnce(&mut Visit),
) {
    visit.state().vulkan.commands.entry(commands.as_raw()).or_default().extend(new);
    next(visit);
}

impl Device {
    fn buffer(&self, buffer: vk::Buffer, offset: u64, size: u64) -> Extent {
        Extent::Buffer(handle(self.handle, buffer), offset, size)
    }

    fn image(&self, image: vk::Image) -> Extent {
        Extent::Image(handle(self.handle, image))
    }

    /// The bytes that a copy between a buffer and an image touches are not counted: one byte at its offset stands for them.
    fn texels(&self, buffer: vk::Buffer, region: &vk::BufferImageCopy) -> Extent {
        self.buffer(buffer, region.buffer_offset, 1)
    }
}

/// A transfer between queue families, where one of them is not Vulkan's.
fn transfer(extent: Extent, from: u32, to: u32) -> Option<Command> {
    let is_outside = |family| matches!(family, vk::QUEUE_FAMILY_EXTERNAL | vk::QUEUE_FAMILY_FOREIGN_EXT);
    match (is_outside(from), is_outside(to)) {
        (true, false) => Some(Acquire(extent)),
        (false, true) => Some(Release(extent)),
        _ => None,
    }
}

/// Records barriers: the structures of both versions have the same fields.
macro_rules! record_barriers {
    ($of:ident, $visit:ident, $commands:ident, $buffers:expr, $images:expr, $next:ident) => {{
        let buffers = $buffers.iter().filter_map(|one| {
            let extent = $of.buffer(one.buffer, one.offset, one.size);
            transfer(extent, one.src_queue_family_index, one.dst_queue_family_index)
        });
        let images = $images.iter().flat_map(|one| {
            let extent = $of.image(one.image);
            let moved = transfer(extent, one.src_queue_family_index, one.dst_queue_family_index);
            let has_layout = one.new_layout != vk::ImageLayout::UNDEFINED;
            moved.into_iter().chain(has_layout.then(|| Layout(handle($of.handle, one.image))))
        });
        record($visit, $commands, buffers.chain(images), $next)
    }};
}

intercept! {
    commands;
    begin = c"vkBeginCommandBuffer": PFN_vkBeginCommandBuffer(
        commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo<'_>,
    ) -> vk::Result |of, visit, next| {
        visit.state().vulkan.commands.remove(&commands.as_raw());
        next(visit)
    };
    free = c"vkFreeCommandBuffers": PFN_vkFreeCommandBuffers(
        device: vk::Device, pool: vk::CommandPool, count: u32, commands: *const vk::CommandBuffer,
    ) |of, visit, next| {
        for commands in entries(commands, count) {
            visit.state().vulkan.commands.remove(&commands.as_raw());
        }
        next(visit);
    };
    execute = c"vkCmdExecuteCommands": PFN_vkCmdExecuteCommands(
        commands: vk::CommandBuffer, count: u32, others: *const vk::CommandBuffer,
    ) |of, visit, next| {
        let of_other = |other: &vk::CommandBuffer| visit.state().vulkan.commands.get(&other.as_raw()).cloned();
        let all: Vec<_> = entries(others, count).iter().filter_map(of_other).collect();
        record(visit, commands, all.into_iter().flatten(), next);
    };
    barrier = c"vkCmdPipelineBarrier": PFN_vkCmdPipelineBarrier(
        commands: vk::CommandBuffer, from: vk::PipelineStageFlags, to: vk::PipelineStageFlags, flags: vk::DependencyFlags,
        memory_count: u32, memories: *const vk::MemoryBarrier<'_>,
        buffer_count: u32, buffers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32, images: *const vk::ImageMemoryBarrier<'_>,
    ) |of, visit, next| record_barriers!(of, visit, commands, entries(buffers, buffer_count), entries(images, image_count), next);
    barrier2 = c"vkCmdPipelineBarrier2" | c"vkCmdPipelineBarrier2KHR": PFN_vkCmdPipelineBarrier2(
        commands: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>,
    ) |of, visit, next| {
        let all = &*info;
        let buffers = entries(all.p_buffer_memory_barriers, all.buffer_memory_barrier_count);
        let images = entries(all.p_image_memory_barriers, all.image_memory_barrier_count);
        record_barriers!(of, visit, commands, buffers, images, next)
    };
    copy_buffer = c"vkCmdCopyBuffer": PFN_vkCmdCopyBuffer(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, count: u32, regions: *const vk::BufferCopy,
    ) |of, visit, next| record(visit, commands, entries(regions, count).iter().flat_map(|region| {
        let read = Read(of.buffer(from, region.src_offset, region.size));
        [read, Write(of.buffer(to, region.dst_offset, region.size))]
    }), next);
    copy_image = c"vkCmdCopyImage": PFN_vkCmdCopyImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageCopy,
    ) |of, visit, next| record(visit, commands, [Read(of.image(from)), Write(of.image(to))], next);
    blit_image = c"vkCmdBlitImage": PFN_vkCmdBlitImage(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::ImageBlit, filter: vk::Filter,
    ) |of, visit, next| record(visit, commands, [Read(of.image(from)), Write(of.image(to))], next);
    copy_buffer_to_image = c"vkCmdCopyBufferToImage": PFN_vkCmdCopyBufferToImage(
        commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Image, to_layout: vk::ImageLayout,
        count: u32, regions: *const vk::BufferImageCopy,
    ) |of, visit, next| {
        let regions = entries(regions, count).iter();
        record(visit, commands, regions.flat_map(|one| [Read(of.texels(from, one)), Write(of.image(to))]), next);
    };
    copy_image_to_buffer = c"vkCmdCopyImageToBuffer": PFN_vkCmdCopyImageToBuffer(
        commands: vk::CommandBuffer, from: vk::Image, from_layout: vk::ImageLayout, to: vk::Buffer,
        count: u32, regions: *const vk::BufferImageCopy,
    ) |of, visit, next| {
        let regions = entries(regions, count).iter();
        record(visit, commands, regions.flat_map(|one| [Read(of.image(from)), Write(of.texels(to, one))]), next);
    };
    fill_buffer = c"vkCmdFillBuffer": PFN_vkCmdFillBuffer(
        commands: vk::CommandBuffer, to: vk::Buffer, offset: u64, size: u64, word: u32,
    ) |of, visit, next| record(visit, commands, [Write(of.buffer(to, offset, size))], next);
    update_buffer = c"vkCmdUpdateBuffer": PFN_vkCmdUpdateBuffer(
        commands: vk::CommandBuffer, to: vk::Buffer, offset: u64, size: u64, data: *const c_void,
    ) |of, visit, next| record(visit, commands, [Write(of.buffer(to, offset, size))], next);
    clear_image = c"vkCmdClearColorImage": PFN_vkCmdClearColorImage(
        commands: vk::CommandBuffer, to: vk::Image, to_layout: vk::ImageLayout, color: *const vk::ClearColorValue,
        count: u32, ranges: *const vk::ImageSubresourceRange,
    ) |of, visit, next| record(visit, commands, [Write(of.image(to))], next);
}
