//! Finds mistakes in the description of a mapped array, without a comparison with the exporter's image.

use cuda_external_in_process::array_formats::{ChannelSizeAndCounts, array_format_channels};
use cuda_external_sys::*;

use crate::rules::{Rule, rules};

rules! {
    ARRAY_LEVELS 21 "array-levels" DESCRIPTIONS Measured "H100, H200" ByDefault
        "A mipmapped array has more levels than its extents allow: more than 1 + floor(log2(n)), where n is the \
         largest extent. A number of layers or faces is not an extent."
        "Set numLevels to mipLevels of the Vulkan image.";
    ARRAY_CHANNELS 23 "array-channels" DESCRIPTIONS Manual "cuMipmappedArrayCreate" ByDefault
        "An array has a NumChannels that its format does not allow, such as 3 for CU_AD_FORMAT_UNSIGNED_INT8."
        "Use the number after the X at the end of the format's name (X1, X2, X4), and 4 for \
         CU_AD_FORMAT_UNORM_INT_101010_2. Other formats of integers and floats have 1, 2 or 4 channels.";
    ARRAY_EXTENTS 24 "array-extents" DESCRIPTIONS Manual "cuMipmappedArrayCreate" ByDefault
        "An array's extents do not fit its flags: a cubemap has faces that are not square, or its Depth is not 6 for \
         each cube; a layered array has no layers; a 3D array has no height. Or an array has no width."
        "Follow the manual's table of extents: Height 0 for 1D, Depth 0 for 2D. With CUDA_ARRAY3D_LAYERED, Depth is \
         the number of layers. With CUDA_ARRAY3D_CUBEMAP, Depth is 6, or 6 for each cube if the array is layered too.";
}

/// Returns the size in bytes of a format's square block, and the block's side in texels. The side is 1 unless the
/// format is compressed. The function uses `channels` only if the format permits several numbers of channels. Returns
/// `None` for a YUV format or an unknown format.
pub fn texel_block(format: CUarray_format, channels: u32) -> Option<(u64, u64)> {
    match format.0 {
        // BC1 and BC4, then the other compressed formats.
        0x91 | 0x92 | 0x97 | 0x98 => Some((8, 4)),
        0x93..=0x96 | 0x99..=0x9e => Some((16, 4)),
        _ => {
            let ChannelSizeAndCounts { channel, channels: possible } = array_format_channels(format)?;
            let channels = if let [only] = possible { *only } else { channels };
            Some((channel as u64 * u64::from(channels), 1))
        }
    }
}

fn has_flag(image: &CUDA_ARRAY3D_DESCRIPTOR, flag: u32) -> bool {
    image.Flags & flag != 0
}

fn is_layered_array(image: &CUDA_ARRAY3D_DESCRIPTOR) -> bool {
    has_flag(image, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)
}

