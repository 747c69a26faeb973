//! What is recorded around copies. A GPU may show the right bytes without some of it.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::slice;

use ash::vk::{self, Handle};

use super::device::find_memory_type;
use super::{Buffer, HostBuffer, Image, Memory, Shape, Vulkan};

thread_local! {
    static RECORDED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn record(command: String) {
    RECORDED.with_borrow_mut(|commands| commands.push(command));
}

unsafe extern "system" fn copy_buffer(
    _: vk::CommandBuffer,
    from: vk::Buffer,
    to: vk::Buffer,
    _: u32,
    regions: *const vk::BufferCopy,
) {
    // SAFETY: the caller has one region.
    let vk::BufferCopy { src_offset, dst_offset, size } = unsafe { *regions };
    record(format!("copy {size}: {} at {src_offset} to {} at {dst_offset}", from.as_raw(), to.as_raw()));
}

#[allow(clippy::too_many_arguments)] // as Vulkan has it
unsafe extern "system" fn pipeline_barrier(
    _: vk::CommandBuffer,
    _: vk::PipelineStageFlags,
    after: vk::PipelineStageFlags,
    _: vk::DependencyFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier,
) {
    // SAFETY: the caller's lists are as long as it says.
    let (memory, buffers, images) = unsafe {
        (
            slice::from_raw_parts(memory, memory_count as usize),
            slice::from_raw_parts(buffers, buffer_count as usize),
            slice::from_raw_parts(images, image_count as usize),
        )
    };
    let family = |index: u32| match index {
        vk::QUEUE_FAMILY_EXTERNAL => "external".to_owned(),
        vk::QUEUE_FAMILY_IGNORED => "ignored".to_owned(),
        index => index.to_string(),
    };
    for barrier in memory {
        let is_for_host = after.contains(vk::PipelineStageFlags::HOST)
            && barrier.src_access_mask.contains(vk::AccessFlags::MEMORY_WRITE)
            && barrier.dst_access_mask.contains(vk::AccessFlags::HOST_READ);
        record(format!("barrier for the CPU: {is_for_host}"));
    }
    // What is made available, and what it is made visible to.
    let accesses =
        |before: vk::AccessFlags, after: vk::AccessFlags| match (before.is_empty(), after.is_empty()) {
            (false, true) => "available",
            (true, false) => "visible",
            _ => "wrong accesses",
        };
    for barrier in buffers {
        let (from, to) = (family(barrier.src_queue_family_index), family(barrier.dst_queue_family_index));
        let accesses = accesses(barrier.src_access_mask, barrier.dst_access_mask);
        record(format!("{} from {from} to {to}, {accesses}", barrier.buffer.as_raw()));
    }
    for barrier in images {
        let (from, to) = (family(barrier.src_queue_family_index), family(barrier.dst_queue_family_index));
        let accesses = accesses(barrier.src_access_mask, barrier.dst_access_mask);
        let (old, new, range) = (barrier.old_layout, barrier.new_layout, barrier.subresource_range);
        let (levels, layers) = (range.level_count, range.layer_count);
        record(format!(
            "{levels} levels, {layers} layers: {old:?} from {from} to {new:?} to {to}, {accesses}"
        ));
    }
}

fn find(name: &CStr) -> *const c_void {
    match name.to_bytes() {
        b"vkCmdCopyBuffer" => copy_buffer as *const c_void,
        b"vkCmdPipelineBarrier" => pipeline_barrier as *const c_void,
        _ => null(),
    }
}

/// Returns the commands that `run` records for a buffer 1 and a buffer 2 of the CPU's, in the queue family 7.
fn recorded(run: impl FnOnce(&Buffer, &HostBuffer)) -> Vec<String> {
    // Nothing here was created, so nothing is destroyed.
    let vulkan = &*Vulkan::with_functions(find, 7);
    let raw = vk::Buffer::from_raw(1);
    let buffer = ManuallyDrop::new(Buffer {
        vulkan,
        raw,
        size: 100,
        needs: vk::MemoryRequirements::default(),
        prefers_dedicated: false,
        handle_type: vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
        external: false.into(),
    });
    let (raw, memory) = (vk::Buffer::from_raw(2), vk::DeviceMemory::null());
    let host = ManuallyDrop::new(HostBuffer { vulkan, raw, memory, address: null_mut(), size: 16 });
    run(&buffer, &host);
    RECORDED.take()
}

#[test]
fn a_read_takes_the_buffer_over_and_waits_for_the_copy() {
    let commands = recorded(|buffer, host| buffer.record_read(vk::CommandBuffer::null(), 4, host));
    let expected = [
        "1 from external to 7, visible",
        "copy 16: 1 at 4 to 2 at 0",
        "barrier for the CPU: true",
        "1 from 7 to external, available",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn a_write_takes_the_buffer_over_where_cuda_has_it() {
    let commands = recorded(|buffer, host| {
        buffer.record_write(vk::CommandBuffer::null(), 4, host);
        buffer.record_write(vk::CommandBuffer::null(), 8, host);
    });
    let expected = [
        "copy 16: 2 at 0 to 1 at 4",
        "1 from 7 to external, available",
        "1 from external to 7, visible",
        "copy 16: 2 at 0 to 1 at 8",
        "1 from 7 to external, available",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn an_image_is_taken_out_of_undefined_once_and_then_over_from_cuda() {
    // Nothing here was created, so nothing is destroyed.
    let vulkan = &*Vulkan::with_functions(find, 7);
    let extent = vk::Extent3D { width: 8, height: 4, depth: 1 };
    let memory = Memory {
        vulkan,
        raw: vk::DeviceMemory::null(),
        size: 0,
        dedicated: false,
        handle_type: vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
    };
    let shape = Shape { view: vk::ImageViewType::TYPE_2D_ARRAY, extent, layers: 5, levels: 3 };
    let aspect = vk::ImageAspectFlags::COLOR;
    let image = Image::with_parts(vulkan, vk::Image::null(), (memory, 0), shape, aspect, Vec::new());
    let image = ManuallyDrop::new(image);
    image.begin(vk::CommandBuffer::null());
    image.release(vk::CommandBuffer::null());
    image.begin(vk::CommandBuffer::null());
    let expected = [
        "3 levels, 5 layers: UNDEFINED from ignored to GENERAL to ignored, visible",
        "3 levels, 5 layers: GENERAL from 7 to GENERAL to external, available",
        "3 levels, 5 layers: GENERAL from external to GENERAL to 7, visible",
    ];
    assert_eq!(RECORDED.take(), expected);
}

#[test]
fn a_memory_type_is_one_of_those_that_are_allowed() {
    let (local, visible) = (vk::MemoryPropertyFlags::DEVICE_LOCAL, vk::MemoryPropertyFlags::HOST_VISIBLE);
    let types =
        [visible, local, local | visible, local].map(|flags| vk::MemoryType::default().property_flags(flags));
    for (bits, wanted, expected) in [
        (0b1111, local, Some(1)),
        (0b1100, local, Some(2)),
        (0b1000, local, Some(3)),
        (0b1111, local | visible, Some(2)),
        (0b1010, visible, None),
        (0b0001, local, None),
        (0, local, None),
    ] {
        assert_eq!(find_memory_type(&types, bits, wanted), expected, "{bits:#b} {wanted:?}");
    }
}
