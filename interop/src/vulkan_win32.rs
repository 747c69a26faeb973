//! Vulkan around the shared objects on Windows: a device with the extensions that export, one
//! queue, and a buffer with another one beside it that the CPU sees.

use std::ffi::CStr;
use std::slice;

use ash::{khr, vk};

use crate::matching::{Candidate, Instance};
use crate::{Error, Result};

/// How long a submission may take, in nanoseconds.
const PATIENCE: u64 = 60_000_000_000;

pub struct Vulkan<'i> {
    instance: &'i ash::Instance,
    physical_device: vk::PhysicalDevice,
    pub device: ash::Device,
    queue: vk::Queue,
    queue_family: u32,
    commands: vk::CommandPool,
    pub memory_win32: khr::external_memory_win32::Device,
    pub semaphore_win32: khr::external_semaphore_win32::Device,
}

impl<'i> Vulkan<'i> {
    pub fn open(instance: &'i Instance, candidate: &Candidate) -> Result<Self> {
        let (instance, physical_device) = (&instance.raw, candidate.physical_device);
        let extensions = [khr::external_memory_win32::NAME, khr::external_semaphore_win32::NAME];
        // SAFETY: here and below: the device came from this instance, and what the structs point to
        // outlives the calls.
        let has = unsafe { instance.enumerate_device_extension_properties(physical_device) }?;
        let has = |name: &CStr| has.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        if let Some(name) = extensions.iter().find(|name| !has(name)) {
            return Err(Error::Missing(format!("{} has no {}", candidate.name, name.to_string_lossy())));
        }
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical_device) };
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let queue_family = families
            .iter()
            .position(|family| family.queue_flags.contains(wanted))
            .ok_or_else(|| Error::Missing(format!("{} has no graphics queue", candidate.name)))?
            as u32;
        let queues = vk::DeviceQueueCreateInfo::default()
            .queue_family_index(queue_family)
            .queue_priorities(slice::from_ref(&1.0));
        let names = extensions.map(CStr::as_ptr);
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(slice::from_ref(&queues))
            .enabled_extension_names(&names)
            .push_next(&mut timeline);
        let device = unsafe { instance.create_device(physical_device, &info, None) }?;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(queue_family);
        let commands = unsafe { device.create_command_pool(&pool, None) }?;
        Ok(Self {
            memory_win32: khr::external_memory_win32::Device::new(instance, &device),
            semaphore_win32: khr::external_semaphore_win32::Device::new(instance, &device),
            queue: unsafe { device.get_device_queue(queue_family, 0) },
            instance,
            physical_device,
            device,
            queue_family,
            commands,
        })
    }

    /// Whether memory of a buffer can be exported by this type of handle, without being the buffer's
    /// alone.
    pub fn can_export(
        &self,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> std::result::Result<(), String> {
        let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(USAGE).handle_type(handle_type);
        let mut answer = vk::ExternalBufferProperties::default();
        unsafe {
            let device = self.physical_device;
            self.instance.get_physical_device_external_buffer_properties(device, &info, &mut answer);
        }
        let features = answer.external_memory_properties.external_memory_features;
        if !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
            return Err(format!("Vulkan exports no buffer as {handle_type:?}"));
        }
        if features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY) {
            return Err(format!("Vulkan wants a dedicated allocation for {handle_type:?}"));
        }
        Ok(())
    }

    /// Records, submits, and waits until it is done. A binary semaphore's value is ignored.
    pub fn submit(
        &self,
        wait: Option<(vk::Semaphore, u64)>,
        signal: Option<(vk::Semaphore, u64)>,
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<()> {
        let (waits, wait_values): (Vec<_>, Vec<_>) = wait.into_iter().unzip();
        let (signals, signal_values): (Vec<_>, Vec<_>) = signal.into_iter().unzip();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let allocate =
            vk::CommandBufferAllocateInfo::default().command_pool(self.commands).command_buffer_count(1);
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        unsafe {
            let commands = self.device.allocate_command_buffers(&allocate)?[0];
            self.device.begin_command_buffer(commands, &once)?;
            record(commands);
            self.device.end_command_buffer(commands)?;
            let mut values = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&wait_values)
                .signal_semaphore_values(&signal_values);
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&stages)
                .command_buffers(slice::from_ref(&commands))
                .signal_semaphores(&signals)
                .push_next(&mut values);
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            self.device.queue_submit(self.queue, &[info], fence)?;
            let done = self.device.wait_for_fences(&[fence], true, PATIENCE);
            self.device.destroy_fence(fence, None);
            self.device.free_command_buffers(self.commands, &[commands]);
            Ok(done?)
        }
    }

    fn allocate(
        &self,
        info: vk::MemoryAllocateInfo,
        allowed: u32,
        wanted: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory> {
        unsafe {
            let has = self.instance.get_physical_device_memory_properties(self.physical_device);
            let fits =
                |at: usize, t: &vk::MemoryType| allowed & (1 << at) != 0 && t.property_flags.contains(wanted);
            let index = has.memory_types_as_slice().iter().enumerate().position(|(at, t)| fits(at, t));
            let index = index.ok_or_else(|| Error::Failed(format!("no memory type has {wanted:?}")))?;
            Ok(self.device.allocate_memory(&info.memory_type_index(index as u32), None)?)
        }
    }
}

