//! What command buffers do to shared memory: transfers and barriers. Recorded where `--enable hand-over` is on.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};

use crate::layer::state::state;
use crate::rules::Rule;

use super::device::next;
use super::entries;
use super::hand_over::{Command, Place};
use super::loader::erased;
use super::tables::DEVICES;

/// The layer's function of this name, where commands are wanted.
pub fn intercepted(name: &[u8]) -> vk::PFN_vkVoidFunction {
    let function = match name {
        b"vkBeginCommandBuffer" => begin as *const (),
        b"vkFreeCommandBuffers" => free as *const (),
        b"vkCmdExecuteCommands" => execute as *const (),
        b"vkCmdPipelineBarrier" => barrier as *const (),
        b"vkCmdPipelineBarrier2" | b"vkCmdPipelineBarrier2KHR" => barrier2 as *const (),
        b"vkCmdCopyBuffer" => copy_buffer as *const (),
        b"vkCmdCopyImage" => copy_image as *const (),
        b"vkCmdBlitImage" => blit_image as *const (),
        b"vkCmdCopyBufferToImage" => copy_buffer_to_image as *const (),
        b"vkCmdCopyImageToBuffer" => copy_image_to_buffer as *const (),
        b"vkCmdFillBuffer" => fill_buffer as *const (),
        b"vkCmdUpdateBuffer" => update_buffer as *const (),
        b"vkCmdClearColorImage" => clear_image as *const (),
        _ => return None,
    };
    if state().reports(Rule::HandOver) { erased(function) } else { None }
}

fn record(commands: vk::CommandBuffer, new: impl IntoIterator<Item = Command>) {
    state().vulkan.hand_over.commands.entry(commands.as_raw()).or_default().extend(new);
}

fn buffer(device: vk::Device, buffer: vk::Buffer, offset: u64, size: u64) -> Place {
    Place::Buffer((device.as_raw(), buffer.as_raw()), offset, size)
}

fn image(device: vk::Device, image: vk::Image) -> Place {
    Place::Image((device.as_raw(), image.as_raw()))
}

/// A transfer between queue families, where one of them is not Vulkan's.
fn transfer(place: Place, from: u32, to: u32) -> Option<Command> {
    let is_outside = |family| matches!(family, vk::QUEUE_FAMILY_EXTERNAL | vk::QUEUE_FAMILY_FOREIGN_EXT);
    match (is_outside(from), is_outside(to)) {
        (true, false) => Some(Command::Acquire(place)),
        (false, true) => Some(Command::Release(place)),
        _ => None,
    }
}

fn layout(device: vk::Device, image: vk::Image, new: vk::ImageLayout) -> Option<Command> {
    (new != vk::ImageLayout::UNDEFINED).then_some(Command::Layout((device.as_raw(), image.as_raw())))
}

// SAFETY, for each of them: the program's handles and structures are as Vulkan needs them.

unsafe extern "system" fn begin(
    commands: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    unsafe {
        let (_, real) = next!(commands, begin_commands, vk::Result::ERROR_DEVICE_LOST);
        state().vulkan.hand_over.commands.remove(&commands.as_raw());
        real(commands, info)
    }
}

unsafe extern "system" fn free(
    device: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    commands: *const vk::CommandBuffer,
) {
    unsafe {
        let (_, real) = next!(device, free_commands);
        let recorded = &mut state().vulkan.hand_over.commands;
        entries(commands, count).iter().for_each(|commands| _ = recorded.remove(&commands.as_raw()));
        real(device, pool, count, commands);
    }
}

unsafe extern "system" fn execute(commands: vk::CommandBuffer, count: u32, others: *const vk::CommandBuffer) {
    unsafe {
        let (_, real) = next!(commands, execute_commands);
        for other in entries(others, count) {
            let of_other = state().vulkan.hand_over.commands.get(&other.as_raw()).cloned();
            record(commands, of_other.into_iter().flatten());
        }
        real(commands, count, others);
    }
}

unsafe extern "system" fn barrier(
    commands: vk::CommandBuffer,
    from: vk::PipelineStageFlags,
    to: vk::PipelineStageFlags,
    flags: vk::DependencyFlags,
    memory_count: u32,
    memories: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    unsafe {
        let (of, real) = next!(commands, barrier);
        record(
            commands,
            entries(buffers, buffer_count).iter().filter_map(|one| {
                let place = buffer(of.handle, one.buffer, one.offset, one.size);
                transfer(place, one.src_queue_family_index, one.dst_queue_family_index)
            }),
        );
        let images_of = entries(images, image_count).iter().flat_map(|one| {
            let moved =
                transfer(image(of.handle, one.image), one.src_queue_family_index, one.dst_queue_family_index);
            [moved, layout(of.handle, one.image, one.new_layout)]
        });
        record(commands, images_of.flatten());
        real(commands, from, to, flags, memory_count, memories, buffer_count, buffers, image_count, images);
    }
}

