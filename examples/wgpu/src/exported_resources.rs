//! Shares memory and semaphores with CUDA by calls to Vulkan, since wgpu has no functions for this.

use std::os::fd::{FromRawFd, OwnedFd};

use ash::{khr, vk};
use example_support::{Error, Result};
use wgpu::hal::{api::Vulkan, vulkan};

const FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

pub fn find_adapter(instance: &wgpu::Instance, uuid: [u8; 16]) -> Result<wgpu::Adapter> {
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let matches = |adapter: &wgpu::Adapter| {
        // SAFETY: the guard is only used to query properties.
        let Some(hal) = (unsafe { adapter.as_hal::<Vulkan>() }) else { return false };
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        let physical_device = hal.raw_physical_device();
        // SAFETY: the physical device is this instance's.
        unsafe {
            hal.shared_instance()
                .raw_instance()
                .get_physical_device_properties2(physical_device, &mut properties);
        }
        id.device_uuid == uuid
    };
    adapters
        .into_iter()
        .find(matches)
        .ok_or_else(|| Error::Missing(format!("wgpu has no Vulkan adapter with CUDA's UUID, only {names:?}")))
}

/// Opens a device with VK_KHR_external_semaphore_fd, which wgpu 30 does not enable by itself. wgpu 30 does enable
/// timeline semaphores and VK_KHR_external_memory_fd if the device has them.
pub fn open_device(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue)> {
    let desc = wgpu::DeviceDescriptor::default();
    // SAFETY: the callback adds an extension that the device has.
    let open = unsafe {
        let hal = adapter.as_hal::<Vulkan>().expect("the adapter is Vulkan's");
        let capabilities = hal.physical_device_capabilities();
        for needed in [khr::external_memory_fd::NAME, khr::external_semaphore_fd::NAME] {
            if !capabilities.supports_extension(needed) {
                return Err(Error::Missing(format!("{} has no {needed:?}", adapter.get_info().name)));
            }
        }
        hal.open_with_callback(
            desc.required_features,
            &desc.required_limits,
            &desc.memory_hints,
            Some(Box::new(|args| args.extensions.push(khr::external_semaphore_fd::NAME))),
        )
    };
    let failed = |error: &dyn std::fmt::Display| Error::Failed(format!("wgpu's device: {error}"));
    let open = open.map_err(|error| failed(&error))?;
    // SAFETY: the device was opened from this adapter, with this descriptor.
    unsafe { adapter.create_device_from_hal(open, &desc) }.map_err(|error| failed(&error))
}

/// A dedicated allocation of Vulkan, exported for CUDA.
pub struct ExportedMemory {
    pub fd: OwnedFd,
    /// The allocation's size, which CUDA needs: it may be larger than the buffer or the image.
    pub size: u64,
}

/// Creates a buffer in exportable memory. wgpu takes ownership of the buffer and its memory, and frees both.
pub fn create_buffer(device: &wgpu::Device, size: u64) -> Result<(wgpu::Buffer, ExportedMemory)> {
    let desc = wgpu::BufferDescriptor {
        label: Some("shared buffer"),
        size,
        usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    // SAFETY: wgpu takes ownership of the buffer and its memory, and this function uses neither afterwards.
    unsafe {
        let hal = device.as_hal::<Vulkan>().expect("the device is Vulkan's");
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(FD);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage).push_next(&mut external);
        let buffer = hal.raw_device().create_buffer(&info, None)?;
        let requirements = hal.raw_device().get_buffer_memory_requirements(buffer);
        let dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let (memory, exported) = allocate_exportable(&hal, requirements, dedicated)?;
        hal.raw_device().bind_buffer_memory(buffer, memory, 0)?;
        let buffer = vulkan::Buffer::from_raw_managed(buffer, memory, 0, requirements.size);
        Ok((device.create_buffer_from_hal::<Vulkan>(buffer, &desc), exported))
    }
}