impl Drop for Vulkan<'_> {
    fn drop(&mut self) {
        // SAFETY: every submission was waited for.
        unsafe {
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
        }
    }
}

const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::TRANSFER_SRC.as_raw() | vk::BufferUsageFlags::TRANSFER_DST.as_raw(),
);

/// A buffer to share, with its memory, and one of the same size that the CPU reads.
pub struct Buffer<'v> {
    vulkan: &'v Vulkan<'v>,
    shared: vk::Buffer,
    pub memory: vk::DeviceMemory,
    /// What the importer must be told: not the buffer's size.
    pub allocation_size: u64,
    pub dedicated: bool,
    host: vk::Buffer,
    host_memory: vk::DeviceMemory,
    size: u64,
}

impl<'v> Buffer<'v> {
    pub fn to_share(
        vulkan: &'v Vulkan<'v>,
        size: u64,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
        dedicated: bool,
    ) -> Result<Self> {
        let device = &vulkan.device;
        let info = vk::BufferCreateInfo::default().size(size).usage(USAGE);
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_type);
        unsafe {
            let shared = device.create_buffer(&info.push_next(&mut external), None)?;
            let needs = device.get_buffer_memory_requirements(shared);
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle_type);
            let mut alone = vk::MemoryDedicatedAllocateInfo::default().buffer(shared);
            let mut allocation =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).push_next(&mut export);
            if dedicated {
                allocation = allocation.push_next(&mut alone);
            }
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let memory = vulkan.allocate(allocation, needs.memory_type_bits, local)?;
            device.bind_buffer_memory(shared, memory, 0)?;

            let host =
                device.create_buffer(&vk::BufferCreateInfo::default().size(size).usage(USAGE), None)?;
            let host_needs = device.get_buffer_memory_requirements(host);
            let seen = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let allocation = vk::MemoryAllocateInfo::default().allocation_size(host_needs.size);
            let host_memory = vulkan.allocate(allocation, host_needs.memory_type_bits, seen)?;
            device.bind_buffer_memory(host, host_memory, 0)?;
            let allocation_size = needs.size;
            Ok(Self { vulkan, shared, memory, allocation_size, dedicated, host, host_memory, size })
        }
    }

    /// Vulkan writes, and gives the buffer to CUDA.
    pub fn fill_and_release(&self, commands: vk::CommandBuffer, word: u32) {
        unsafe { self.vulkan.device.cmd_fill_buffer(commands, self.shared, 0, self.size, word) };
        self.transfer(commands, self.vulkan.queue_family, vk::QUEUE_FAMILY_EXTERNAL);
    }

    /// Vulkan takes the buffer back, and copies it to where the CPU sees it.
    pub fn acquire_and_copy(&self, commands: vk::CommandBuffer) {
        self.transfer(commands, vk::QUEUE_FAMILY_EXTERNAL, self.vulkan.queue_family);
        let region = vk::BufferCopy::default().size(self.size);
        unsafe { self.vulkan.device.cmd_copy_buffer(commands, self.shared, self.host, &[region]) };
        let to_host = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let (copy, host) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let none = vk::DependencyFlags::empty();
        unsafe { self.vulkan.device.cmd_pipeline_barrier(commands, copy, host, none, &[to_host], &[], &[]) };
    }

    fn transfer(&self, commands: vk::CommandBuffer, from: u32, to: u32) {
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let releasing = to == vk::QUEUE_FAMILY_EXTERNAL;
        let (source, destination) = if releasing {
            (everything, vk::AccessFlags::empty())
        } else {
            (vk::AccessFlags::empty(), everything)
        };
        let barrier = vk::BufferMemoryBarrier::default()
            .buffer(self.shared)
            .size(vk::WHOLE_SIZE)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(source)
            .dst_access_mask(destination);
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        unsafe { self.vulkan.device.cmd_pipeline_barrier(commands, all, all, none, &[], &[barrier], &[]) };
    }

    /// Whether every word that was copied is this one.
    pub fn check(&self, what: &str, word: u32) -> Result<()> {
        let flags = vk::MemoryMapFlags::empty();
        let words = unsafe {
            let address = self.vulkan.device.map_memory(self.host_memory, 0, vk::WHOLE_SIZE, flags)?;
            let words = slice::from_raw_parts(address.cast::<u32>(), self.size as usize / 4).to_vec();
            self.vulkan.device.unmap_memory(self.host_memory);
            words
        };
        match words.iter().position(|read| *read != word) {
            None => {
                println!("{what}: {} bytes there and back, all as written", self.size);
                Ok(())
            }
            Some(at) => Err(Error::Failed(format!("{what}: word {at} is {:#x}, not {word:#x}", words[at]))),
        }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses them any more, and CUDA's import was destroyed before.
        unsafe {
            self.vulkan.device.destroy_buffer(self.shared, None);
            self.vulkan.device.free_memory(self.memory, None);
            self.vulkan.device.destroy_buffer(self.host, None);
            self.vulkan.device.free_memory(self.host_memory, None);
        }
    }
}
