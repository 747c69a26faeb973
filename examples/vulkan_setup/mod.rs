//! What `vulkan_image` needs of Vulkan: the instance, the device with the extensions for sharing, a queue, a
//! buffer for the CPU, a submission.

use std::slice;

use ash::{khr, vk};
use cuda_external_sys::*;
use example_support::{Error, Result, cuda};

/// A Vulkan device, and the same device in CUDA.
pub struct Vulkan {
    entry: ash::Entry,
    pub instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
    pub device: ash::Device,
    pub family: u32,
    queue: vk::Queue,
    pool: vk::CommandPool,
    pub cuda_device: CUdevice,
}

/// A buffer that the CPU writes and reads, for copies to and from the shared memory.
pub struct HostBuffer {
    pub buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: *mut u8,
}

impl Vulkan {
    pub fn open() -> Result<Self> {
        // SAFETY: in this file handles are valid while they are used, and structs outlive the calls that read them.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| Error::Missing(format!("Vulkan's loader cannot be opened: {error}")))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = unsafe { entry.create_instance(&info, None) }
            .map_err(|code| Error::Missing(format!("Vulkan has no driver: {code:?}")))?;

        let (physical_device, cuda_device) = same_device(&instance)?;
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical_device) };
        let draws =
            |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::GRAPHICS);
        let family = families.iter().position(draws);
        let family =
            family.ok_or_else(|| Error::Missing("the device has no graphics queue".to_owned()))? as u32;

        let queue = vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0]);
        let extensions = [khr::external_memory_fd::NAME.as_ptr(), khr::external_semaphore_fd::NAME.as_ptr()];
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut barriers = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(slice::from_ref(&queue))
            .enabled_extension_names(&extensions)
            .push_next(&mut timeline)
            .push_next(&mut barriers);
        let device = unsafe { instance.create_device(physical_device, &info, None) }?;

        let queue = unsafe { device.get_device_queue(family, 0) };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let pool = unsafe { device.create_command_pool(&info, None) }?;
        Ok(Self { entry, instance, physical_device, device, family, queue, pool, cuda_device })
    }

    /// Asks before creating: creating an image that the device does not support is undefined.
    pub fn check_exportable_image(&self, image: &vk::ImageCreateInfo) -> Result<()> {
        let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(image.format)
            .ty(image.image_type)
            .tiling(image.tiling)
            .usage(image.usage)
            .flags(image.flags)
            .push_next(&mut external);
        let mut found = vk::ExternalImageFormatProperties::default();
        let mut properties = vk::ImageFormatProperties2::default().push_next(&mut found);
        unsafe {
            let device = self.physical_device;
            self.instance.get_physical_device_image_format_properties2(device, &info, &mut properties)
        }
        .map_err(|code| Error::Missing(format!("no such image that can be exported: {code:?}")))?;
        // A dedicated allocation may be required: the example makes one.
        let features = found.external_memory_properties.external_memory_features;
        if features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
            return Ok(());
        }
        Err(Error::Missing("the device cannot export the memory of such an image".to_owned()))
    }

    /// Returns a memory type that suits a buffer or image and has these properties.
    pub fn memory_type(
        &self,
        needs: &vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
    ) -> Result<u32> {
        let known = unsafe { self.instance.get_physical_device_memory_properties(self.physical_device) };
        let suits = |index: &u32| {
            let has = known.memory_types[*index as usize].property_flags;
            needs.memory_type_bits & (1 << index) != 0 && has.contains(wanted)
        };
        let found = (0..known.memory_type_count).find(suits);
        found.ok_or_else(|| Error::Failed(format!("no memory type has {wanted:?}")))
    }

    pub fn host_buffer(&self, size: usize) -> Result<HostBuffer> {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
        let seen = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(self.memory_type(&needs, seen)?);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            let bytes = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?.cast();
            Ok(HostBuffer { buffer, memory, bytes })
        }
    }

    /// Records commands and submits them. They begin after the wait, at its stage, and the signal comes after all of
    /// them.
    pub fn submit(
        &self,
        wait: Option<vk::SemaphoreSubmitInfo>,
        signal: vk::SemaphoreSubmitInfo,
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<()> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        unsafe {
            let commands = self.device.allocate_command_buffers(&info)?[0];
            self.device.begin_command_buffer(commands, &begin)?;
            record(commands);
            self.device.end_command_buffer(commands)?;
            let commands = vk::CommandBufferSubmitInfo::default().command_buffer(commands);
            let info = vk::SubmitInfo2::default()
                .wait_semaphore_infos(wait.as_slice())
                .command_buffer_infos(slice::from_ref(&commands))
                .signal_semaphore_infos(slice::from_ref(&signal));
            Ok(self.device.queue_submit2(self.queue, &[info], vk::Fence::null())?)
        }
    }

    /// Records a barrier for an image.
    pub fn image_barrier(&self, commands: vk::CommandBuffer, barrier: vk::ImageMemoryBarrier2) {
        let info = vk::DependencyInfo::default().image_memory_barriers(slice::from_ref(&barrier));
        unsafe { self.device.cmd_pipeline_barrier2(commands, &info) };
    }

    /// Records a barrier for memory of every kind.
    pub fn memory_barrier(&self, commands: vk::CommandBuffer, barrier: vk::MemoryBarrier2) {
        let info = vk::DependencyInfo::default().memory_barriers(slice::from_ref(&barrier));
        unsafe { self.device.cmd_pipeline_barrier2(commands, &info) };
    }

    /// Destroys everything. The device must be idle, and nothing but what this file created may be left.
    pub fn close(self, host: HostBuffer) {
        unsafe {
            self.device.destroy_buffer(host.buffer, None);
            self.device.free_memory(host.memory, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
        drop(self.entry);
    }
}

impl HostBuffer {
    /// The CPU writes bytes at the buffer's start. The device must not use it.
    pub fn write(&self, bytes: &[u8]) {
        unsafe { self.bytes.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// The CPU reads bytes from the buffer's start. The device must be done with it.
    pub fn read(&self, length: usize) -> Vec<u8> {
        unsafe { slice::from_raw_parts(self.bytes, length) }.to_vec()
    }
}

/// Returns a Vulkan device that shares memory and semaphores, and the device in CUDA that has the same UUID.
fn same_device(instance: &ash::Instance) -> Result<(vk::PhysicalDevice, CUdevice)> {
    let count = cuda::device_count()?; // calls cuInit, too
    let needed = [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME];
    for physical_device in unsafe { instance.enumerate_physical_devices() }? {
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        unsafe { instance.get_physical_device_properties2(physical_device, &mut properties) };
        let version = properties.properties.api_version;
        let found = unsafe { instance.enumerate_device_extension_properties(physical_device) }?;
        let has = |name| found.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
        if version < vk::API_VERSION_1_3 || !needed.into_iter().all(has) {
            continue;
        }
        for cuda_device in 0..count {
            let mut uuid = CUuuid::default();
            unsafe { cuDeviceGetUuid(&mut uuid, cuda_device) }.result()?;
            if uuid.to_bytes() == id.device_uuid {
                return Ok((physical_device, cuda_device));
            }
        }
    }
    Err(Error::Missing(format!("Vulkan has none of CUDA's {count} devices, with {needed:?}")))
}

/// A value of a timeline, for a submission to wait for before a stage, or to signal after it.
pub fn semaphore_at(
    timeline: vk::Semaphore,
    value: u64,
    stage: vk::PipelineStageFlags2,
) -> vk::SemaphoreSubmitInfo<'static> {
    vk::SemaphoreSubmitInfo::default().semaphore(timeline).value(value).stage_mask(stage)
}
