//! Converts the format, extent and usage of a Vulkan image to CUDA's array descriptor.
//!
//! CUDA's description of an image must agree with Vulkan's. CUDA does not know Vulkan's, and cannot compare the two.

use ash::vk::{self, Format as F};
use cuda_external_in_process::array_formats::array_format_channels;
use cuda_external_sys::*;

use crate::vulkan::ImageShape;
use crate::{Error, Result};

/// Returns CUDA's description of a Vulkan image, without the offset and the number of levels.
pub fn array_descriptor(
    shape: &ImageShape,
    format: vk::Format,
    usage: vk::ImageUsageFlags,
) -> Result<CUDA_ARRAY3D_DESCRIPTOR> {
    let VulkanArrayFormat { element, channels, .. } = cuda_array_format(format)?;
    let [width, height, depth] = array_extent(shape);
    Ok(CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: element,
        NumChannels: channels,
        Flags: array_flags(shape.view, usage),
    })
}

/// A Vulkan format, and CUDA's format and number of channels for the same texels.
#[derive(Clone, Copy, Debug)]
pub struct VulkanArrayFormat {
    pub vulkan: vk::Format,
    pub element: CUarray_format,
    pub channels: u32,
    /// The bytes of a texel.
    pub size: usize,
}

/// The formats with one, two and four channels of one type, in Vulkan and in CUDA.
///
/// For normalized integers, CUDA's format also names the number of channels.
type ChannelFormats = ([vk::Format; 3], [CUarray_format; 3]);

#[rustfmt::skip] // each kind of channel on one line, where it fits
const CHANNEL_KINDS: [ChannelFormats; 12] = [
    ([F::R8_UINT, F::R8G8_UINT, F::R8G8B8A8_UINT], [CU_AD_FORMAT_UNSIGNED_INT8; 3]),
    ([F::R8_SINT, F::R8G8_SINT, F::R8G8B8A8_SINT], [CU_AD_FORMAT_SIGNED_INT8; 3]),
    ([F::R8_UNORM, F::R8G8_UNORM, F::R8G8B8A8_UNORM],
        [CU_AD_FORMAT_UNORM_INT8X1, CU_AD_FORMAT_UNORM_INT8X2, CU_AD_FORMAT_UNORM_INT8X4]),
    ([F::R8_SNORM, F::R8G8_SNORM, F::R8G8B8A8_SNORM],
        [CU_AD_FORMAT_SNORM_INT8X1, CU_AD_FORMAT_SNORM_INT8X2, CU_AD_FORMAT_SNORM_INT8X4]),
    ([F::R16_UINT, F::R16G16_UINT, F::R16G16B16A16_UINT], [CU_AD_FORMAT_UNSIGNED_INT16; 3]),
    ([F::R16_SINT, F::R16G16_SINT, F::R16G16B16A16_SINT], [CU_AD_FORMAT_SIGNED_INT16; 3]),
    ([F::R16_UNORM, F::R16G16_UNORM, F::R16G16B16A16_UNORM],
        [CU_AD_FORMAT_UNORM_INT16X1, CU_AD_FORMAT_UNORM_INT16X2, CU_AD_FORMAT_UNORM_INT16X4]),
    ([F::R16_SNORM, F::R16G16_SNORM, F::R16G16B16A16_SNORM],
        [CU_AD_FORMAT_SNORM_INT16X1, CU_AD_FORMAT_SNORM_INT16X2, CU_AD_FORMAT_SNORM_INT16X4]),
    ([F::R16_SFLOAT, F::R16G16_SFLOAT, F::R16G16B16A16_SFLOAT], [CU_AD_FORMAT_HALF; 3]),
    ([F::R32_UINT, F::R32G32_UINT, F::R32G32B32A32_UINT], [CU_AD_FORMAT_UNSIGNED_INT32; 3]),
    ([F::R32_SINT, F::R32G32_SINT, F::R32G32B32A32_SINT], [CU_AD_FORMAT_SIGNED_INT32; 3]),
    ([F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32A32_SFLOAT], [CU_AD_FORMAT_FLOAT; 3]),
];

pub fn all_array_formats() -> impl Iterator<Item = VulkanArrayFormat> {
    CHANNEL_KINDS.into_iter().flat_map(|(formats, elements)| {
        [(0, 1), (1, 2), (2, 4)].map(|(at, channels)| {
            let channel = array_format_channels(elements[at]).map_or(0, |element| element.channel);
            VulkanArrayFormat {
                vulkan: formats[at],
                element: elements[at],
                channels,
                size: channels as usize * channel,
            }
        })
    })
}

/// Returns CUDA's format for a Vulkan format, or an error if `CHANNEL_KINDS` lacks the Vulkan format.
pub fn cuda_array_format(format: vk::Format) -> Result<VulkanArrayFormat> {
    let found = all_array_formats().find(|known| known.vulkan == format);
    found.ok_or_else(|| Error::Failed(format!("CUDA has no element for {format:?}")))
}

/// Returns CUDA's width, height and depth of an image. A dimension that the image lacks is 0. For an image array, a
/// cube or a cube array, the depth is the number of layers.
fn array_extent(shape: &ImageShape) -> [usize; 3] {
    let vk::Extent3D { width, height, depth } = shape.extent;
    let [height, depth] = match shape.view {
        vk::ImageViewType::TYPE_1D => [0, 0],
        vk::ImageViewType::TYPE_1D_ARRAY => [0, shape.layers],
        vk::ImageViewType::TYPE_2D => [height, 0],
        vk::ImageViewType::TYPE_3D => [height, depth],
        _ => [height, shape.layers],
    };
    [width as usize, height as usize, depth as usize]
}

fn array_flags(view: vk::ImageViewType, usage: vk::ImageUsageFlags) -> u32 {
    let mut flags = match view {
        vk::ImageViewType::TYPE_1D_ARRAY | vk::ImageViewType::TYPE_2D_ARRAY => CUDA_ARRAY3D_LAYERED,
        vk::ImageViewType::CUBE => CUDA_ARRAY3D_CUBEMAP,
        vk::ImageViewType::CUBE_ARRAY => CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED,
        _ => 0,
    };
    if usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT) {
        flags |= CUDA_ARRAY3D_COLOR_ATTACHMENT;
    }
    if usage.contains(vk::ImageUsageFlags::STORAGE) {
        flags |= CUDA_ARRAY3D_SURFACE_LDST;
    }
    flags
}