unsafe extern "system" fn barrier2(commands: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>) {
    unsafe {
        let (of, real) = next!(commands, barrier2);
        let all = &*info;
        record(
            commands,
            entries(all.p_buffer_memory_barriers, all.buffer_memory_barrier_count).iter().filter_map(|one| {
                let place = buffer(of.handle, one.buffer, one.offset, one.size);
                transfer(place, one.src_queue_family_index, one.dst_queue_family_index)
            }),
        );
        let images =
            entries(all.p_image_memory_barriers, all.image_memory_barrier_count).iter().flat_map(|one| {
                let moved = transfer(
                    image(of.handle, one.image),
                    one.src_queue_family_index,
                    one.dst_queue_family_index,
                );
                [moved, layout(of.handle, one.image, one.new_layout)]
            });
        record(commands, images.flatten());
        real(commands, info);
    }
}

unsafe extern "system" fn copy_buffer(
    commands: vk::CommandBuffer,
    from: vk::Buffer,
    to: vk::Buffer,
    count: u32,
    regions: *const vk::BufferCopy,
) {
    unsafe {
        let (of, real) = next!(commands, copy_buffer);
        for region in entries(regions, count) {
            record(
                commands,
                [
                    Command::Read(buffer(of.handle, from, region.src_offset, region.size)),
                    Command::Write(buffer(of.handle, to, region.dst_offset, region.size)),
                ],
            );
        }
        real(commands, from, to, count, regions);
    }
}

unsafe extern "system" fn copy_image(
    commands: vk::CommandBuffer,
    from: vk::Image,
    from_layout: vk::ImageLayout,
    to: vk::Image,
    to_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageCopy,
) {
    unsafe {
        let (of, real) = next!(commands, copy_image);
        record(commands, [Command::Read(image(of.handle, from)), Command::Write(image(of.handle, to))]);
        real(commands, from, from_layout, to, to_layout, count, regions);
    }
}

unsafe extern "system" fn blit_image(
    commands: vk::CommandBuffer,
    from: vk::Image,
    from_layout: vk::ImageLayout,
    to: vk::Image,
    to_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageBlit,
    filter: vk::Filter,
) {
    unsafe {
        let (of, real) = next!(commands, blit_image);
        record(commands, [Command::Read(image(of.handle, from)), Command::Write(image(of.handle, to))]);
        real(commands, from, from_layout, to, to_layout, count, regions, filter);
    }
}

/// The bytes that a copy between a buffer and an image touches are not counted: one byte at its offset stands for them.
fn in_buffer(region: &vk::BufferImageCopy) -> (u64, u64) {
    (region.buffer_offset, 1)
}

unsafe extern "system" fn copy_buffer_to_image(
    commands: vk::CommandBuffer,
    from: vk::Buffer,
    to: vk::Image,
    to_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    unsafe {
        let (of, real) = next!(commands, copy_buffer_to_image);
        for region in entries(regions, count) {
            let (offset, size) = in_buffer(region);
            record(
                commands,
                [Command::Read(buffer(of.handle, from, offset, size)), Command::Write(image(of.handle, to))],
            );
        }
        real(commands, from, to, to_layout, count, regions);
    }
}

unsafe extern "system" fn copy_image_to_buffer(
    commands: vk::CommandBuffer,
    from: vk::Image,
    from_layout: vk::ImageLayout,
    to: vk::Buffer,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    unsafe {
        let (of, real) = next!(commands, copy_image_to_buffer);
        for region in entries(regions, count) {
            let (offset, size) = in_buffer(region);
            record(
                commands,
                [Command::Read(image(of.handle, from)), Command::Write(buffer(of.handle, to, offset, size))],
            );
        }
        real(commands, from, from_layout, to, count, regions);
    }
}

unsafe extern "system" fn fill_buffer(
    commands: vk::CommandBuffer,
    to: vk::Buffer,
    offset: u64,
    size: u64,
    word: u32,
) {
    unsafe {
        let (of, real) = next!(commands, fill_buffer);
        record(commands, [Command::Write(buffer(of.handle, to, offset, size))]);
        real(commands, to, offset, size, word);
    }
}

unsafe extern "system" fn update_buffer(
    commands: vk::CommandBuffer,
    to: vk::Buffer,
    offset: u64,
    size: u64,
    data: *const c_void,
) {
    unsafe {
        let (of, real) = next!(commands, update_buffer);
        record(commands, [Command::Write(buffer(of.handle, to, offset, size))]);
        real(commands, to, offset, size, data);
    }
}

unsafe extern "system" fn clear_image(
    commands: vk::CommandBuffer,
    to: vk::Image,
    to_layout: vk::ImageLayout,
    color: *const vk::ClearColorValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    unsafe {
        let (of, real) = next!(commands, clear_image);
        record(commands, [Command::Write(image(of.handle, to))]);
        real(commands, to, to_layout, color, count, ranges);
    }
}
