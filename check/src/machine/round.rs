//! 64 KiB from Vulkan to CUDA and back, by an opaque file descriptor, with a timeline semaphore between the two.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::slice;

use ash::{Device, Instance, khr, vk};
use cuda_external_sys::*;

use super::facts::RoundResult;
use super::process::{answer, calling};
use super::vulkan;

const SIZE: usize = 64 << 10;
/// How long Vulkan waits for CUDA, in nanoseconds.
const LIMIT: u64 = 3_000_000_000;

/// A call and its code.
struct Failure(String, String);
type Result<T> = std::result::Result<T, Failure>;

/// Runs one round of a pair of devices. Nothing is destroyed: the process ends.
pub fn probe(cuda: usize, vulkan: usize) -> ! {
    // SAFETY: one thread, whose objects all live until the process ends.
    let result = unsafe { run(cuda, vulkan) };
    answer(&result.unwrap_or_else(|Failure(call, code)| RoundResult::Failed { call, code }))
}

/// Names a call of CUDA before it is made, and its code where it fails.
macro_rules! cuda {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        calling(stringify!($function));
        match $function($($argument),*) {
            CUDA_SUCCESS => Ok(()),
            code => Err(Failure(stringify!($function).to_owned(), format!("{code:?}"))),
        }
    }};
}

/// The same for Vulkan.
macro_rules! vk {
    ($name:literal, $call:expr) => {{
        calling($name);
        $call.map_err(|code| Failure($name.to_owned(), format!("{code:?}")))
    }};
}

unsafe fn run(cuda: usize, physical: usize) -> Result<RoundResult> {
    // SAFETY: handles come from the calls before, and pointers are to values that outlive the calls.
    unsafe {
        let (_entry, instance) = vulkan::open()
            .map_err(|(words, code)| Failure("vkCreateInstance".to_owned(), format!("{code:?} {words}")))?;
        let devices = vk!("vkEnumeratePhysicalDevices", instance.enumerate_physical_devices())?;
        let missing =
            || Failure("vkEnumeratePhysicalDevices".to_owned(), "fewer devices than before".to_owned());
        let vulkan = Vulkan::open(&instance, *devices.get(physical).ok_or_else(missing)?)?;

        let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
        cuda!(cuInit(0))?;
        cuda!(cuDeviceGet(&mut device, cuda as i32))?;
        cuda!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        cuda!(cuCtxSetCurrent(context))?;
        cuda!(cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()))?;

        let Shared { buffer, memory, size } = vulkan.shared_buffer()?;
        let info = vk::MemoryGetFdInfoKHR::default()
            .memory(memory)
            .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
        let export = khr::external_memory_fd::Device::new(&instance, &vulkan.device);
        let fd = vk!("vkGetMemoryFdKHR", export.get_memory_fd(&info))?;
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size,
            flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
            ..Default::default()
        };
        desc.handle.fd = fd;
        let (mut imported, mut address) = (ptr::null_mut(), 0);
        cuda!(cuImportExternalMemory(&mut imported, &desc))?;
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: SIZE as u64, ..Default::default() };
        cuda!(cuExternalMemoryGetMappedBuffer(&mut address, imported, &range))?;

        let timeline = vulkan.shared_timeline()?;
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(timeline)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let export = khr::external_semaphore_fd::Device::new(&instance, &vulkan.device);
        let fd = vk!("vkGetSemaphoreFdKHR", export.get_semaphore_fd(&info))?;
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        desc.handle.fd = fd;
        let mut semaphore = ptr::null_mut();
        cuda!(cuImportExternalSemaphore(&mut semaphore, &desc))?;

        // Vulkan writes, and signals 1. CUDA waits for it and reads.
        let (there, back) = (pattern(17), pattern(91));
        vulkan.write(buffer, &there, timeline)?;
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        wait.params.fence.value = 1;
        cuda!(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream))?;
        let mut read = vec![0_u8; SIZE];
        cuda!(cuMemcpyDtoHAsync(read.as_mut_ptr().cast(), address, SIZE, stream))?;
        cuda!(cuStreamSynchronize(stream))?;
        if let Some(wrong) = difference(&read, &there) {
            return Ok(RoundResult::WrongBytes(format!("from Vulkan to CUDA, {wrong}")));
        }
        // CUDA writes, and signals 2. Vulkan waits for it and reads.
        cuda!(cuMemcpyHtoDAsync(address, back.as_ptr().cast::<c_void>(), SIZE, stream))?;
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        signal.params.fence.value = 2;
        cuda!(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream))?;
        let read = vulkan.read(buffer, timeline)?;
        cuda!(cuStreamSynchronize(stream))?;
        Ok(match difference(&read, &back) {
            Some(wrong) => RoundResult::WrongBytes(format!("from CUDA to Vulkan, {wrong}")),
            None => RoundResult::EveryByteIsRight,
        })
    }
}

