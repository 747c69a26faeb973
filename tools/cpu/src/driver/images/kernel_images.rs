use cuda_external_ptx::{AddressMode, ChannelFormat, Image, MipLevel, SamplerState};

use super::textures_and_surfaces::TextureOrSurface;
use crate::driver::base::prelude::*;

pub fn ptx_image_of_object(object: &TextureOrSurface) -> Option<Arc<Image>> {
    let first = object.levels.first().filter(|level| !level.misaligned)?;
    let levels = object.levels.iter().map(|level| MipLevel {
        start: level.start,
        row_pitch: level.steps[0],
        slice_pitch: level.steps[1],
        extent: [level.desc.Width, level.extent[1], level.extent[2]],
    });
    Some(Arc::new(Image {
        levels: levels.collect(),
        format: ptx_channel_format(first.desc.Format)?,
        channel_count: first.desc.NumChannels as usize,
        texel_bytes: first.extent[0] / first.desc.Width,
        sampling: object.sampling.as_ref().map(sampling_from_desc),
        owners: object.levels.iter().map(|level| level.owner.clone()).collect(),
    }))
}

/// Returns the type of a format's channels, or `None` for a format whose channels share bytes.
fn ptx_channel_format(format: CUarray_format) -> Option<ChannelFormat> {
    Some(match format {
        CU_AD_FORMAT_FLOAT => ChannelFormat::Float,
        CU_AD_FORMAT_HALF => ChannelFormat::Half,
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_UNSIGNED_INT32 => {
            ChannelFormat::Unsigned
        }
        CU_AD_FORMAT_SIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT32 => {
            ChannelFormat::Signed
        }
        CU_AD_FORMAT_SNORM_INT8X1
        | CU_AD_FORMAT_SNORM_INT8X2
        | CU_AD_FORMAT_SNORM_INT8X4
        | CU_AD_FORMAT_SNORM_INT16X1
        | CU_AD_FORMAT_SNORM_INT16X2
        | CU_AD_FORMAT_SNORM_INT16X4 => ChannelFormat::SignedNormalized,
        CU_AD_FORMAT_UNORM_INT_101010_2 => return None,
        _ => ChannelFormat::UnsignedNormalized,
    })
}

fn sampling_from_desc(desc: &CUDA_TEXTURE_DESC) -> SamplerState {
    SamplerState {
        address_modes: desc.addressMode.map(|mode| match mode {
            CU_TR_ADDRESS_MODE_WRAP => AddressMode::Wrap,
            CU_TR_ADDRESS_MODE_MIRROR => AddressMode::Mirror,
            CU_TR_ADDRESS_MODE_BORDER => AddressMode::Border,
            _ => AddressMode::Clamp,
        }),
        is_linear: desc.filterMode == CU_TR_FILTER_MODE_LINEAR,
        is_linear_between_levels: desc.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        reads_integers: desc.flags & CU_TRSF_READ_AS_INTEGER != 0,
        is_normalized: desc.flags & CU_TRSF_NORMALIZED_COORDINATES != 0,
        level_bias: desc.mipmapLevelBias,
        level_range: [desc.minMipmapLevelClamp, desc.maxMipmapLevelClamp],
        border_color: desc.borderColor,
    }
}
