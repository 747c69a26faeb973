//! Images of every shape that can be exported, with all their mip levels.

use std::cell::Cell;

use ash::vk;

use super::{DedicatedTo, HANDLE_TYPE, HostBuffer, Memory, Vulkan};
use crate::{Error, Result, formats};

/// An image's dimensions, as Vulkan has them.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The type of a view of the whole image.
    pub view: vk::ImageViewType,
    /// The extent of level 0.
    pub extent: vk::Extent3D,
    /// The number of array layers: six for each cube.
    pub layers: u32,
    /// The number of mip levels.
    pub levels: u32,
}

impl Shape {
    /// Returns a level's extent.
    pub fn level_extent(&self, level: u32) -> vk::Extent3D {
        let halved = |length: u32| (length >> level).max(1);
        let vk::Extent3D { width, height, depth } = self.extent;
        vk::Extent3D { width: halved(width), height: halved(height), depth: halved(depth) }
    }

    /// Returns the number of texels that a level has in all its layers.
    pub fn level_texels(&self, level: u32) -> usize {
        let vk::Extent3D { width, height, depth } = self.level_extent(level);
        width as usize * height as usize * depth as usize * self.layers as usize
    }

    fn image_type(&self) -> vk::ImageType {
        match self.view {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            vk::ImageViewType::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        }
    }

    fn is_cube(&self) -> bool {
        matches!(self.view, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY)
    }
}

/// Where an image lies.
#[derive(Clone, Copy)]
pub enum Placement {
    /// In memory of its own, dedicated if Vulkan prefers that.
    OwnMemory,
    /// In memory that is not dedicated, at an offset.
    AtOffset {
        /// At least so many bytes lie before the image.
        before: u64,
        /// So many bytes lie behind it.
        behind: u64,
    },
}

/// An image with optimal tiling, in memory that can be exported.
pub struct Image<'v> {
    pub(super) vulkan: &'v Vulkan,
    /// Vulkan's handle.
    pub raw: vk::Image,
    /// The memory that it is bound to.
    pub memory: Memory<'v>,
    /// Its offset in the memory.
    pub offset: u64,
    /// Its dimensions.
    pub shape: Shape,
    pub(super) texel_size: usize,
    pub(super) aspect: vk::ImageAspectFlags,
    pub(super) external: Cell<bool>,
}

impl<'v> Image<'v> {
    /// Creates an image, and allocates and binds its memory.
    pub fn new(
        vulkan: &'v Vulkan,
        shape: Shape,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        placement: Placement,
    ) -> Result<Self> {
        let (element, channels) = formats::array_format(format)
            .ok_or_else(|| Error::Failed(format!("CUDA has no element for {format:?}")))?;
        let texel_size = formats::texel_size(element, channels);
        Self::with_texel_size(vulkan, shape, format, texel_size, usage, placement)
    }

    /// As [`Image::new`], for a format that CUDA has no element for, with the size of its texels.
    pub fn with_texel_size(
        vulkan: &'v Vulkan,
        shape: Shape,
        format: vk::Format,
        texel_size: usize,
        usage: vk::ImageUsageFlags,
        placement: Placement,
    ) -> Result<Self> {
        let cube = vk::ImageCreateFlags::CUBE_COMPATIBLE;
        let flags = if shape.is_cube() { cube } else { vk::ImageCreateFlags::empty() };
        check_support(vulkan, &shape, format, usage, flags)?;

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
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        // SAFETY: the chains outlive the calls; the image was just made.
        let raw = unsafe {
            let raw = vulkan.device.create_image(&info, None)?;
            let asked = vk::ImageMemoryRequirementsInfo2::default().image(raw);
            vulkan.device.get_image_memory_requirements2(&asked, &mut needs);
            raw
        };
        let needs = needs.memory_requirements;
        let wanted = dedicated.requires_dedicated_allocation | dedicated.prefers_dedicated_allocation;
        let (dedicated_to, offset, size) = match placement {
            Placement::OwnMemory if wanted == vk::TRUE => (DedicatedTo::Image(raw), 0, needs.size),
            Placement::OwnMemory => (DedicatedTo::Nothing, 0, needs.size),
            Placement::AtOffset { before, behind } => {
                let offset = before.next_multiple_of(needs.alignment);
                (DedicatedTo::Nothing, offset, offset + needs.size + behind)
            }
        };
        let memory = Memory::new(vulkan, size, needs.memory_type_bits, dedicated_to)?;
        // SAFETY: both are this device's, and the memory reaches beyond the image's end.
        unsafe { vulkan.device.bind_image_memory(raw, memory.raw, offset) }?;
        let aspect = match format {
            vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
            _ => vk::ImageAspectFlags::COLOR,
        };
        Ok(Self { vulkan, raw, memory, offset, shape, texel_size, aspect, external: Cell::new(false) })
    }

    /// Returns the number of bytes that a level has in all its layers.
    pub fn level_size(&self, level: u32) -> usize {
        self.shape.level_texels(level) * self.texel_size
    }

    /// Gives a new image to CUDA before anything is written. A new image is in the layout UNDEFINED, in
    /// which its texels have no defined place: Vulkan must move it to another one before CUDA writes.
    pub fn release_empty(&self) -> Result<()> {
        self.vulkan.run(|commands| {
            self.begin(commands);
            self.release(commands);
        })
    }

