use cuda_external_sys::*;

pub struct ChannelSizeAndCounts {
    /// The bytes of a channel.
    pub channel: usize,
    /// The numbers of channels that an element may have. A normalized format has exactly one such number.
    pub channels: &'static [u32],
}

/// Returns the channels of a format, or `None` for a format that the `match` lacks, such as one with planes or blocks.
pub fn array_format_channels(format: CUarray_format) -> Option<ChannelSizeAndCounts> {
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
        // Three channels of ten bits and one of two bits fill four bytes, as four channels of one byte do.
        CU_AD_FORMAT_UNORM_INT_101010_2 => (1, &[4]),
        _ => return None,
    };
    Some(ChannelSizeAndCounts { channel, channels })
}