/// Creates a texture in exportable memory. wgpu takes ownership of the texture's image and memory, and frees both. This
/// function describes the texture to Vulkan, to wgpu-hal and to wgpu: the three descriptions must agree.
pub fn create_texture(
    device: &wgpu::Device,
    width: u32,
    height: u32,
) -> Result<(wgpu::Texture, ExportedMemory)> {
    let desc = wgpu::TextureDescriptor {
        label: Some("shared texture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Uint,
        usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    };
    let hal_desc = wgpu::hal::TextureDescriptor {
        label: desc.label,
        size: desc.size,
        mip_level_count: desc.mip_level_count,
        sample_count: desc.sample_count,
        dimension: desc.dimension,
        format: desc.format,
        usage: wgpu::TextureUses::COPY_SRC | wgpu::TextureUses::COPY_DST,
        memory_flags: wgpu::hal::MemoryFlags::empty(),
        view_formats: Vec::new(),
    };
    // SAFETY: wgpu takes ownership of the image and its memory, and this function uses neither afterwards.
    unsafe {
        let hal = device.as_hal::<Vulkan>().expect("the device is Vulkan's");
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(FD);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UINT)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
            .push_next(&mut external);
        let image = hal.raw_device().create_image(&info, None)?;
        let requirements = hal.raw_device().get_image_memory_requirements(image);
        let dedicated = vk::MemoryDedicatedAllocateInfo::default().image(image);
        let (memory, exported) = allocate_exportable(&hal, requirements, dedicated)?;
        hal.raw_device().bind_image_memory(image, memory, 0)?;
        let texture = hal.texture_from_raw(image, &hal_desc, None, vulkan::TextureMemory::Dedicated(memory));
        // With this state, wgpu's first use moves the image out of the layout UNDEFINED.
        let state = wgpu::TextureUses::UNINITIALIZED;
        Ok((device.create_texture_from_hal::<Vulkan>(texture, &desc, state), exported))
    }
}

/// Allocates exportable device-local memory, dedicated to one buffer or image, and exports it.
///
/// # Safety
///
/// `dedicated` must name the buffer or the image that has these requirements.
unsafe fn allocate_exportable(
    hal: &vulkan::Device,
    requirements: vk::MemoryRequirements,
    mut dedicated: vk::MemoryDedicatedAllocateInfo<'_>,
) -> Result<(vk::DeviceMemory, ExportedMemory)> {
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: all handles are this device's, and this process owns the descriptor that Vulkan returns.
    unsafe {
        let types = instance.get_physical_device_memory_properties(hal.raw_physical_device());
        let allowed = |index: usize| requirements.memory_type_bits & (1 << index) != 0;
        let index = types
            .memory_types_as_slice()
            .iter()
            .enumerate()
            .position(|(i, t)| allowed(i) && t.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL))
            .ok_or_else(|| Error::Failed("no device-local memory type".to_owned()))?;
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(FD);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(index as u32)
            .push_next(&mut export)
            .push_next(&mut dedicated);
        let memory = hal.raw_device().allocate_memory(&info, None)?;
        let get = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(FD);
        let fd = khr::external_memory_fd::Device::new(instance, hal.raw_device()).get_memory_fd(&get)?;
        Ok((memory, ExportedMemory { fd: OwnedFd::from_raw_fd(fd), size: requirements.size }))
    }
}

/// A timeline semaphore that wgpu and CUDA share. wgpu's submissions wait for the semaphore and signal it.
pub struct ExportedTimeline<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    raw: vk::Semaphore,
}

