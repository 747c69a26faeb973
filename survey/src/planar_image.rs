//! A Vulkan image with two planes, as video decoders have them, in memory that can be exported.

use std::cell::Cell;
use std::ffi::c_uint;
use std::slice;

use ash::vk;
use cuda_external_sys::*;
use interop::bytes::pattern;
use interop::vulkan::{DedicatedTo, HANDLE_TYPE, HostBuffer, Memory, Shape, Vulkan};
use interop::{Error, Result};

use crate::gpu::map_array;

/// A format with two planes. The second has two channels, and fewer texels.
#[derive(Clone, Copy)]
pub struct PlanarFormat {
    pub vulkan: vk::Format,
    /// Bytes in a channel.
    pub channel: usize,
    /// By how much the second plane is lower. It is half as wide.
    pub rows: u32,
}

/// Eight bits, 4:2:0: NV12.
pub const NV12: PlanarFormat =
    PlanarFormat { vulkan: vk::Format::G8_B8R8_2PLANE_420_UNORM, channel: 1, rows: 2 };
/// Eight bits, 4:2:2: NV16.
pub const NV16: PlanarFormat =
    PlanarFormat { vulkan: vk::Format::G8_B8R8_2PLANE_422_UNORM, channel: 1, rows: 1 };
/// Ten bits of sixteen, 4:2:0: P010.
pub const P010: PlanarFormat =
    PlanarFormat { vulkan: vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, channel: 2, rows: 2 };
/// Sixteen bits, 4:2:0: P016.
pub const P016: PlanarFormat =
    PlanarFormat { vulkan: vk::Format::G16_B16R16_2PLANE_420_UNORM, channel: 2, rows: 2 };

impl PlanarFormat {
    /// A plane as an image of its own.
    pub fn shape(&self, extent: vk::Extent3D, plane: usize) -> Shape {
        let chroma = vk::Extent3D { width: extent.width / 2, height: extent.height / self.rows, depth: 1 };
        let extent = if plane == 0 { extent } else { chroma };
        Shape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 }
    }

    /// Bytes in a texel of a plane.
    pub fn texel(&self, plane: usize) -> usize {
        self.channel * (plane + 1)
    }
}

/// The size of every image here.
pub const EXTENT: vk::Extent3D = vk::Extent3D { width: 640, height: 360, depth: 1 };

/// Maps a plane, or all planes of one of CUDA's planar formats, as an array.
pub fn map_plane(
    imported: CUexternalMemory,
    offset: u64,
    shape: &Shape,
    (element, channels): (CUarray_format, c_uint),
    flags: c_uint,
) -> std::result::Result<CUmipmappedArray, CUresult> {
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: shape.extent.width as usize,
        Height: shape.extent.height as usize,
        Depth: 0,
        Format: element,
        NumChannels: channels,
        Flags: flags,
    };
    map_array(imported, offset, array)
}

/// What either side read of a plane.
pub fn verdict(cuda_reads: bool, vulkan_reads: bool) -> &'static str {
    match (cuda_reads, vulkan_reads) {
        (true, true) => "works",
        (false, true) => "CUDA reads other bytes",
        (true, false) => "Vulkan reads other bytes",
        (false, false) => "both read other bytes",
    }
}

#[derive(Clone, Copy, PartialEq)]
pub enum Arrangement {
    /// Each plane in an allocation of its own.
    Disjoint,
    /// Both planes in one allocation, where Vulkan puts them.
    Together,
    /// Both in one allocation, row by row, at places that Vulkan tells.
    Linear,
}

const ASPECTS: [vk::ImageAspectFlags; 2] = [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1];

pub struct PlanarImage<'v> {
    vulkan: &'v Vulkan,
    raw: vk::Image,
    /// One for each plane where the image is disjoint.
    pub memories: Vec<Memory<'v>>,
    pub format: PlanarFormat,
    pub extent: vk::Extent3D,
    external: Cell<bool>,
}

impl<'v> PlanarImage<'v> {
    pub fn new(
        vulkan: &'v Vulkan,
        format: PlanarFormat,
        extent: vk::Extent3D,
        arrangement: Arrangement,
    ) -> Result<Self> {
        let disjoint = arrangement == Arrangement::Disjoint;
        let flags = if disjoint { vk::ImageCreateFlags::DISJOINT } else { vk::ImageCreateFlags::empty() };
        let linear = arrangement == Arrangement::Linear;
        let tiling = if linear { vk::ImageTiling::LINEAR } else { vk::ImageTiling::OPTIMAL };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        check_support(vulkan, format.vulkan, tiling, usage, flags)?;
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(HANDLE_TYPE);
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(vk::ImageType::TYPE_2D)
            .format(format.vulkan)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(tiling)
            .usage(usage)
            .push_next(&mut external);
        // SAFETY: the chain outlives the call.
        let raw = unsafe { vulkan.device.create_image(&info, None) }?;
        let mut image =
            Self { vulkan, raw, memories: Vec::new(), format, extent, external: Cell::new(false) };
        if disjoint { image.bind_planes() } else { image.bind_whole() }?;
        Ok(image)
    }

