//! A Vulkan device with the extensions that export memory and semaphores, and its queues.

use std::ffi::CStr;
use std::slice;

#[cfg(unix)]
use ash::khr::{external_memory_fd as external_memory, external_semaphore_fd as external_semaphore};
#[cfg(windows)]
use ash::khr::{external_memory_win32 as external_memory, external_semaphore_win32 as external_semaphore};
use ash::{ext, vk};

use super::{Instance, PhysicalDevice, device_with_uuid};
use crate::{Error, Result};

/// How long a wait may last before it is an error, in nanoseconds.
pub const TIMEOUT: u64 = 60_000_000_000;

/// The stage and the accesses that the ownership transfers of buffers and images name (`record_transfer`).
pub(super) const ALL_COMMANDS_AND_ACCESSES: (vk::PipelineStageFlags, vk::AccessFlags) = (
    vk::PipelineStageFlags::ALL_COMMANDS,
    vk::AccessFlags::from_raw(vk::AccessFlags::MEMORY_READ.as_raw() | vk::AccessFlags::MEMORY_WRITE.as_raw()),
);

/// The extensions for sharing dma-bufs. [`Vulkan::open_device`] enables them if the device has both.
const DMA_BUF_EXTENSIONS: [&CStr; 2] = [ext::external_memory_dma_buf::NAME, ext::queue_family_foreign::NAME];

/// A device, with one queue of each family that draws, computes or copies. One thread at a time may submit.
pub struct Vulkan {
    pub device: ash::Device,
    pub name: String,
    pub physical_device: vk::PhysicalDevice,
    /// The queues. The first queue draws, computes and copies.
    pub queues: Vec<Queue>,
    /// The functions that export memory: by file descriptor, on Windows by handle.
    pub external_memory: external_memory::Device,
    /// The functions that export semaphores in the same way. A Vulkan driver on the CPU may lack them.
    pub external_semaphore: external_semaphore::Device,
    shares_semaphores: bool,
    /// Whether the device imports and exports Linux's dma-bufs.
    pub shares_dma_bufs: bool,
    pub instance: Instance,
}

/// A queue, and the pool of its command buffers.
pub struct Queue {
    pub raw: vk::Queue,
    pub family: u32,
    pub flags: vk::QueueFlags,
    pub(crate) commands: vk::CommandPool,
}

impl Vulkan {
    pub fn open_by_uuid(uuid: &[u8; 16]) -> Result<Self> {
        let instance = Instance::create_instance()?;
        let devices = instance.physical_devices()?;
        let vulkan = Self::open_device(instance, device_with_uuid(&devices, uuid)?)?;
        vulkan.require_shared_semaphores()?;
        Ok(vulkan)
    }

    /// Opens a device whose driver has Vulkan 1.3 and can export memory. The device may be a CPU.
    pub fn open_device(instance: Instance, device: &PhysicalDevice) -> Result<Self> {
        if device.version < vk::API_VERSION_1_3 {
            return Err(Error::Missing(format!("{}'s driver is older than Vulkan 1.3", device.name)));
        }
        let (raw, physical_device) = (&instance.raw, device.raw);
        // SAFETY: here and below, the device came from this instance, and what a struct points to outlives the call.
        let has = unsafe { raw.enumerate_device_extension_properties(physical_device) }?;
        let has = |name: &CStr| has.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        if !has(external_memory::NAME) {
            return Err(missing_extension_error(&device.name, external_memory::NAME));
        }
        let shares_semaphores = has(external_semaphore::NAME);
        let mut extensions = vec![external_memory::NAME.as_ptr()];
        if shares_semaphores {
            extensions.push(external_semaphore::NAME.as_ptr());
        }
        let shares_dma_bufs = DMA_BUF_EXTENSIONS.into_iter().all(has);
        if shares_dma_bufs {
            extensions.extend(DMA_BUF_EXTENSIONS.map(CStr::as_ptr));
        }

        let families = queue_families(raw, physical_device, &device.name)?;
        let create: Vec<_> = families
            .iter()
            .map(|(family, _)| {
                let info = vk::DeviceQueueCreateInfo::default().queue_family_index(*family);
                info.queue_priorities(slice::from_ref(&1.0))
            })
            .collect();
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
        let mut barriers = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
        let features =
            vk::PhysicalDeviceFeatures::default().image_cube_array(true).fragment_stores_and_atomics(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&create)
            .enabled_extension_names(&extensions)
            .enabled_features(&features)
            .push_next(&mut timeline)
            .push_next(&mut rendering)
            .push_next(&mut barriers);
        let functions = unsafe { raw.create_device(physical_device, &info, None) }?;
        // If a later call fails, this value destroys the device.
        let mut vulkan = Self {
            external_memory: external_memory::Device::new(raw, &functions),
            external_semaphore: external_semaphore::Device::new(raw, &functions),
            shares_semaphores,
            shares_dma_bufs,
            name: device.name.clone(),
            device: functions,
            physical_device,
            queues: Vec::new(),
            instance,
        };
        for (family, flags) in families {
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let raw = unsafe { vulkan.device.get_device_queue(family, 0) };
            let commands = unsafe { vulkan.device.create_command_pool(&pool, None) }?;
            vulkan.queues.push(Queue { raw, family, flags, commands });
        }
        Ok(vulkan)
    }

