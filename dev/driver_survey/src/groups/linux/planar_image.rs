//! A Vulkan image with two planes, as video decoders have them, in memory that can be exported.

use std::ffi::c_uint;

use ash::vk;
use cuda_external_sys::*;
use example_support::bytes::pattern;
use example_support::cuda::map_mipmapped_array;
use example_support::vulkan::{
    DedicatedTo, HANDLE_TYPE, Image, Memory, Part, Shape, Vulkan, create_image, image_needs,
};
use example_support::{Error, Result};

use super::shared::{Rows, array_2d};
use crate::case::answer;

/// A format with two planes. The second has two channels, and fewer texels.
#[derive(Clone, Copy)]
pub struct PlanarFormat {
    pub vulkan: vk::Format,
    /// Bytes in a channel.
    pub channel: usize,
    /// The first plane's height divided by the second one's. The second one is half as wide.
    pub rows: u32,
}

/// Eight bits, 4:2:0.
pub const NV12: PlanarFormat = planar(vk::Format::G8_B8R8_2PLANE_420_UNORM, 1, 2);
/// Eight bits, 4:2:2.
pub const NV16: PlanarFormat = planar(vk::Format::G8_B8R8_2PLANE_422_UNORM, 1, 1);
/// Ten bits of sixteen, 4:2:0.
pub const P010: PlanarFormat = planar(vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 2, 2);
/// Sixteen bits, 4:2:0.
pub const P016: PlanarFormat = planar(vk::Format::G16_B16R16_2PLANE_420_UNORM, 2, 2);

const fn planar(vulkan: vk::Format, channel: usize, rows: u32) -> PlanarFormat {
    PlanarFormat { vulkan, channel, rows }
}

impl PlanarFormat {
    /// A plane as an image of its own.
    pub fn shape(&self, plane: usize) -> Shape {
        let chroma = vk::Extent3D { width: EXTENT.width / 2, height: EXTENT.height / self.rows, depth: 1 };
        let extent = if plane == 0 { EXTENT } else { chroma };
        Shape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 }
    }

    /// Bytes in a texel of a plane.
    pub fn texel(&self, plane: usize) -> usize {
        self.channel * (plane + 1)
    }

    /// Bytes in a plane.
    fn size(&self, plane: usize) -> usize {
        self.shape(plane).level_texels(0) * self.texel(plane)
    }
}

/// The size of every image here.
const EXTENT: vk::Extent3D = vk::Extent3D { width: 640, height: 360, depth: 1 };

/// Maps a plane, or all planes of a planar format, as an array.
pub fn map_plane(
    imported: CUexternalMemory,
    offset: u64,
    shape: &Shape,
    element: (CUarray_format, c_uint),
    flags: c_uint,
) -> std::result::Result<CUmipmappedArray, CUresult> {
    let array = array_2d(shape.extent.width as usize, shape.extent.height as usize, element);
    unsafe { map_mipmapped_array(imported, offset, CUDA_ARRAY3D_DESCRIPTOR { Flags: flags, ..array }, 1) }
}

/// Returns the answer for a plane, by whether each side read what the other one wrote.
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
    /// Both in one allocation with linear tiling, at offsets that Vulkan reports.
    Linear,
}

const ASPECTS: [vk::ImageAspectFlags; 2] = [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1];

pub struct PlanarImage<'v> {
    vulkan: &'v Vulkan,
    pub image: Image<'v>,
    /// The second plane's memory, where the image is disjoint. The first one's is the image's.
    pub second_memory: Option<Memory<'v>>,
    pub format: PlanarFormat,
}

impl<'v> PlanarImage<'v> {
    pub fn new(vulkan: &'v Vulkan, format: PlanarFormat, arrangement: Arrangement) -> Result<Self> {
        let disjoint = arrangement == Arrangement::Disjoint;
        if disjoint && !has_disjoint_images(vulkan, format.vulkan) {
            return Err(Error::Missing(format!("{} has no disjoint {:?}", vulkan.name, format.vulkan)));
        }
        let flags = if disjoint { vk::ImageCreateFlags::DISJOINT } else { vk::ImageCreateFlags::empty() };
        let linear = arrangement == Arrangement::Linear;
        let tiling = if linear { vk::ImageTiling::LINEAR } else { vk::ImageTiling::OPTIMAL };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let shape = format.shape(0);
        let raw = create_image(vulkan, &shape, format.vulkan, tiling, usage, flags)?;
        let (memory, second_memory) =
            if disjoint { bind_planes(vulkan, raw)? } else { (bind_whole(vulkan, raw)?, None) };
        let part = |plane: usize| {
            let layers = vk::ImageSubresourceLayers::default().layer_count(1);
            let subresource = layers.aspect_mask(ASPECTS[plane]);
            Part { subresource, extent: format.shape(plane).extent, size: format.size(plane) }
        };
        // The aspect COLOR means all planes.
        let (aspect, parts) = (vk::ImageAspectFlags::COLOR, vec![part(0), part(1)]);
        let image = unsafe { Image::with_parts(vulkan, raw, (memory, 0), shape, aspect, parts) };
        Ok(Self { vulkan, image, second_memory, format })
    }