impl<'a> ExportedTimeline<'a> {
    pub fn new(device: &'a wgpu::Device, queue: &'a wgpu::Queue) -> Result<(Self, OwnedFd)> {
        let fd_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(fd_type);
        let mut timeline = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut timeline);
        // SAFETY: the semaphore is this device's, and this process owns the descriptor that Vulkan returns.
        unsafe {
            let hal = device.as_hal::<Vulkan>().expect("the device is Vulkan's");
            let raw = hal.raw_device().create_semaphore(&info, None)?;
            let timeline = Self { device, queue, raw };
            let instance = hal.shared_instance().raw_instance();
            let get = vk::SemaphoreGetFdInfoKHR::default().semaphore(raw).handle_type(fd_type);
            let fd =
                khr::external_semaphore_fd::Device::new(instance, hal.raw_device()).get_semaphore_fd(&get)?;
            Ok((timeline, OwnedFd::from_raw_fd(fd)))
        }
    }

    /// Makes the next submission wait for this value, on the GPU.
    pub fn wait_in_next_submission(&self, value: u64) {
        // SAFETY: the semaphore lives as long as `self`, which outlives the submission.
        let queue = unsafe { self.queue.as_hal::<Vulkan>() }.expect("the queue is Vulkan's");
        queue.add_wait_semaphore(self.raw, Some(value), vk::PipelineStageFlags::ALL_COMMANDS);
    }

    /// Makes the next submission signal this value when it is complete.
    pub fn signal_in_next_submission(&self, value: u64) {
        // SAFETY: the semaphore lives as long as `self`, which outlives the submission.
        let queue = unsafe { self.queue.as_hal::<Vulkan>() }.expect("the queue is Vulkan's");
        queue.add_signal_semaphore(self.raw, Some(value));
    }
}

impl Drop for ExportedTimeline<'_> {
    fn drop(&mut self) {
        // SAFETY: `run_rounds` first waits for its last submission. Only an error, which ends the process, skips it.
        unsafe {
            let hal = self.device.as_hal::<Vulkan>().expect("the device is Vulkan's");
            hal.raw_device().destroy_semaphore(self.raw, None);
        }
    }
}

/// Records the release of the buffer and the texture from wgpu's queue family to CUDA.
///
/// The texture stays in the layout TRANSFER_DST_OPTIMAL, in which wgpu's last copy to the texture has left it.
pub fn release_to_cuda(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    texture: &wgpu::Texture,
) -> wgpu::CommandBuffer {
    record_transfer(device, buffer, texture, |family| (family, vk::QUEUE_FAMILY_EXTERNAL))
}

/// Records the acquisition of the buffer and the texture from CUDA. The submission must wait for CUDA's signal.
pub fn acquire_from_cuda(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    texture: &wgpu::Texture,
) -> wgpu::CommandBuffer {
    record_transfer(device, buffer, texture, |family| (vk::QUEUE_FAMILY_EXTERNAL, family))
}

/// Records an ownership transfer of the buffer and the texture. `families` gets the family of wgpu's queue, and returns
/// two families: the one that releases, and the one that acquires. The transfer has a separate encoder: wgpu 30 panics
/// if one encoder has both wgpu's commands and raw commands of Vulkan.
fn record_transfer(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    texture: &wgpu::Texture,
    families: impl FnOnce(u32) -> (u32, u32),
) -> wgpu::CommandBuffer {
    let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    // SAFETY: the handles are this device's. The texture is in TRANSFER_DST_OPTIMAL, as wgpu tracks the layout.
    unsafe {
        let hal = device.as_hal::<Vulkan>().expect("the device is Vulkan's");
        let (from, to) = families(hal.queue_family_index());
        // Vulkan ignores `dst_access_mask` in a release, and `src_access_mask` in an acquisition.
        let buffer = vk::BufferMemoryBarrier::default()
            .buffer(buffer.as_hal::<Vulkan>().expect("the buffer is Vulkan's").raw_handle())
            .size(vk::WHOLE_SIZE)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(everything)
            .dst_access_mask(everything);
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let image = vk::ImageMemoryBarrier::default()
            .image(texture.as_hal::<Vulkan>().expect("the texture is Vulkan's").raw_handle())
            .subresource_range(range)
            .old_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL)
            .new_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(everything)
            .dst_access_mask(everything);
        encoder.as_hal_mut::<Vulkan, _, _>(|encoder| {
            let commands = encoder.expect("the encoder is Vulkan's").raw_handle();
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            let flags = vk::DependencyFlags::empty();
            hal.raw_device().cmd_pipeline_barrier(commands, all, all, flags, &[], &[buffer], &[image]);
        });
    }
    encoder.finish()
}
