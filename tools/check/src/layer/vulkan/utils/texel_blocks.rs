//! The size of a texel, or of a block of texels, of a Vulkan format.

use ash::vk;

/// Returns the size in bytes of a format's square block of texels, and the length of the block's side in texels.
pub fn texel_block(format: vk::Format) -> Option<(u64, u64)> {
    // The specification numbers its first formats in groups, each with one size.
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
        // BC1 and BC4, then the other BC formats.
        131..=134 | 139 | 140 => (8, 4),
        135..=138 | 141..=146 => (16, 4),
        _ => return None,
    })
}

/// The name of a format states the bits of each component, as in R8G8B8A8_UNORM and X8_D24_UNORM_PACK32.
#[test]
fn a_texel_has_the_bytes_of_its_name() {
    for number in 1..=127 {
        let format = vk::Format::from_raw(number);
        let name = format!("{format:?}");
        let parts = name.split('_').filter(|part| !part.starts_with("PACK"));
        let bits = parts.flat_map(|part| part.split(|of: char| !of.is_ascii_digit()));
        let bits: u64 = bits.filter_map(|bits| bits.parse::<u64>().ok()).sum();
        assert_eq!(texel_block(format), Some((bits / 8, 1)), "{name}");
    }
    use vk::Format as F;
    assert_eq!([F::BC1_RGBA_SRGB_BLOCK, F::BC7_SRGB_BLOCK].map(texel_block), [Some((8, 4)), Some((16, 4))]);
    assert_eq!(texel_block(F::G8_B8R8_2PLANE_420_UNORM), None);
}