    /// Vulkan writes every level and gives the image to CUDA.
    pub fn write(&self, levels: &[Vec<u8>]) -> Result<()> {
        let (regions, size) = self.regions();
        let mut bytes = vec![0; size];
        for (region, level) in regions.iter().zip(levels) {
            bytes[region.buffer_offset as usize..][..level.len()].copy_from_slice(level);
        }
        let host = HostBuffer::new(self.vulkan, size as u64)?;
        host.write(&bytes);
        let layout = vk::ImageLayout::GENERAL;
        self.vulkan.run(|commands| {
            self.begin(commands);
            // SAFETY: buffer and image live until the submission is done.
            unsafe {
                self.vulkan.device.cmd_copy_buffer_to_image(commands, host.raw, self.raw, layout, &regions);
            }
            self.release(commands);
        })
    }

    /// Vulkan takes the image from CUDA, reads every level, and gives it back.
    pub fn read(&self) -> Result<Vec<Vec<u8>>> {
        let (regions, size) = self.regions();
        let host = HostBuffer::new(self.vulkan, size as u64)?;
        let layout = vk::ImageLayout::GENERAL;
        self.vulkan.run(|commands| {
            self.begin(commands);
            // SAFETY: as in `write`.
            unsafe {
                self.vulkan.device.cmd_copy_image_to_buffer(commands, self.raw, layout, host.raw, &regions);
            }
            self.vulkan.barrier(commands);
            self.release(commands);
        })?;
        let level = |(level, region): (usize, &vk::BufferImageCopy)| {
            host.bytes()[region.buffer_offset as usize..][..self.level_size(level as u32)].to_vec()
        };
        Ok(regions.iter().enumerate().map(level).collect())
    }

    /// Every level, one after the other, where a buffer holds them, and that buffer's size.
    fn regions(&self) -> (Vec<vk::BufferImageCopy>, usize) {
        let mut end = 0_usize;
        let mut regions = Vec::new();
        for level in 0..self.shape.levels {
            let subresource = vk::ImageSubresourceLayers::default()
                .aspect_mask(self.aspect)
                .mip_level(level)
                .layer_count(self.shape.layers);
            regions.push(
                vk::BufferImageCopy::default()
                    .buffer_offset(end as u64)
                    .image_subresource(subresource)
                    .image_extent(self.shape.level_extent(level)),
            );
            // A multiple of every texel's size.
            end = (end + self.level_size(level)).next_multiple_of(16);
        }
        (regions, end)
    }

    /// Vulkan may use the image from here on, in the layout GENERAL: taken back from CUDA, or, the
    /// first time, out of the layout UNDEFINED.
    pub fn begin(&self, commands: vk::CommandBuffer) {
        if self.external.replace(false) {
            let general = vk::ImageLayout::GENERAL;
            self.transfer(commands, general, vk::QUEUE_FAMILY_EXTERNAL, self.vulkan.queue().family);
        } else {
            let (ignored, undefined) = (vk::QUEUE_FAMILY_IGNORED, vk::ImageLayout::UNDEFINED);
            self.transfer(commands, undefined, ignored, ignored);
        }
    }

    /// Gives the image to CUDA, in the layout GENERAL.
    pub fn release(&self, commands: vk::CommandBuffer) {
        self.external.set(true);
        let general = vk::ImageLayout::GENERAL;
        self.transfer(commands, general, self.vulkan.queue().family, vk::QUEUE_FAMILY_EXTERNAL);
    }

    fn transfer(&self, commands: vk::CommandBuffer, from_layout: vk::ImageLayout, from: u32, to: u32) {
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let none = vk::AccessFlags::empty();
        let releasing = to == vk::QUEUE_FAMILY_EXTERNAL;
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect)
            .level_count(self.shape.levels)
            .layer_count(self.shape.layers);
        let barrier = vk::ImageMemoryBarrier::default()
            .image(self.raw)
            .subresource_range(range)
            .old_layout(from_layout)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(if releasing { everything } else { none })
            .dst_access_mask(if releasing { none } else { everything });
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: `commands` is being recorded, for the device that the image is of.
        unsafe { self.vulkan.device.cmd_pipeline_barrier(commands, all, all, flags, &[], &[], &[barrier]) };
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses it any more. Its memory goes after it.
        unsafe { self.vulkan.device.destroy_image(self.raw, None) };
    }
}

/// Asks before creating: creating an image that the device does not support is undefined.
fn check_support(
    vulkan: &Vulkan,
    shape: &Shape,
    format: vk::Format,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Result<()> {
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(HANDLE_TYPE);
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(format)
        .ty(shape.image_type())
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(usage)
        .flags(flags)
        .push_next(&mut external);
    let mut answer = vk::ExternalImageFormatProperties::default();
    let mut properties = vk::ImageFormatProperties2::default().push_next(&mut answer);
    let raw = &vulkan.instance.raw;
    let missing = |why: &str| {
        Error::Missing(format!(
            "{} cannot export {format:?} {usage:?} as {:?}: {why}",
            vulkan.name, shape.view
        ))
    };
    // SAFETY: the chains outlive the call.
    unsafe {
        raw.get_physical_device_image_format_properties2(vulkan.physical_device, &info, &mut properties)
    }
    .map_err(|code| missing(&format!("{code:?}")))?;
    let limits = properties.image_format_properties;
    if shape.levels > limits.max_mip_levels || shape.layers > limits.max_array_layers {
        return Err(missing("too many levels or layers"));
    }
    let features = answer.external_memory_properties.external_memory_features;
    if !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
        return Err(missing("not exportable"));
    }
    Ok(())
}