fn pattern(seed: u32) -> Vec<u8> {
    (0..SIZE as u32 / 4).flat_map(|i| (i ^ seed).wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

fn difference(read: &[u8], expected: &[u8]) -> Option<String> {
    let wrong = read.iter().zip(expected).filter(|(is, should)| is != should).count();
    let first = read.iter().zip(expected).position(|(is, should)| is != should)?;
    Some(format!("{wrong} of {SIZE} bytes are wrong, the first at {first}"))
}

struct Vulkan<'i> {
    instance: &'i Instance,
    physical: vk::PhysicalDevice,
    device: Device,
    queue: vk::Queue,
    family: u32,
    pool: vk::CommandPool,
}

struct Shared {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// The allocation's.
    size: u64,
}

impl<'i> Vulkan<'i> {
    unsafe fn open(instance: &'i Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        const EXTENSIONS: [&CStr; 2] = [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME];
        let extensions = EXTENSIONS.map(CStr::as_ptr);
        // Every queue of these copies.
        let copies = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER;
        // SAFETY: as in `run`, here and below.
        unsafe {
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family = families.iter().position(|family| family.queue_flags.intersects(copies));
            let family = family.unwrap_or_default() as u32;
            let queue = vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(slice::from_ref(&1.0));
            let mut timeline =
                vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(slice::from_ref(&queue))
                .enabled_extension_names(&extensions)
                .push_next(&mut timeline);
            let device = vk!("vkCreateDevice", instance.create_device(physical, &info, None))?;
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = vk!("vkCreateCommandPool", device.create_command_pool(&pool, None))?;
            let queue = device.get_device_queue(family, 0);
            Ok(Self { instance, physical, device, queue, family, pool })
        }
    }

    unsafe fn shared_buffer(&self) -> Result<Shared> {
        let handle_types = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_types);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle_types);
        let wanted = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        // SAFETY: the objects are of this device, and the structures outlive the calls.
        unsafe {
            let info = buffer_info().push_next(&mut external);
            let buffer = vk!("vkCreateBuffer", self.device.create_buffer(&info, None))?;
            let (memory, size) = self.allocate(buffer, wanted, |info| info.push_next(&mut export))?;
            Ok(Shared { buffer, memory, size })
        }
    }

    /// Allocates and binds memory for a buffer, dedicated to it. Returns the allocation's size.
    unsafe fn allocate<'a>(
        &self,
        buffer: vk::Buffer,
        wanted: vk::MemoryPropertyFlags,
        extend: impl FnOnce(vk::MemoryAllocateInfo<'a>) -> vk::MemoryAllocateInfo<'a>,
    ) -> Result<(vk::DeviceMemory, u64)> {
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        // SAFETY: the buffer is of this device, and the structures outlive the calls.
        unsafe {
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let has = self.instance.get_physical_device_memory_properties(self.physical);
            let is_right = |(at, memory_type): &(u32, &vk::MemoryType)| {
                needs.memory_type_bits & (1 << at) != 0 && memory_type.property_flags.contains(wanted)
            };
            let memory_type = (0..).zip(has.memory_types_as_slice()).find(is_right).map(|(at, _)| at);
            let info = extend(vk::MemoryAllocateInfo::default())
                .allocation_size(needs.size)
                .memory_type_index(memory_type.unwrap_or_default());
            let info = info.push_next(&mut dedicated);
            let memory = vk!("vkAllocateMemory", self.device.allocate_memory(&info, None))?;
            vk!("vkBindBufferMemory", self.device.bind_buffer_memory(buffer, memory, 0))?;
            Ok((memory, needs.size))
        }
    }

    unsafe fn shared_timeline(&self) -> Result<vk::Semaphore> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
        // SAFETY: the device lives, and the structures outlive the call.
        unsafe { vk!("vkCreateSemaphore", self.device.create_semaphore(&info, None)) }
    }

    /// Writes the buffer, gives it to CUDA, and signals 1.
    unsafe fn write(&self, buffer: vk::Buffer, bytes: &[u8], timeline: vk::Semaphore) -> Result<()> {
        // SAFETY: the buffer and the semaphore are of this device, and the submission is waited for.
        unsafe {
            self.submit(&[], &[(timeline, 1)], |commands| {
                self.device.cmd_update_buffer(commands, buffer, 0, bytes);
                self.transfer(commands, buffer, self.family, vk::QUEUE_FAMILY_EXTERNAL);
            })
        }
    }

    /// Waits for 2, takes the buffer from CUDA, and reads it.
    unsafe fn read(&self, buffer: vk::Buffer, timeline: vk::Semaphore) -> Result<Vec<u8>> {
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the memory is mapped, as large as the buffer, and read after the submission is done.
        unsafe {
            let host = vk!("vkCreateBuffer", self.device.create_buffer(&buffer_info(), None))?;
            let (memory, _) = self.allocate(host, visible, |info| info)?;
            self.submit(&[(timeline, 2)], &[(timeline, 3)], |commands| {
                self.transfer(commands, buffer, vk::QUEUE_FAMILY_EXTERNAL, self.family);
                let region = vk::BufferCopy::default().size(SIZE as u64);
                self.device.cmd_copy_buffer(commands, buffer, host, &[region]);
                let barrier = vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .dst_access_mask(vk::AccessFlags::HOST_READ);
                let (before, after) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
                let flags = vk::DependencyFlags::empty();
                self.device.cmd_pipeline_barrier(commands, before, after, flags, &[barrier], &[], &[]);
            })?;
            let wait = vk::SemaphoreWaitInfo::default().semaphores(slice::from_ref(&timeline)).values(&[3]);
            vk!("vkWaitSemaphores", self.device.wait_semaphores(&wait, LIMIT))?;
            let flags = vk::MemoryMapFlags::empty();
            let address = vk!("vkMapMemory", self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags))?;
            Ok(slice::from_raw_parts(address.cast::<u8>(), SIZE).to_vec())
        }
    }

    /// Records and submits commands between values of the timeline.
    unsafe fn submit(
        &self,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<()> {
        let ((wait, wait_values), (signal, signal_values)): ((Vec<_>, Vec<_>), (Vec<_>, Vec<_>)) =
            (waits.iter().copied().unzip(), signals.iter().copied().unzip());
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the pool and the queue are of this device, and the structures outlive the calls.
        unsafe {
            let commands = vk!("vkAllocateCommandBuffers", self.device.allocate_command_buffers(&info))?;
            let begin = vk::CommandBufferBeginInfo::default();
            vk!("vkBeginCommandBuffer", self.device.begin_command_buffer(commands[0], &begin))?;
            record(commands[0]);
            vk!("vkEndCommandBuffer", self.device.end_command_buffer(commands[0]))?;
            let mut values = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&wait_values)
                .signal_semaphore_values(&signal_values);
            let info = vk::SubmitInfo::default()
                .command_buffers(&commands)
                .wait_semaphores(&wait)
                .wait_dst_stage_mask(&stages)
                .signal_semaphores(&signal)
                .push_next(&mut values);
            vk!("vkQueueSubmit", self.device.queue_submit(self.queue, &[info], vk::Fence::null()))
        }
    }

    /// Records one half of the ownership transfer.
    unsafe fn transfer(&self, commands: vk::CommandBuffer, buffer: vk::Buffer, from: u32, to: u32) {
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
        unsafe { self.device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[barrier], &[]) };
    }
}

fn buffer_info() -> vk::BufferCreateInfo<'static> {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    vk::BufferCreateInfo::default().size(SIZE as u64).usage(usage)
}
