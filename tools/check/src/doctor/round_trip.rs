//! Copies 64 KiB from CUDA to Vulkan and back. Both APIs share the buffer and the timeline semaphore.

use std::ffi::CStr;
use std::ptr;
use std::slice;

use ash::{Device, Instance, khr, vk};
use cuda_external_sys::*;
use serde::{Deserialize, Serialize};

use super::cuda_driver::compute_mode;
use super::dlopen_errors::innermost_error_text;
use super::probe_process::{note_next_call, write_answer_and_exit};
use super::remedy::MachineFix;
use super::vulkan_devices::{NamedResult, create_instance, vulkan_call};

const SIZE: usize = 64 << 10;
/// The queue family: NVIDIA's driver and lavapipe have graphics, compute and transfer in family 0.
const FAMILY: u32 = 0;

#[derive(Default, Serialize, Deserialize)]
pub struct RoundTripResult {
    pub vulkan_device: usize,
    pub cuda_device: usize,
    /// The result of the round trip, in words.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MachineFix>,
}

/// Notes the name of a function of CUDA, for the report of a crash or a hang, and calls the function.
macro_rules! cuda_call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        note_next_call(stringify!($function));
        match $function($($argument),*) {
            CUDA_SUCCESS => Ok(()),
            code => Err((stringify!($function), format!("{code:?}"))),
        }
    }};
}

/// Runs one round trip between a CUDA device and a Vulkan device. Ends the process without destroying the objects.
pub fn probe_round_trip(cuda_device: usize, vulkan_device: usize) -> ! {
    let mut round = RoundTripResult { vulkan_device, cuda_device, ..RoundTripResult::default() };
    // SAFETY: no other thread of this process uses CUDA or Vulkan, and this process destroys no object.
    match unsafe { copy_to_vulkan_and_back(cuda_device, vulkan_device) } {
        Ok(0) => round.name = "64 KiB each way: every byte is right".to_owned(),
        Ok(wrong) => {
            round.name = format!("{wrong} of {SIZE} bytes are wrong");
            round.missing = Some(MachineFix::new("round-wrong", &[&round.name]));
        }
        Err((call, code)) => {
            round.name = format!("{call} returned {code}");
            let id = match call {
                _ if code.contains("_MPS_") => "mps-context",
                "cuDevicePrimaryCtxRetain" if compute_mode(cuda_device as i32) != "default" => "compute-mode",
                _ => "round-failed",
            };
            round.missing = Some(MachineFix::new(id, &[&round.name]));
        }
    }
    write_answer_and_exit(&round)
}

/// Copies 64 KiB from CUDA to Vulkan and back. Returns how many bytes are wrong.
unsafe fn copy_to_vulkan_and_back(cuda: usize, physical: usize) -> NamedResult<usize> {
    // SAFETY: earlier calls returned the handles. The pointers are to values that outlive the calls and their copies.
    unsafe {
        let entry =
            ash::Entry::load().map_err(|error| ("vkGetInstanceProcAddr", innermost_error_text(&error)))?;
        let (instance, devices) = create_instance(&entry)?;
        let fewer = ("vkEnumeratePhysicalDevices", "fewer devices than before".to_owned());
        let physical = *devices.get(physical).ok_or(fewer)?;
        let vulkan = create_vulkan_device(&instance, physical)?;
        let types = instance.get_physical_device_memory_properties(physical);
        let (buffer, memory, size) = create_shared_buffer(&vulkan, types.memory_types_as_slice())?;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
        let timeline = vulkan_call!("vkCreateSemaphore", vulkan.create_semaphore(&info, None))?;

        let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
        cuda_call!(cuInit(0))?;
        cuda_call!(cuDeviceGet(&mut device, cuda as i32))?;
        cuda_call!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        cuda_call!(cuCtxSetCurrent(context))?;
        cuda_call!(cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()))?;

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
        desc.handle.fd = vulkan_call!("vkGetMemoryFdKHR", export.get_memory_fd(&info))?;
        let (mut imported, mut address) = (ptr::null_mut(), 0);
        cuda_call!(cuImportExternalMemory(&mut imported, &desc))?;
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: 2 * SIZE as u64, ..Default::default() };
        cuda_call!(cuExternalMemoryGetMappedBuffer(&mut address, imported, &range))?;

        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(timeline)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let export = khr::external_semaphore_fd::Device::new(&instance, &vulkan);
        desc.handle.fd = vulkan_call!("vkGetSemaphoreFdKHR", export.get_semaphore_fd(&info))?;
        let mut semaphore = ptr::null_mut();
        cuda_call!(cuImportExternalSemaphore(&mut semaphore, &desc))?;

        // CUDA writes the buffer's first half and signals 1. Vulkan waits for 1, copies the first half to the second
        // half, and signals 2. CUDA waits for 2 and reads the second half.
        let pattern = |at: u32| at.wrapping_mul(2_654_435_761).to_le_bytes();
        let (written, mut read) = (Vec::from_iter((0..SIZE as u32 / 4).flat_map(pattern)), vec![0_u8; SIZE]);
        cuda_call!(cuMemcpyHtoDAsync(address, written.as_ptr().cast(), SIZE, stream))?;
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        signal.params.fence.value = 1;
        cuda_call!(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream))?;
        submit_copy(&vulkan, buffer, timeline)?;
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        wait.params.fence.value = 2;
        cuda_call!(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream))?;
        cuda_call!(cuMemcpyDtoHAsync(read.as_mut_ptr().cast(), address + SIZE as u64, SIZE, stream))?;
        cuda_call!(cuStreamSynchronize(stream))?;
        Ok((0..SIZE).filter(|at| read[*at] != written[*at]).count())
    }
}

