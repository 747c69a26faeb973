//! 64 KiB from CUDA to Vulkan and from Vulkan to CUDA, by opaque file descriptors of a buffer and a timeline semaphore.

use std::ffi::CStr;
use std::ptr;
use std::slice;

use ash::{Device, Instance, khr, vk};
use cuda_external_sys::*;
use serde::{Deserialize, Serialize};

use super::probe_process::{answer_and_exit, note_call};
use super::remedy::Remedy;
use super::system_loader::root_cause;
use super::vulkan_devices;

const SIZE: usize = 64 << 10;

#[derive(Default, Serialize, Deserialize)]
pub struct RoundTripResult {
    pub vulkan_device: usize,
    pub cuda_device: usize,
    /// Its result.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Remedy>,
}

/// A call and its code.
type Result<T> = std::result::Result<T, (&'static str, String)>;

/// Prints the name of a call of CUDA before it is made, and its code if it fails.
macro_rules! cuda {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        note_call(stringify!($function));
        match $function($($argument),*) {
            CUDA_SUCCESS => Ok(()),
            code => Err((stringify!($function), format!("{code:?}"))),
        }
    }};
}

/// The same for Vulkan.
macro_rules! vk {
    ($name:literal, $call:expr) => {{
        note_call($name);
        $call.map_err(|code| ($name, format!("{code:?}")))
    }};
}

/// Runs one round trip of a pair of devices. Nothing is destroyed: the process ends.
pub fn probe_round_trip(cuda_device: usize, vulkan_device: usize) -> ! {
    let mut round = RoundTripResult { vulkan_device, cuda_device, ..RoundTripResult::default() };
    // SAFETY: one thread, whose objects all live until the process ends.
    match unsafe { share_both_ways(cuda_device, vulkan_device) } {
        Ok(None) => round.name = "64 KiB each way: every byte is right".to_owned(),
        Ok(Some(wrong)) => {
            round.missing = Some(Remedy::new("round-bytes", &[&wrong]));
            round.name = wrong;
        }
        Err((call, code)) => {
            round.name = format!("{call} returned {code}");
            let words = [&*round.name];
            round.missing = Some(match call {
                _ if code.contains("_MPS_") => Remedy::new("mps-context", &words),
                "cuDevicePrimaryCtxRetain" if !is_mode_default(cuda_device) => {
                    Remedy::new("compute-mode", &words)
                }
                call if call.starts_with("vk") => Remedy::new("round-graphics", &words),
                call if call.contains("External") => Remedy::new("round-import", &words),
                _ => Remedy::new("round-driver", &words),
            });
        }
    }
    answer_and_exit(&round)
}

/// Whether the device's compute mode lets every process use it.
fn is_mode_default(device: usize) -> bool {
    let mut mode = 0;
    // SAFETY: the pointer is to one value.
    unsafe {
        cuDeviceGetAttribute(&mut mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device as i32) != CUDA_SUCCESS
            || mode == 0
    }
}

/// Returns which bytes are wrong.
unsafe fn share_both_ways(cuda: usize, physical: usize) -> Result<Option<String>> {
    // SAFETY: handles come from the calls before, and pointers are to values that outlive the calls.
    unsafe {
        let entry = ash::Entry::load().map_err(|error| ("vkGetInstanceProcAddr", root_cause(&error)))?;
        let (instance, devices) =
            vulkan_devices::create_instance(&entry).map_err(|(call, code)| (call, format!("{code:?}")))?;
        let fewer = ("vkEnumeratePhysicalDevices", "fewer devices than before".to_owned());
        let physical = *devices.get(physical).ok_or(fewer)?;
        let (vulkan, family) = create_device(&instance, physical)?;
        let types = instance.get_physical_device_memory_properties(physical);
        let (buffer, memory, size) = create_shared_buffer(&vulkan, types.memory_types_as_slice())?;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
        let timeline = vk!("vkCreateSemaphore", vulkan.create_semaphore(&info, None))?;

        let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
        cuda!(cuInit(0))?;
        cuda!(cuDeviceGet(&mut device, cuda as i32))?;
        cuda!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        cuda!(cuCtxSetCurrent(context))?;
        cuda!(cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()))?;

        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size,
            flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
            ..Default::default()
        };
        let info = vk::MemoryGetFdInfoKHR::default()
            .memory(memory)
            .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
        let export = khr::external_memory_fd::Device::new(&instance, &vulkan);
        desc.handle.fd = vk!("vkGetMemoryFdKHR", export.get_memory_fd(&info))?;
        let (mut imported, mut address) = (ptr::null_mut(), 0);
        cuda!(cuImportExternalMemory(&mut imported, &desc))?;
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: 3 * SIZE as u64, ..Default::default() };
        cuda!(cuExternalMemoryGetMappedBuffer(&mut address, imported, &range))?;

        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(timeline)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let export = khr::external_semaphore_fd::Device::new(&instance, &vulkan);
        desc.handle.fd = vk!("vkGetSemaphoreFdKHR", export.get_semaphore_fd(&info))?;
        let mut semaphore = ptr::null_mut();
        cuda!(cuImportExternalSemaphore(&mut semaphore, &desc))?;

        // CUDA writes the first part, and signals 1. Vulkan waits for it, copies that to the second part, writes the third
        // one, and signals 2.
        let (of_cuda, of_vulkan, mut bytes) = (fill_pattern(91), fill_pattern(17), vec![0_u8; 2 * SIZE]);
        cuda!(cuMemcpyHtoDAsync(address, of_cuda.as_ptr().cast(), SIZE, stream))?;
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        signal.params.fence.value = 1;
        cuda!(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream))?;
        submit_copies(&vulkan, family, buffer, timeline, &of_vulkan)?;
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        wait.params.fence.value = 2;
        cuda!(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream))?;
        cuda!(cuMemcpyDtoHAsync(bytes.as_mut_ptr().cast(), address + SIZE as u64, 2 * SIZE, stream))?;
        cuda!(cuStreamSynchronize(stream))?;
        let ways =
            [("Vulkan to CUDA", &bytes[SIZE..], of_vulkan), ("CUDA to Vulkan", &bytes[..SIZE], of_cuda)];
        Ok(ways.iter().find_map(|(way, read, expected)| {
            let wrong = Vec::from_iter((0..SIZE).filter(|at| read[*at] != expected[*at]));
            let first = wrong.first()?;
            Some(format!("from {way}, {} of {SIZE} bytes are wrong, the first at {first}", wrong.len()))
        }))
    }
}

