//! Vulkan's side: a device with the extensions that export, one queue, and submissions.

use std::ffi::CStr;
use std::slice;

use ash::{khr, vk};

use crate::matching::{self, Candidate, Instance};
use crate::{Error, Result};

/// How long a wait lasts before it counts as a failure, in nanoseconds.
pub const PATIENCE: u64 = 60_000_000_000;

/// A device and one queue of it. One thread at a time may submit.
pub struct Vulkan {
    pub device: ash::Device,
    pub name: String,
    pub queue: vk::Queue,
    pub queue_family: u32,
    pub physical_device: vk::PhysicalDevice,
    pub memory_fd: khr::external_memory_fd::Device,
    /// A CPU's driver may share memory and yet no semaphore.
    semaphore_fd: Option<khr::external_semaphore_fd::Device>,
    commands: vk::CommandPool,
    pub instance: Instance,
}

impl Vulkan {
    /// Opens the device that is CUDA's with this UUID.
    pub fn open(uuid: &[u8; 16]) -> Result<Self> {
        let instance = Instance::open()?;
        let candidates = instance.candidates()?;
        let candidate = matching::find(&candidates, uuid)?;
        let vulkan = Self::open_candidate(instance, candidate)?;
        vulkan.semaphore_fd()?;
        Ok(vulkan)
    }

    /// Opens this one, be it a CPU.
    pub fn open_candidate(instance: Instance, candidate: &Candidate) -> Result<Self> {
        if candidate.version < vk::API_VERSION_1_3 {
            return Err(Error::Missing(format!("{}'s driver is older than Vulkan 1.3", candidate.name)));
        }
        let (raw, physical_device) = (&instance.raw, candidate.physical_device);
        // SAFETY: the device came from this instance, here and below.
        let has = unsafe { raw.enumerate_device_extension_properties(physical_device) }?;
        let has = |name: &CStr| has.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        if !has(khr::external_memory_fd::NAME) {
            return Err(Error::Missing(format!("{} has no VK_KHR_external_memory_fd", candidate.name)));
        }
        let shares_semaphores = has(khr::external_semaphore_fd::NAME);
        let mut extensions = vec![khr::external_memory_fd::NAME.as_ptr()];
        if shares_semaphores {
            extensions.push(khr::external_semaphore_fd::NAME.as_ptr());
        }

        let families = unsafe { raw.get_physical_device_queue_family_properties(physical_device) };
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let queue_family = families
            .iter()
            .position(|family| family.queue_flags.contains(wanted))
            .ok_or_else(|| Error::Missing(format!("{} has no graphics queue", candidate.name)))?
            as u32;
        let queues = vk::DeviceQueueCreateInfo::default()
            .queue_family_index(queue_family)
            .queue_priorities(slice::from_ref(&1.0));

        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
        let images = vk::PhysicalDeviceFeatures::default().image_cube_array(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(slice::from_ref(&queues))
            .enabled_extension_names(&extensions)
            .enabled_features(&images)
            .push_next(&mut timeline)
            .push_next(&mut rendering);
        let device = unsafe { raw.create_device(physical_device, &info, None) }?;
        let queue = unsafe { device.get_device_queue(queue_family, 0) };
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(queue_family);
        let commands = unsafe { device.create_command_pool(&pool, None) }?;

        Ok(Self {
            memory_fd: khr::external_memory_fd::Device::new(raw, &device),
            semaphore_fd: shares_semaphores.then(|| khr::external_semaphore_fd::Device::new(raw, &device)),
            name: candidate.name.clone(),
            device,
            queue,
            queue_family,
            physical_device,
            commands,
            instance,
        })
    }

    pub fn semaphore_fd(&self) -> Result<&khr::external_semaphore_fd::Device> {
        let missing = || Error::Missing(format!("{} has no VK_KHR_external_semaphore_fd", self.name));
        self.semaphore_fd.as_ref().ok_or_else(missing)
    }

    /// A memory type among `allowed` with these properties.
    pub fn memory_type(&self, allowed: u32, wanted: vk::MemoryPropertyFlags) -> Result<u32> {
        // SAFETY: the device came from this instance.
        let has = unsafe { self.instance.raw.get_physical_device_memory_properties(self.physical_device) };
        has.memory_types_as_slice()
            .iter()
            .enumerate()
            .position(|(i, t)| allowed & (1 << i) != 0 && t.property_flags.contains(wanted))
            .map(|i| i as u32)
            .ok_or_else(|| Error::Failed(format!("no memory type among {allowed:#x} has {wanted:?}")))
    }

    /// Records commands and submits them, after the `waits` and before the `signals`: semaphores
    /// with the value of a timeline, or with any value where the semaphore is binary.
    pub fn submit(
        &self,
        waits: &[(vk::Semaphore, u64)],
        signals: &[(vk::Semaphore, u64)],
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<Submission<'_>> {
        let (wait_semaphores, wait_values): (Vec<_>, Vec<_>) = waits.iter().copied().unzip();
        let (signal_semaphores, signal_values): (Vec<_>, Vec<_>) = signals.iter().copied().unzip();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let allocate = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.commands)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the pool, the queue and the fence are this device's; the lists outlive the submit.
        unsafe {
            let commands = self.device.allocate_command_buffers(&allocate)?[0];
            self.device.begin_command_buffer(commands, &begin)?;
            record(commands);
            self.device.end_command_buffer(commands)?;
            let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&wait_values)
                .signal_semaphore_values(&signal_values);
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&wait_semaphores)
                .wait_dst_stage_mask(&stages)
                .command_buffers(slice::from_ref(&commands))
                .signal_semaphores(&signal_semaphores)
                .push_next(&mut timeline);
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            self.device.queue_submit(self.queue, &[info], fence)?;
            Ok(Submission { vulkan: self, commands, fence })
        }
    }

    /// Submits and waits until it is done.
    pub fn run(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        self.submit(&[], &[], record)?.wait()
    }

    /// Lets commands of one submission that follow see what those before wrote.
    pub fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(all | vk::AccessFlags::HOST_READ);
        let before = vk::PipelineStageFlags::ALL_COMMANDS;
        let after = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: `commands` is being recorded.
        unsafe { self.device.cmd_pipeline_barrier(commands, before, after, flags, &[barrier], &[], &[]) };
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: every object made from the device borrows it, and is gone.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
        }
    }
}

/// Work in the queue. Dropping it waits for its end.
pub struct Submission<'v> {
    vulkan: &'v Vulkan,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
}

impl Submission<'_> {
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the fence lives as long as `self`.
        Ok(unsafe { self.vulkan.device.get_fence_status(self.fence) }?)
    }

    pub fn wait(self) -> Result<()> {
        // SAFETY: as above.
        Ok(unsafe { self.vulkan.device.wait_for_fences(&[self.fence], true, PATIENCE) }?)
    }
}

impl Drop for Submission<'_> {
    fn drop(&mut self) {
        let device = &self.vulkan.device;
        // SAFETY: the fence says that the commands are no longer in use. If it never does, they leak.
        unsafe {
            if device.wait_for_fences(&[self.fence], true, PATIENCE).is_ok() {
                device.free_command_buffers(self.vulkan.commands, &[self.commands]);
                device.destroy_fence(self.fence, None);
            }
        }
    }
}