unsafe fn create_vulkan_device(instance: &Instance, physical: vk::PhysicalDevice) -> NamedResult<Device> {
    const EXTENSIONS: [&CStr; 2] = [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME];
    let extensions = EXTENSIONS.map(CStr::as_ptr);
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    // SAFETY: `physical` comes from `instance`, and the structures outlive the call.
    unsafe {
        let queue = vk::DeviceQueueCreateInfo::default()
            .queue_family_index(FAMILY)
            .queue_priorities(slice::from_ref(&1.0));
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(slice::from_ref(&queue))
            .enabled_extension_names(&extensions)
            .push_next(&mut timeline);
        vulkan_call!("vkCreateDevice", instance.create_device(physical, &info, None))
    }
}

/// Creates a buffer, and binds it to exportable memory. Returns the buffer, the memory and the memory's size in bytes.
unsafe fn create_shared_buffer(
    device: &Device,
    types: &[vk::MemoryType],
) -> NamedResult<(vk::Buffer, vk::DeviceMemory, u64)> {
    let handle_types = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_types);
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle_types);
    let info = vk::BufferCreateInfo::default()
        .size(2 * SIZE as u64)
        .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST)
        .push_next(&mut external);
    // SAFETY: the structures outlive the calls.
    unsafe {
        let buffer = vulkan_call!("vkCreateBuffer", device.create_buffer(&info, None))?;
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
        let memory = vulkan_call!("vkAllocateMemory", device.allocate_memory(&info, None))?;
        vulkan_call!("vkBindBufferMemory", device.bind_buffer_memory(buffer, memory, 0))?;
        Ok((buffer, memory, needs.size))
    }
}

/// Submits commands that acquire the buffer from CUDA, copy its first half to its second half, and release the buffer
/// to CUDA. The submission waits for the value 1 of `timeline`, and signals 2.
unsafe fn submit_copy(device: &Device, buffer: vk::Buffer, timeline: vk::Semaphore) -> NamedResult<()> {
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
        // SAFETY: `commands` is in the recording state, and `buffer` belongs to the same device.
        unsafe { device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[barrier], &[]) };
    };
    let pool = vk::CommandPoolCreateInfo::default().queue_family_index(FAMILY);
    let copy = vk::BufferCopy::default().dst_offset(SIZE as u64).size(SIZE as u64);
    // SAFETY: the objects belong to `device`, and the structures outlive the calls.
    unsafe {
        let pool = vulkan_call!("vkCreateCommandPool", device.create_command_pool(&pool, None))?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = vulkan_call!("vkAllocateCommandBuffers", device.allocate_command_buffers(&info))?;
        let begin = vk::CommandBufferBeginInfo::default();
        vulkan_call!("vkBeginCommandBuffer", device.begin_command_buffer(commands[0], &begin))?;
        transfer(commands[0], vk::QUEUE_FAMILY_EXTERNAL, FAMILY);
        device.cmd_copy_buffer(commands[0], buffer, buffer, &[copy]);
        transfer(commands[0], FAMILY, vk::QUEUE_FAMILY_EXTERNAL);
        vulkan_call!("vkEndCommandBuffer", device.end_command_buffer(commands[0]))?;
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
        let queue = device.get_device_queue(FAMILY, 0);
        vulkan_call!("vkQueueSubmit", device.queue_submit(queue, &[info], vk::Fence::null()))
    }
}
