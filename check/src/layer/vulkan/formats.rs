//! How many bytes a texel of a Vulkan format has.

use ash::vk;

/// The bytes of a block of texels, and its width and height. None for formats with planes, for depth and stencil together, and
/// for those that CUDA has nothing like.
pub fn block(format: vk::Format) -> Option<(u64, u64)> {
    // The numbers of the specification's first formats are in groups of one size.
    Some(match format.as_raw() {
        1 | 9..=15 | 127 => (1, 1),
        2..=8 | 16..=22 | 70..=76 | 124 => (2, 1),
        23..=36 => (3, 1),
        37..=69 | 77..=83 | 98..=100 | 122 | 123 | 125 | 126 => (4, 1),
        84..=90 => (6, 1),
        91..=97 | 101..=103 | 110..=112 => (8, 1),
        104..=106 => (12, 1),
        107..=109 | 113..=115 => (16, 1),
        116..=118 => (24, 1),
        119..=121 => (32, 1),
        // BC1 and BC4, then the other compressed ones.
        131..=134 | 139 | 140 => (8, 4),
        135..=138 | 141..=146 => (16, 4),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_end_where_the_names_do() {
        use vk::Format as F;
        let texels = [
            (1, &[F::R8_SRGB, F::S8_UINT][..]),
            (2, &[F::R8G8_UNORM, F::R16_UNORM]),
            (3, &[F::B8G8R8_SRGB]),
            (
                4,
                &[
                    F::R8G8B8A8_UNORM,
                    F::A2B10G10R10_SINT_PACK32,
                    F::R16G16_SFLOAT,
                    F::R32_SFLOAT,
                    F::D32_SFLOAT,
                ],
            ),
            (6, &[F::R16G16B16_SFLOAT]),
            (8, &[F::R16G16B16A16_SFLOAT, F::R32G32_SFLOAT]),
            (16, &[F::R32G32B32A32_SFLOAT]),
        ];
        for (bytes, formats) in texels {
            formats.iter().for_each(|format| assert_eq!(block(*format), Some((bytes, 1)), "{format:?}"));
        }
        assert_eq!([F::BC1_RGBA_SRGB_BLOCK, F::BC7_SRGB_BLOCK].map(block), [Some((8, 4)), Some((16, 4))]);
        assert_eq!(block(F::G8_B8R8_2PLANE_420_UNORM), None);
    }
}
