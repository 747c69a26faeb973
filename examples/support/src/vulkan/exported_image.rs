//! Images with mip levels, in memory that can be exported.

use std::cell::Cell;

use ash::vk;

use super::logical_device::ALL_COMMANDS_AND_ACCESSES;
use super::{DedicatedTo, HANDLE_TYPE, HostBuffer, ImageShape, Vulkan, VulkanMemory};
use crate::array_descriptors::cuda_array_format;
use crate::{Error, Result};

pub struct ExportableImage<'v> {
    pub(super) vulkan: &'v Vulkan,
    pub raw: vk::Image,
    pub memory: VulkanMemory<'v>,
    pub offset: u64,
    pub shape: ImageShape,
    texel_size: usize,
    external: Cell<bool>,
}

impl<'v> ExportableImage<'v> {
    /// Creates an image and allocates its memory. `margin` is the minimum number of unused bytes before the image, and
    /// after it. The allocation is dedicated if Vulkan prefers that and `margin` is 0.
    pub fn new(
        vulkan: &'v Vulkan,
        shape: ImageShape,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        margin: u64,
    ) -> Result<Self> {
        let texel_size = cuda_array_format(format)?.size;
        let raw = create_image(vulkan, &shape, format, usage)?;
        let mut wants = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut wants);
        let of_image = vk::ImageMemoryRequirementsInfo2::default().image(raw);
        // SAFETY: `raw` is an image of this device, and the structs outlive the call.
        unsafe { vulkan.device.get_image_memory_requirements2(&of_image, &mut needs) };
        let needs = needs.memory_requirements;
        let offset = margin.next_multiple_of(needs.alignment);
        let size = offset + needs.size + margin;
        let is_alone = wants.prefers_dedicated_allocation == vk::TRUE && margin == 0; // or requires it
        let dedicated_to = if is_alone { DedicatedTo::Image(raw) } else { DedicatedTo::Nothing };
        // SAFETY: image and memory are this device's, and the memory has room for the image at `offset`.
        let bind =
            |memory: &VulkanMemory| unsafe { vulkan.device.bind_image_memory(raw, memory.raw, offset) };
        let memory = VulkanMemory::new(vulkan, size, needs.memory_type_bits, dedicated_to, HANDLE_TYPE)
            .and_then(|memory| Ok(bind(&memory).map(|()| memory)?))
            .inspect_err(|_| unsafe { vulkan.device.destroy_image(raw, None) })?;
        let external = Cell::new(false);
        Ok(Self { vulkan, raw, memory, offset, shape, texel_size, external })
    }

    /// Returns the number of bytes that a level has in all its layers.
    pub fn level_size(&self, level: u32) -> usize {
        self.shape.level_texels(level) * self.texel_size
    }

    /// Changes a new image's layout from UNDEFINED to GENERAL, and releases the image to CUDA. Call this function
    /// before CUDA writes the image: a later transition from UNDEFINED may discard what CUDA wrote.
    pub fn release_new_image(&self) -> Result<()> {
        self.vulkan.submit_and_wait(|commands| {
            self.acquire_or_initialize(commands);
            self.release_to_cuda(commands);
        })
    }

    /// Writes every level, and releases the image to CUDA.
    pub fn write(&self, levels: &[Vec<u8>]) -> Result<()> {
        let (regions, size) = self.level_regions();
        let mut bytes = vec![0; size];
        for (region, level) in regions.iter().zip(levels) {
            bytes[region.buffer_offset as usize..][..level.len()].copy_from_slice(level);
        }
        let host = HostBuffer::new(self.vulkan, size as u64)?;
        host.write(&bytes);
        let layout = vk::ImageLayout::GENERAL;
        self.vulkan.submit_and_wait(|commands| {
            self.acquire_or_initialize(commands);
            // SAFETY: buffer and image live until the submission is done.
            unsafe {
                self.vulkan.device.cmd_copy_buffer_to_image(commands, host.raw, self.raw, layout, &regions);
            }
            self.release_to_cuda(commands);
        })
    }

    /// Acquires the image from CUDA, reads every level, and releases the image to CUDA.
    pub fn read(&self) -> Result<Vec<Vec<u8>>> {
        let (regions, size) = self.level_regions();
        let host = HostBuffer::new(self.vulkan, size as u64)?;
        let layout = vk::ImageLayout::GENERAL;
        self.vulkan.submit_and_wait(|commands| {
            self.acquire_or_initialize(commands);
            // SAFETY: buffer and image live until the submission is done.
            unsafe {
                self.vulkan.device.cmd_copy_image_to_buffer(commands, self.raw, layout, host.raw, &regions);
            }
            self.vulkan.memory_barrier(commands);
            self.release_to_cuda(commands);
        })?;
        let level = |(level, region): (u32, &vk::BufferImageCopy)| {
            host.bytes()[region.buffer_offset as usize..][..self.level_size(level)].to_vec()
        };
        Ok((0..).zip(&regions).map(level).collect())
    }

    /// Records a copy of level 0 into `to` at `offset`, for the CPU to read. Vulkan must own the image.
    pub fn record_copy(&self, commands: vk::CommandBuffer, to: &HostBuffer, offset: u64) {
        let (regions, _) = self.level_regions();
        let region = regions[0].buffer_offset(offset);
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: the caller keeps the image and `to` until the submission is done.
        unsafe { self.vulkan.device.cmd_copy_image_to_buffer(commands, self.raw, layout, to.raw, &[region]) };
        self.vulkan.memory_barrier(commands);
    }

    /// Returns a copy region for each level, with all its layers, and the size of a buffer that holds all levels.
    fn level_regions(&self) -> (Vec<vk::BufferImageCopy>, usize) {
        let mut end = 0_usize;
        let region = |level| {
            let subresource = vk::ImageSubresourceLayers::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .mip_level(level)
                .layer_count(self.shape.layers);
            let region = vk::BufferImageCopy::default()
                .buffer_offset(end as u64)
                .image_subresource(subresource)
                .image_extent(self.shape.level_extent(level));
            // Vulkan requires a `buffer_offset` that is a multiple of the texel's size, which is 16 bytes at most.
            end = (end + self.level_size(level)).next_multiple_of(16);
            region
        };
        ((0..self.shape.levels).map(region).collect(), end)
    }

    /// Records an acquisition if CUDA owns the image, or else a layout transition that discards the texels.
    pub fn acquire_or_initialize(&self, commands: vk::CommandBuffer) {
        if self.external.replace(false) {
            let general = vk::ImageLayout::GENERAL;
            self.record_transfer(
                commands,
                general,
                vk::QUEUE_FAMILY_EXTERNAL,
                self.vulkan.first_queue().family,
            );
        } else {
            let (ignored, undefined) = (vk::QUEUE_FAMILY_IGNORED, vk::ImageLayout::UNDEFINED);
            self.record_transfer(commands, undefined, ignored, ignored);
        }
    }

    /// Records the release of the image to CUDA, in the layout GENERAL.
    pub fn release_to_cuda(&self, commands: vk::CommandBuffer) {
        self.external.set(true);
        let general = vk::ImageLayout::GENERAL;
        self.record_transfer(commands, general, self.vulkan.first_queue().family, vk::QUEUE_FAMILY_EXTERNAL);
    }

    fn record_transfer(&self, commands: vk::CommandBuffer, from_layout: vk::ImageLayout, from: u32, to: u32) {
        let (stage, access) = ALL_COMMANDS_AND_ACCESSES;
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(self.shape.levels)
            .layer_count(self.shape.layers);
        let barrier = vk::ImageMemoryBarrier::default()
            .image(self.raw)
            .subresource_range(range)
            .old_layout(from_layout)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(access)
            .dst_access_mask(access);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: `commands` is being recorded, and belongs to the image's device.
        unsafe {
            self.vulkan.device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[], &[barrier])
        };
    }
}