    fn bind_planes(&mut self) -> Result<()> {
        for aspect in ASPECTS {
            let needs = self.plane_needs(aspect);
            // A disjoint image cannot have a dedicated allocation.
            self.memories.push(Memory::new(
                self.vulkan,
                needs.size,
                needs.memory_type_bits,
                DedicatedTo::Nothing,
            )?);
        }
        let mut planes = ASPECTS.map(|aspect| vk::BindImagePlaneMemoryInfo::default().plane_aspect(aspect));
        let binds: Vec<_> = planes
            .iter_mut()
            .zip(&self.memories)
            .map(|(plane, memory)| {
                vk::BindImageMemoryInfo::default().image(self.raw).memory(memory.raw).push_next(plane)
            })
            .collect();
        // SAFETY: each plane's memory has its size and type.
        Ok(unsafe { self.vulkan.device.bind_image_memory2(&binds) }?)
    }

    fn bind_whole(&mut self) -> Result<()> {
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        let asked = vk::ImageMemoryRequirementsInfo2::default().image(self.raw);
        // SAFETY: the chain outlives the call.
        unsafe { self.vulkan.device.get_image_memory_requirements2(&asked, &mut needs) };
        let needs = needs.memory_requirements;
        let wanted = dedicated.requires_dedicated_allocation | dedicated.prefers_dedicated_allocation;
        let purpose = if wanted == vk::TRUE { DedicatedTo::Image(self.raw) } else { DedicatedTo::Nothing };
        let memory = Memory::new(self.vulkan, needs.size, needs.memory_type_bits, purpose)?;
        // SAFETY: the memory has the image's size and type.
        unsafe { self.vulkan.device.bind_image_memory(self.raw, memory.raw, 0) }?;
        self.memories.push(memory);
        Ok(())
    }

    /// What a plane of a disjoint image needs.
    fn plane_needs(&self, aspect: vk::ImageAspectFlags) -> vk::MemoryRequirements {
        let mut plane = vk::ImagePlaneMemoryRequirementsInfo::default().plane_aspect(aspect);
        let asked = vk::ImageMemoryRequirementsInfo2::default().image(self.raw).push_next(&mut plane);
        let mut needs = vk::MemoryRequirements2::default();
        // SAFETY: the image is disjoint; the chain outlives the call.
        unsafe { self.vulkan.device.get_image_memory_requirements2(&asked, &mut needs) };
        needs.memory_requirements
    }

    /// Where the second plane of a disjoint image would begin behind the first.
    pub fn second_plane_behind_first(&self) -> u64 {
        let [first, second] = ASPECTS.map(|aspect| self.plane_needs(aspect));
        first.size.next_multiple_of(second.alignment)
    }

    /// Where a plane of a linear image lies, and how far apart its rows are.
    pub fn layout(&self, plane: usize) -> vk::SubresourceLayout {
        let subresource = vk::ImageSubresource::default().aspect_mask(ASPECTS[plane]);
        // SAFETY: the image is linear.
        unsafe { self.vulkan.device.get_image_subresource_layout(self.raw, subresource) }
    }

    /// Bytes in a plane, without gaps.
    pub fn plane_size(&self, plane: usize) -> usize {
        self.format.shape(self.extent, plane).level_texels(0) * self.format.texel(plane)
    }

    /// Bytes for both planes.
    pub fn patterns(&self) -> [Vec<u8>; 2] {
        [0, 1].map(|plane| pattern(1 + plane as u64, self.plane_size(plane)))
    }

    /// Vulkan writes both planes and releases the image to CUDA.
    pub fn write(&self, planes: &[Vec<u8>; 2]) -> Result<()> {
        let bytes = planes.concat();
        let host = HostBuffer::new(self.vulkan, bytes.len() as u64)?;
        host.write(&bytes);
        let (layout, regions) = (vk::ImageLayout::GENERAL, self.regions());
        self.vulkan.run(|commands| {
            self.begin(commands);
            // SAFETY: buffer and image live until the submission is complete.
            unsafe {
                self.vulkan.device.cmd_copy_buffer_to_image(commands, host.raw, self.raw, layout, &regions);
            }
            self.transfer(commands, layout, self.vulkan.queue().family, vk::QUEUE_FAMILY_EXTERNAL);
        })?;
        self.external.set(true);
        Ok(())
    }