/// Returns the fewest bytes that the image can have: its texels without padding, or 0 for a YUV or an unknown format.
pub fn min_image_bytes(image: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> u128 {
    let Some((bytes, side)) = texel_block(image.Format, image.NumChannels) else { return 0 };
    let depth = image.Depth.max(1);
    let of_level = |level: u32| {
        let at = |extent: usize| (extent as u128).checked_shr(level).unwrap_or(0).max(1);
        let blocks = |extent: usize| at(extent).div_ceil(side.into());
        let layers = if is_layered_array(image) { depth as u128 } else { at(depth) };
        blocks(image.Width) * blocks(image.Height) * layers * u128::from(bytes)
    };
    (0..levels.min(64)).map(of_level).sum()
}

pub fn max_mip_levels(image: &CUDA_ARRAY3D_DESCRIPTOR) -> u32 {
    let depth = if is_layered_array(image) { 0 } else { image.Depth };
    image.Width.max(image.Height).max(depth).max(1).ilog2() + 1
}

pub fn find_desc_problems(image: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> Vec<(&'static Rule, String)> {
    let mut found = Vec::new();
    let CUDA_ARRAY3D_DESCRIPTOR { Width: width, Height: height, Depth: depth, NumChannels: channels, .. } =
        *image;
    if array_format_channels(image.Format).is_some_and(|element| !element.channels.contains(&channels)) {
        found.push((Rule::ARRAY_CHANNELS, format!("NumChannels is {channels}, with {:?}.", image.Format)));
    }
    let extents = format!("{width} × {height} × {depth}, flags {:#x}", image.Flags);
    let mut wrong = |what: &str| found.push((Rule::ARRAY_EXTENTS, format!("{what}: {extents}.")));
    if width == 0 {
        wrong("The array has no width");
    }
    if has_flag(image, CUDA_ARRAY3D_CUBEMAP) {
        let is_one = !has_flag(image, CUDA_ARRAY3D_LAYERED);
        if width != height {
            wrong("The faces of a cube are not square");
        }
        if depth == 0 || depth % 6 != 0 || (is_one && depth != 6) {
            wrong("The number of faces is not 6 for each cube");
        }
    } else if has_flag(image, CUDA_ARRAY3D_LAYERED) {
        if depth == 0 {
            wrong("A layered array has no layers");
        }
    } else if height == 0 && depth > 0 {
        wrong("The array has a depth and no height, and is not layered");
    }
    let most = max_mip_levels(image);
    if levels > most {
        found.push((Rule::ARRAY_LEVELS, format!("numLevels is {levels}; at most {most} for {extents}.")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_array_desc(width: usize, height: usize, depth: usize, flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
        CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: CU_AD_FORMAT_UNSIGNED_INT8,
            NumChannels: 4,
            Flags: flags,
        }
    }

    fn desc_with_format(format: CUarray_format, channels: u32, side: usize) -> CUDA_ARRAY3D_DESCRIPTOR {
        CUDA_ARRAY3D_DESCRIPTOR { NumChannels: channels, Format: format, ..test_array_desc(side, side, 0, 0) }
    }

    #[test]
    fn the_fewest_bytes_are_those_of_the_texels() {
        for (image, levels, bytes) in [
            (test_array_desc(64, 64, 0, 0), 7, (4096 + 1024 + 256 + 64 + 16 + 4 + 1) * 4),
            (test_array_desc(64, 0, 0, 0), 2, (64 + 32) * 4),
            (test_array_desc(64, 64, 4, CUDA_ARRAY3D_LAYERED), 2, (4096 + 1024) * 4 * 4),
            (test_array_desc(8, 8, 8, 0), 2, (512 + 64) * 4),
            (desc_with_format(CU_AD_FORMAT_BC4_SNORM, 1, 10), 1, 3 * 3 * 8),
            (desc_with_format(CU_AD_FORMAT_BC7_UNORM, 4, 10), 1, 3 * 3 * 16),
            (desc_with_format(CU_AD_FORMAT_NV12, 3, 640), 1, 0),
        ] {
            assert_eq!(min_image_bytes(&image, levels), bytes, "{image:?}");
        }
    }

    #[test]
    fn the_shapes_of_the_manual_have_no_problem_and_others_have() {
        let (layered, cube) = (CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_CUBEMAP);
        for (image, levels, rule) in [
            (test_array_desc(64, 0, 0, 0), 7, None),
            (test_array_desc(64, 16, 0, CUDA_ARRAY3D_SURFACE_LDST), 7, None),
            (test_array_desc(4, 4, 64, 0), 7, None),
            (test_array_desc(64, 0, 3, layered), 7, None),
            (test_array_desc(64, 16, 3, layered), 7, None),
            (test_array_desc(16, 16, 6, cube), 5, None),
            (test_array_desc(16, 16, 12, cube | layered), 5, None),
            (test_array_desc(0, 16, 0, 0), 1, Some(Rule::ARRAY_EXTENTS)),
            (test_array_desc(16, 0, 2, 0), 1, Some(Rule::ARRAY_EXTENTS)),
            (test_array_desc(16, 16, 0, layered), 1, Some(Rule::ARRAY_EXTENTS)),
            (test_array_desc(16, 8, 6, cube), 1, Some(Rule::ARRAY_EXTENTS)),
            (test_array_desc(16, 16, 4, cube), 1, Some(Rule::ARRAY_EXTENTS)),
            (test_array_desc(16, 16, 12, cube), 1, Some(Rule::ARRAY_EXTENTS)),
            (test_array_desc(16, 16, 64, layered), 6, Some(Rule::ARRAY_LEVELS)),
            (test_array_desc(64, 64, 0, 0), 8, Some(Rule::ARRAY_LEVELS)),
            (desc_with_format(CU_AD_FORMAT_NV12, 3, 640), 1, None),
            (desc_with_format(CU_AD_FORMAT_UNSIGNED_INT8, 3, 64), 1, Some(Rule::ARRAY_CHANNELS)),
            (desc_with_format(CU_AD_FORMAT_UNORM_INT8X2, 4, 64), 1, Some(Rule::ARRAY_CHANNELS)),
        ] {
            let rules = find_desc_problems(&image, levels).into_iter().map(|(rule, _)| rule);
            assert_eq!(rules.collect::<Vec<_>>(), Vec::from_iter(rule), "{image:?}");
        }
    }
}