impl Drop for ExportableImage<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses the image any more. The memory is freed after the image.
        unsafe { self.vulkan.device.destroy_image(self.raw, None) };
    }
}

fn create_image(
    vulkan: &Vulkan,
    shape: &ImageShape,
    format: vk::Format,
    usage: vk::ImageUsageFlags,
) -> Result<vk::Image> {
    let cube = vk::ImageCreateFlags::CUBE_COMPATIBLE;
    let flags = if shape.is_cube() { cube } else { vk::ImageCreateFlags::empty() };
    let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(HANDLE_TYPE);
    let info = vk::ImageCreateInfo::default()
        .flags(flags)
        .image_type(shape.image_type())
        .format(format)
        .extent(shape.extent)
        .mip_levels(shape.levels)
        .array_layers(shape.layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(usage)
        .push_next(&mut external);
    require_exportable(vulkan, &info)?;
    // SAFETY: the chain outlives the call.
    Ok(unsafe { vulkan.device.create_image(&info, None) }?)
}

/// Returns an error if the device does not support the image that `image` describes, or does not export its memory.
pub fn require_exportable(vulkan: &Vulkan, image: &vk::ImageCreateInfo) -> Result<()> {
    let missing = |why: &str| {
        let (name, format, usage) = (&vulkan.name, image.format, image.usage);
        Error::Missing(format!("{name} cannot export {format:?} {usage:?}: {why}"))
    };
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(HANDLE_TYPE);
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(image.format)
        .ty(image.image_type)
        .tiling(image.tiling)
        .usage(image.usage)
        .flags(image.flags)
        .push_next(&mut external);
    let mut answer = vk::ExternalImageFormatProperties::default();
    let mut properties = vk::ImageFormatProperties2::default().push_next(&mut answer);
    let raw = &vulkan.instance.raw;
    // SAFETY: the chains outlive the call.
    unsafe {
        raw.get_physical_device_image_format_properties2(vulkan.physical_device, &info, &mut properties)
    }
    .map_err(|code| missing(&format!("{code:?}")))?;
    let limits = properties.image_format_properties;
    if image.mip_levels > limits.max_mip_levels || image.array_layers > limits.max_array_layers {
        return Err(missing("too many levels or layers"));
    }
    let features = answer.external_memory_properties.external_memory_features;
    if features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
        Ok(())
    } else {
        Err(missing("not exportable"))
    }
}