    /// Vulkan acquires the image from CUDA, reads both planes and releases it again.
    pub fn read(&self) -> Result<[Vec<u8>; 2]> {
        let first = self.plane_size(0);
        let host = HostBuffer::new(self.vulkan, (first + self.plane_size(1)) as u64)?;
        let (layout, regions) = (vk::ImageLayout::GENERAL, self.regions());
        self.vulkan.run(|commands| {
            self.begin(commands);
            // SAFETY: as in `write`.
            unsafe {
                self.vulkan.device.cmd_copy_image_to_buffer(commands, self.raw, layout, host.raw, &regions);
            }
            self.vulkan.barrier(commands);
            self.transfer(commands, layout, self.vulkan.queue().family, vk::QUEUE_FAMILY_EXTERNAL);
        })?;
        let (luma, chroma) = host.bytes().split_at(first);
        Ok([luma.to_vec(), chroma.to_vec()])
    }

    fn regions(&self) -> [vk::BufferImageCopy; 2] {
        [0, 1].map(|plane| {
            let subresource =
                vk::ImageSubresourceLayers::default().aspect_mask(ASPECTS[plane]).layer_count(1);
            vk::BufferImageCopy::default()
                .buffer_offset(if plane == 0 { 0 } else { self.plane_size(0) as u64 })
                .image_subresource(subresource)
                .image_extent(self.format.shape(self.extent, plane).extent)
        })
    }

    fn begin(&self, commands: vk::CommandBuffer) {
        if self.external.get() {
            let external = vk::QUEUE_FAMILY_EXTERNAL;
            self.transfer(commands, vk::ImageLayout::GENERAL, external, self.vulkan.queue().family);
        } else {
            let ignored = vk::QUEUE_FAMILY_IGNORED;
            self.transfer(commands, vk::ImageLayout::UNDEFINED, ignored, ignored);
        }
    }

    fn transfer(&self, commands: vk::CommandBuffer, layout: vk::ImageLayout, from: u32, to: u32) {
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        // The aspect COLOR means all planes.
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let barrier = vk::ImageMemoryBarrier::default()
            .image(self.raw)
            .subresource_range(range)
            .old_layout(layout)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .src_access_mask(everything)
            .dst_access_mask(everything);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        let barriers = slice::from_ref(&barrier);
        // SAFETY: `commands` is being recorded, for the image's device.
        unsafe { self.vulkan.device.cmd_pipeline_barrier(commands, all, all, flags, &[], &[], barriers) };
    }
}

impl Drop for PlanarImage<'_> {
    fn drop(&mut self) {
        // SAFETY: no submission uses it any more. Its memory goes after it.
        unsafe { self.vulkan.device.destroy_image(self.raw, None) };
    }
}

/// Creating an image that the device does not support is undefined.
fn check_support(
    vulkan: &Vulkan,
    format: vk::Format,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Result<()> {
    let missing = |why: &str| {
        Err(Error::Missing(format!("{} cannot export {format:?} {tiling:?} {flags:?}: {why}", vulkan.name)))
    };
    let raw = &vulkan.instance.raw;
    // SAFETY: the device came from this instance, here and below.
    let features = unsafe { raw.get_physical_device_format_properties(vulkan.physical_device, format) };
    let linear = tiling == vk::ImageTiling::LINEAR;
    let features = if linear { features.linear_tiling_features } else { features.optimal_tiling_features };
    let disjoint = flags.contains(vk::ImageCreateFlags::DISJOINT);
    if disjoint && !features.contains(vk::FormatFeatureFlags::DISJOINT) {
        return missing("the format has no disjoint images");
    }
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(HANDLE_TYPE);
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(format)
        .ty(vk::ImageType::TYPE_2D)
        .tiling(tiling)
        .usage(usage)
        .flags(flags)
        .push_next(&mut external);
    let mut answer = vk::ExternalImageFormatProperties::default();
    let mut properties = vk::ImageFormatProperties2::default().push_next(&mut answer);
    // SAFETY: the chains outlive the call.
    let code = unsafe {
        raw.get_physical_device_image_format_properties2(vulkan.physical_device, &info, &mut properties)
    };
    if let Err(code) = code {
        return missing(&format!("{code:?}"));
    }
    let features = answer.external_memory_properties.external_memory_features;
    if features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
        Ok(())
    } else {
        missing("not exportable")
    }
}
