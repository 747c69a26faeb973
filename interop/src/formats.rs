//! Vulkan's format, extent and usage of an image as CUDA's array descriptor.
//!
//! Pure functions, to copy from. CUDA's description of an image must agree with Vulkan's: the driver computes from it
//! where each texel lies, and cannot check it.

use ash::vk;
use cuda_external_sys::*;

/// Returns what `cuExternalMemoryGetMappedMipmappedArray` must know of the image, except for its offset in
/// the memory and its number of mip levels, which are Vulkan's own numbers; `None` where CUDA has no such
/// element.
pub fn array_descriptor(
    format: vk::Format,
    extent: vk::Extent3D,
    layers: u32,
    view: vk::ImageViewType,
    usage: vk::ImageUsageFlags,
    surface: bool,
) -> Option<CUDA_ARRAY3D_DESCRIPTOR> {
    let (element, channels) = array_format(format)?;
    let [width, height, depth] = array_extent(extent, layers, view);
    Some(CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: element,
        NumChannels: channels,
        Flags: array_flags(view, usage, surface),
    })
}

/// Every format that CUDA has an element for, with the number of the `DXGI_FORMAT` that has the same texels, CUDA's element
/// and its channel count.
///
/// The normalized formats have elements of their own, whose channel count is in the name. The
/// texels are the same bits as in the plain integer format of that size.
pub const FORMATS: [(vk::Format, i32, CUarray_format, u32); 36] = [
    (vk::Format::R8_UINT, 62, CU_AD_FORMAT_UNSIGNED_INT8, 1),
    (vk::Format::R8G8_UINT, 50, CU_AD_FORMAT_UNSIGNED_INT8, 2),
    (vk::Format::R8G8B8A8_UINT, 30, CU_AD_FORMAT_UNSIGNED_INT8, 4),
    (vk::Format::R8_SINT, 64, CU_AD_FORMAT_SIGNED_INT8, 1),
    (vk::Format::R8G8_SINT, 52, CU_AD_FORMAT_SIGNED_INT8, 2),
    (vk::Format::R8G8B8A8_SINT, 32, CU_AD_FORMAT_SIGNED_INT8, 4),
    (vk::Format::R8_UNORM, 61, CU_AD_FORMAT_UNORM_INT8X1, 1),
    (vk::Format::R8G8_UNORM, 49, CU_AD_FORMAT_UNORM_INT8X2, 2),
    (vk::Format::R8G8B8A8_UNORM, 28, CU_AD_FORMAT_UNORM_INT8X4, 4),
    (vk::Format::R8_SNORM, 63, CU_AD_FORMAT_SNORM_INT8X1, 1),
    (vk::Format::R8G8_SNORM, 51, CU_AD_FORMAT_SNORM_INT8X2, 2),
    (vk::Format::R8G8B8A8_SNORM, 31, CU_AD_FORMAT_SNORM_INT8X4, 4),
    (vk::Format::R16_UINT, 57, CU_AD_FORMAT_UNSIGNED_INT16, 1),
    (vk::Format::R16G16_UINT, 36, CU_AD_FORMAT_UNSIGNED_INT16, 2),
    (vk::Format::R16G16B16A16_UINT, 12, CU_AD_FORMAT_UNSIGNED_INT16, 4),
    (vk::Format::R16_SINT, 59, CU_AD_FORMAT_SIGNED_INT16, 1),
    (vk::Format::R16G16_SINT, 38, CU_AD_FORMAT_SIGNED_INT16, 2),
    (vk::Format::R16G16B16A16_SINT, 14, CU_AD_FORMAT_SIGNED_INT16, 4),
    (vk::Format::R16_UNORM, 56, CU_AD_FORMAT_UNORM_INT16X1, 1),
    (vk::Format::R16G16_UNORM, 35, CU_AD_FORMAT_UNORM_INT16X2, 2),
    (vk::Format::R16G16B16A16_UNORM, 11, CU_AD_FORMAT_UNORM_INT16X4, 4),
    (vk::Format::R16_SNORM, 58, CU_AD_FORMAT_SNORM_INT16X1, 1),
    (vk::Format::R16G16_SNORM, 37, CU_AD_FORMAT_SNORM_INT16X2, 2),
    (vk::Format::R16G16B16A16_SNORM, 13, CU_AD_FORMAT_SNORM_INT16X4, 4),
    (vk::Format::R16_SFLOAT, 54, CU_AD_FORMAT_HALF, 1),
    (vk::Format::R16G16_SFLOAT, 34, CU_AD_FORMAT_HALF, 2),
    (vk::Format::R16G16B16A16_SFLOAT, 10, CU_AD_FORMAT_HALF, 4),
    (vk::Format::R32_UINT, 42, CU_AD_FORMAT_UNSIGNED_INT32, 1),
    (vk::Format::R32G32_UINT, 17, CU_AD_FORMAT_UNSIGNED_INT32, 2),
    (vk::Format::R32G32B32A32_UINT, 3, CU_AD_FORMAT_UNSIGNED_INT32, 4),
    (vk::Format::R32_SINT, 43, CU_AD_FORMAT_SIGNED_INT32, 1),
    (vk::Format::R32G32_SINT, 18, CU_AD_FORMAT_SIGNED_INT32, 2),
    (vk::Format::R32G32B32A32_SINT, 4, CU_AD_FORMAT_SIGNED_INT32, 4),
    (vk::Format::R32_SFLOAT, 41, CU_AD_FORMAT_FLOAT, 1),
    (vk::Format::R32G32_SFLOAT, 16, CU_AD_FORMAT_FLOAT, 2),
    (vk::Format::R32G32B32A32_SFLOAT, 2, CU_AD_FORMAT_FLOAT, 4),
];