fn fill_pattern(seed: u32) -> Vec<u8> {
    (0..SIZE as u32 / 4).flat_map(|i| (i ^ seed).wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

/// Creates a device that shares, with a queue that copies. Returns the queue's family.
unsafe fn create_device(instance: &Instance, physical: vk::PhysicalDevice) -> Result<(Device, u32)> {
    const EXTENSIONS: [&CStr; 2] = [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME];
    let extensions = EXTENSIONS.map(CStr::as_ptr);
    let copies = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER;
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    // SAFETY: the device is the instance's, and the structures outlive the calls.
    unsafe {
        let families = instance.get_physical_device_queue_family_properties(physical);
        let family = families.iter().position(|family| family.queue_flags.intersects(copies));
        let family = family.unwrap_or_default() as u32;
        let queue = vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(slice::from_ref(&1.0));
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(slice::from_ref(&queue))
            .enabled_extension_names(&extensions)
            .push_next(&mut timeline);
        Ok((vk!("vkCreateDevice", instance.create_device(physical, &info, None))?, family))
    }
}

/// Returns a buffer, its memory and the allocation's size.
unsafe fn create_shared_buffer(
    device: &Device,
    types: &[vk::MemoryType],
) -> Result<(vk::Buffer, vk::DeviceMemory, u64)> {
    let handle_types = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_types);
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle_types);
    let info = vk::BufferCreateInfo::default()
        .size(3 * SIZE as u64)
        .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST)
        .push_next(&mut external);
    // SAFETY: the structures outlive the calls.
    unsafe {
        let buffer = vk!("vkCreateBuffer", device.create_buffer(&info, None))?;
        let needs = device.get_buffer_memory_requirements(buffer);
        let is_right = |(at, memory_type): &(u32, &vk::MemoryType)| {
            let is_local = memory_type.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
            needs.memory_type_bits & (1 << at) != 0 && is_local
        };
        let memory_type = (0..).zip(types).find(is_right).map(|(at, _)| at);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(memory_type.unwrap_or_default())
            .push_next(&mut export)
            .push_next(&mut dedicated);
        let memory = vk!("vkAllocateMemory", device.allocate_memory(&info, None))?;
        vk!("vkBindBufferMemory", device.bind_buffer_memory(buffer, memory, 0))?;
        Ok((buffer, memory, needs.size))
    }
}

/// Submits commands that wait for 1 of the timeline and signal 2. The buffer is CUDA's before and after them.
unsafe fn submit_copies(
    device: &Device,
    family: u32,
    buffer: vk::Buffer,
    timeline: vk::Semaphore,
    bytes: &[u8],
) -> Result<()> {
    let transfer = |commands, from, to| {
        let accesses = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::BufferMemoryBarrier::default()
            .buffer(buffer)
            .size(vk::WHOLE_SIZE)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(accesses)
            .dst_access_mask(accesses);
        let (stage, flags) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: the commands are being recorded, and the buffer is of their device.
        unsafe { device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[barrier], &[]) };
    };
    let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
    let copy = vk::BufferCopy::default().dst_offset(SIZE as u64).size(SIZE as u64);
    // SAFETY: the objects are of this device, and the structures outlive the calls.
    unsafe {
        let pool = vk!("vkCreateCommandPool", device.create_command_pool(&pool, None))?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = vk!("vkAllocateCommandBuffers", device.allocate_command_buffers(&info))?;
        let begin = vk::CommandBufferBeginInfo::default();
        vk!("vkBeginCommandBuffer", device.begin_command_buffer(commands[0], &begin))?;
        transfer(commands[0], vk::QUEUE_FAMILY_EXTERNAL, family);
        device.cmd_copy_buffer(commands[0], buffer, buffer, &[copy]);
        device.cmd_update_buffer(commands[0], buffer, 2 * SIZE as u64, bytes);
        transfer(commands[0], family, vk::QUEUE_FAMILY_EXTERNAL);
        vk!("vkEndCommandBuffer", device.end_command_buffer(commands[0]))?;
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&[1])
            .signal_semaphore_values(&[2]);
        let semaphore = [timeline];
        let info = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .wait_semaphores(&semaphore)
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
            .signal_semaphores(&semaphore)
            .push_next(&mut values);
        let queue = device.get_device_queue(family, 0);
        vk!("vkQueueSubmit", device.queue_submit(queue, &[info], vk::Fence::null()))
    }
}
