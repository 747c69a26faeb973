//! The formats of CUDA's arrays.

use cuda_external_sys::*;

/// An element of an array.
pub struct ArrayFormatElement {
    /// The bytes of a channel.
    pub channel: usize,
    /// How many channels it may have. A normalized format has the number in its name.
    pub channels: &'static [u32],
}

/// None for a format that has planes or blocks, and for one that is newer than this table.
pub fn array_format_element(format: CUarray_format) -> Option<ArrayFormatElement> {
    let (channel, channels): (_, &[u32]) = match format {
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT8 => (1, &[1, 2, 4]),
        CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_HALF => (2, &[1, 2, 4]),
        CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => (4, &[1, 2, 4]),
        CU_AD_FORMAT_UNORM_INT8X1 | CU_AD_FORMAT_SNORM_INT8X1 => (1, &[1]),
        CU_AD_FORMAT_UNORM_INT8X2 | CU_AD_FORMAT_SNORM_INT8X2 => (1, &[2]),
        CU_AD_FORMAT_UNORM_INT8X4 | CU_AD_FORMAT_SNORM_INT8X4 => (1, &[4]),
        CU_AD_FORMAT_UNORM_INT16X1 | CU_AD_FORMAT_SNORM_INT16X1 => (2, &[1]),
        CU_AD_FORMAT_UNORM_INT16X2 | CU_AD_FORMAT_SNORM_INT16X2 => (2, &[2]),
        CU_AD_FORMAT_UNORM_INT16X4 | CU_AD_FORMAT_SNORM_INT16X4 => (2, &[4]),
        // Ten bits, three times, and two more.
        CU_AD_FORMAT_UNORM_INT_101010_2 => (1, &[4]),
        _ => return None,
    };
    Some(ArrayFormatElement { channel, channels })
}