/// Returns CUDA's element format and channel count, or `None` where CUDA has no such element: three
/// channels, packed bits, depth. It has no blue-first order either.
pub fn array_format(format: vk::Format) -> Option<(CUarray_format, u32)> {
    let (.., element, channels) = FORMATS.into_iter().find(|(known, ..)| *known == format)?;
    Some((element, channels))
}

/// Returns the bytes of a texel of an element that [`array_format`] returns.
pub fn texel_size(format: CUarray_format, channels: u32) -> usize {
    let channel = match format {
        CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => 4,
        CU_AD_FORMAT_UNSIGNED_INT16
        | CU_AD_FORMAT_SIGNED_INT16
        | CU_AD_FORMAT_HALF
        | CU_AD_FORMAT_UNORM_INT16X1
        | CU_AD_FORMAT_UNORM_INT16X2
        | CU_AD_FORMAT_UNORM_INT16X4
        | CU_AD_FORMAT_SNORM_INT16X1
        | CU_AD_FORMAT_SNORM_INT16X2
        | CU_AD_FORMAT_SNORM_INT16X4 => 2,
        _ => 1,
    };
    channel * channels as usize
}

/// Returns width, height and depth as CUDA takes them: zero where the image has no such dimension, and the
/// depth counts layers where it has them. A cube's six faces are six layers.
pub fn array_extent(extent: vk::Extent3D, layers: u32, view: vk::ImageViewType) -> [usize; 3] {
    let vk::Extent3D { width, height, depth } = extent;
    let [height, depth] = match view {
        vk::ImageViewType::TYPE_1D => [0, 0],
        vk::ImageViewType::TYPE_1D_ARRAY => [0, layers],
        vk::ImageViewType::TYPE_2D => [height, 0],
        vk::ImageViewType::TYPE_3D => [height, depth],
        _ => [height, layers],
    };
    [width as usize, height as usize, depth as usize]
}

/// Returns the flags: layers and faces as the view has them; COLOR_ATTACHMENT when Vulkan may draw to the
/// image, since it may then lie compressed; SURFACE_LDST when a kernel is to write through a surface.
pub fn array_flags(view: vk::ImageViewType, usage: vk::ImageUsageFlags, surface: bool) -> u32 {
    let mut flags = match view {
        vk::ImageViewType::TYPE_1D_ARRAY | vk::ImageViewType::TYPE_2D_ARRAY => CUDA_ARRAY3D_LAYERED,
        vk::ImageViewType::CUBE => CUDA_ARRAY3D_CUBEMAP,
        vk::ImageViewType::CUBE_ARRAY => CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED,
        _ => 0,
    };
    if usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT) {
        flags |= CUDA_ARRAY3D_COLOR_ATTACHMENT;
    }
    if surface {
        flags |= CUDA_ARRAY3D_SURFACE_LDST;
    }
    flags
}

/// The extent and the flags of each kind of view are in the tests of `dxgi`.
#[cfg(test)]
mod tests {
    use super::*;

    /// The table is complete, and in no row does the element differ from what the format's name says.
    #[test]
    fn a_formats_name_says_its_element() {
        let mut expected = Vec::new();
        for (bits, kinds) in [
            (8, &["UINT", "SINT", "UNORM", "SNORM"][..]),
            (16, &["UINT", "SINT", "UNORM", "SNORM", "SFLOAT"]),
            (32, &["UINT", "SINT", "SFLOAT"]),
        ] {
            for (kind, letters) in kinds.iter().flat_map(|kind| ["R", "RG", "RGBA"].map(|to| (kind, to))) {
                let channels = letters.len();
                let element = match (*kind, bits) {
                    ("UINT", _) => format!("UNSIGNED_INT{bits}"),
                    ("SINT", _) => format!("SIGNED_INT{bits}"),
                    ("SFLOAT", 16) => "HALF".to_owned(),
                    ("SFLOAT", _) => "FLOAT".to_owned(),
                    (normalized, _) => format!("{normalized}_INT{bits}X{channels}"),
                };
                let texel: String = letters.chars().map(|letter| format!("{letter}{bits}")).collect();
                let (name, element) = (format!("{texel}_{kind}"), format!("CU_AD_FORMAT_{element}"));
                expected.push((name, element, channels, channels * bits / 8));
            }
        }
        let mut table = Vec::from_iter(FORMATS.iter().map(|(format, ..)| {
            let (element, channels) = array_format(*format).unwrap();
            let texel = texel_size(element, channels);
            (format!("{format:?}"), format!("{element:?}"), channels as usize, texel)
        }));
        expected.sort();
        table.sort();
        assert_eq!(table, expected);
    }
}