    /// The offset at which the second plane of a disjoint image would begin behind the first.
    pub fn second_plane_behind_first(&self) -> u64 {
        let [first, second] = ASPECTS.map(|aspect| plane_needs(self.vulkan, self.image.raw, aspect));
        first.size.next_multiple_of(second.alignment)
    }

    /// The offset of a plane of a linear image, and the distance between its rows.
    pub fn layout(&self, plane: usize) -> vk::SubresourceLayout {
        let subresource = vk::ImageSubresource::default().aspect_mask(ASPECTS[plane]);
        unsafe { self.vulkan.device.get_image_subresource_layout(self.image.raw, subresource) }
    }

    /// Vulkan writes both planes, CUDA reads one plane and writes it, and Vulkan reads both. `copies` gets the bytes
    /// to write; it returns the bytes that it read, or nothing if the case already has its answer.
    pub fn exchange(
        &self,
        plane: usize,
        copies: impl FnOnce(&[u8]) -> Result<Option<Vec<u8>>>,
    ) -> Result<()> {
        let sent = [pattern(1, self.format.size(0)), pattern(2, self.format.size(1))];
        self.image.write(&sent)?;
        // The other plane must be as it was.
        let mut expected = sent.clone();
        expected[plane] = pattern(3, self.format.size(plane));
        if let Some(seen) = copies(&expected[plane])? {
            answer(verdict(seen == sent[plane], self.image.read()? == expected));
        }
        Ok(())
    }

    /// Reads the rows of a plane, then writes them.
    pub fn copy_rows(
        &self,
        plane: usize,
        rows: Rows,
        bytes: &[u8],
    ) -> std::result::Result<Vec<u8>, CUresult> {
        let row = self.format.shape(plane).extent.width as usize * self.format.texel(plane);
        let seen = rows.read(row, bytes.len())?;
        rows.write(row, bytes)?;
        Ok(seen)
    }
}

/// Binds each plane of a disjoint image to its own memory.
fn bind_planes(vulkan: &Vulkan, image: vk::Image) -> Result<(Memory<'_>, Option<Memory<'_>>)> {
    let memory = |aspect| {
        let needs = plane_needs(vulkan, image, aspect);
        // A disjoint image cannot have a dedicated allocation.
        Memory::new(vulkan, needs.size, needs.memory_type_bits, DedicatedTo::Nothing, HANDLE_TYPE)
    };
    let memories = [memory(ASPECTS[0])?, memory(ASPECTS[1])?];
    let mut planes = ASPECTS.map(|aspect| vk::BindImagePlaneMemoryInfo::default().plane_aspect(aspect));
    let bind = |(plane, memory): (_, &Memory)| {
        vk::BindImageMemoryInfo::default().image(image).memory(memory.raw).push_next(plane)
    };
    let binds = Vec::from_iter(planes.iter_mut().zip(&memories).map(bind));
    unsafe { vulkan.device.bind_image_memory2(&binds) }?;
    let [first, second] = memories;
    Ok((first, Some(second)))
}

fn bind_whole(vulkan: &Vulkan, image: vk::Image) -> Result<Memory<'_>> {
    let (needs, prefers_dedicated) = unsafe { image_needs(vulkan, image) };
    let purpose = if prefers_dedicated { DedicatedTo::Image(image) } else { DedicatedTo::Nothing };
    let memory = Memory::new(vulkan, needs.size, needs.memory_type_bits, purpose, HANDLE_TYPE)?;
    unsafe { vulkan.device.bind_image_memory(image, memory.raw, 0) }?;
    Ok(memory)
}

/// The memory requirements of a plane of a disjoint image.
fn plane_needs(vulkan: &Vulkan, image: vk::Image, aspect: vk::ImageAspectFlags) -> vk::MemoryRequirements {
    let mut plane = vk::ImagePlaneMemoryRequirementsInfo::default().plane_aspect(aspect);
    let asked = vk::ImageMemoryRequirementsInfo2::default().image(image).push_next(&mut plane);
    let mut needs = vk::MemoryRequirements2::default();
    unsafe { vulkan.device.get_image_memory_requirements2(&asked, &mut needs) };
    needs.memory_requirements
}

fn has_disjoint_images(vulkan: &Vulkan, format: vk::Format) -> bool {
    let raw = &vulkan.instance.raw;
    let features = unsafe { raw.get_physical_device_format_properties(vulkan.physical_device, format) };
    features.optimal_tiling_features.contains(vk::FormatFeatureFlags::DISJOINT)
}