    /// Returns an error if the device's driver cannot export semaphores.
    pub fn require_shared_semaphores(&self) -> Result<()> {
        if self.shares_semaphores {
            Ok(())
        } else {
            Err(missing_extension_error(&self.name, external_semaphore::NAME))
        }
    }

    pub fn first_queue(&self) -> &Queue {
        &self.queues[0]
    }

    /// Returns a queue that only copies. *Measured* on an H200: hand-overs take less time than on a graphics queue.
    pub fn transfer_queue(&self) -> Option<&Queue> {
        let others = vk::QueueFlags::GRAPHICS
            | vk::QueueFlags::COMPUTE
            | vk::QueueFlags::VIDEO_DECODE_KHR
            | vk::QueueFlags::VIDEO_ENCODE_KHR
            | vk::QueueFlags::OPTICAL_FLOW_NV;
        self.queues.iter().find(|queue| !queue.flags.intersects(others))
    }

    /// Returns the index of the first memory type that `type_bits` allows and that has the properties `wanted`.
    pub fn memory_type(&self, type_bits: u32, wanted: vk::MemoryPropertyFlags) -> Result<u32> {
        // SAFETY: the device came from this instance.
        let has = unsafe { self.instance.raw.get_physical_device_memory_properties(self.physical_device) };
        let is_right = |(at, memory_type): &(u32, &vk::MemoryType)| {
            type_bits & (1 << at) != 0 && memory_type.property_flags.contains(wanted)
        };
        let found = (0..).zip(has.memory_types_as_slice()).find(is_right).map(|(at, _)| at);
        found.ok_or_else(|| Error::Failed(format!("no memory type among {type_bits:#x} has {wanted:?}")))
    }

    /// Records a barrier: later commands and the CPU see what earlier commands of the submission wrote.
    pub fn memory_barrier(&self, commands: vk::CommandBuffer) {
        let (before, all) = ALL_COMMANDS_AND_ACCESSES;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(all | vk::AccessFlags::HOST_READ);
        let after = before | vk::PipelineStageFlags::HOST;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: `commands` is being recorded.
        unsafe { self.device.cmd_pipeline_barrier(commands, before, after, flags, &[barrier], &[], &[]) };
    }
}

fn missing_extension_error(device: &str, extension: &CStr) -> Error {
    Error::Missing(format!("{device} has no {}", extension.to_string_lossy()))
}

/// Returns the queue families that draw, compute or copy. The first family does all three.
fn queue_families(
    instance: &ash::Instance,
    device: vk::PhysicalDevice,
    name: &str,
) -> Result<Vec<(u32, vk::QueueFlags)>> {
    let all = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    // SAFETY: the device came from this instance.
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    let mut families: Vec<(u32, vk::QueueFlags)> = (0..)
        .zip(families.iter().map(|family| family.queue_flags))
        .filter(|(_, flags)| flags.intersects(all | vk::QueueFlags::TRANSFER))
        .collect();
    let first = families.iter().position(|(_, flags)| flags.contains(all));
    let first = first.ok_or_else(|| Error::Missing(format!("{name} has no queue that draws")))?;
    families.swap(0, first);
    Ok(families)
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: this module's objects borrow `self`, so they no longer exist. Callers destroy their own objects.
        unsafe {
            let _ = self.device.device_wait_idle();
            for queue in &self.queues {
                self.device.destroy_command_pool(queue.commands, None);
            }
            self.device.destroy_device(None);
        }
    }
}
