//! Arrays that the program makes, and surface and texture objects as kernels see them.

use cuda_external_ptx::{AddressMode, ChannelFormat, Image, MipLevel, SamplerState};

use super::arrays::{self, MIPMAPS, MipmappedArray, SURFACES, TEXTURES, TextureOrSurface, check_array_desc};
use crate::driver::base::current_context;
use crate::driver::base::prelude::*;
use crate::driver::streams::capture_state;
use crate::driver::streams::stream_queue;
use crate::shared_files::Mapping;

pub fn find_texture_or_surface(object: u64) -> Option<Arc<TextureOrSurface>> {
    TEXTURES.find_object(object).or_else(|_| SURFACES.find_object(object)).ok()
}

pub fn describe_image(object: &TextureOrSurface) -> Option<Arc<Image>> {
    let first = object.levels.first().filter(|level| !level.misaligned)?;
    let levels = object.levels.iter().map(|level| MipLevel {
        start: level.start,
        row_pitch: level.steps[0],
        slice_pitch: level.steps[1],
        extent: [level.desc.Width, level.extent[1], level.extent[2]],
    });
    Some(Arc::new(Image {
        levels: levels.collect(),
        format: channel_type(first.desc.Format)?,
        channel_count: first.desc.NumChannels as usize,
        texel_bytes: first.extent[0] / first.desc.Width,
        sampling: object.sampling.as_ref().map(sampling_from_desc),
        owners: object.levels.iter().map(|level| level.owner.clone()).collect(),
    }))
}

/// `None` for a format whose channels share bytes.
fn channel_type(format: CUarray_format) -> Option<ChannelFormat> {
    Some(match format {
        CU_AD_FORMAT_FLOAT => ChannelFormat::Float,
        CU_AD_FORMAT_HALF => ChannelFormat::Half,
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_UNSIGNED_INT32 => {
            ChannelFormat::Unsigned
        }
        CU_AD_FORMAT_SIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT32 => {
            ChannelFormat::Signed
        }
        CU_AD_FORMAT_SNORM_INT8X1 | CU_AD_FORMAT_SNORM_INT8X2 | CU_AD_FORMAT_SNORM_INT8X4 => {
            ChannelFormat::SignedNormalized
        }
        CU_AD_FORMAT_SNORM_INT16X1 | CU_AD_FORMAT_SNORM_INT16X2 | CU_AD_FORMAT_SNORM_INT16X4 => {
            ChannelFormat::SignedNormalized
        }
        CU_AD_FORMAT_UNORM_INT_101010_2 => return None,
        _ => ChannelFormat::UnsignedNormalized,
    })
}

fn sampling_from_desc(desc: &CUDA_TEXTURE_DESC) -> SamplerState {
    const READ_AS_INTEGER: c_uint = 1;
    const NORMALIZED: c_uint = 2;
    SamplerState {
        address_modes: desc.addressMode.map(|mode| match mode {
            CU_TR_ADDRESS_MODE_WRAP => AddressMode::Wrap,
            CU_TR_ADDRESS_MODE_MIRROR => AddressMode::Mirror,
            CU_TR_ADDRESS_MODE_BORDER => AddressMode::Border,
            _ => AddressMode::Clamp,
        }),
        is_linear: desc.filterMode == CU_TR_FILTER_MODE_LINEAR,
        is_linear_between_levels: desc.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        reads_integers: desc.flags & READ_AS_INTEGER != 0,
        is_normalized: desc.flags & NORMALIZED != 0,
        level_bias: desc.mipmapLevelBias,
        level_range: [desc.minMipmapLevelClamp, desc.maxMipmapLevelClamp],
        border_color: desc.borderColor,
    }
}

static CREATED_ARRAYS: HandleRegistry<MipmappedArray> = HandleRegistry::new(6, CUDA_ERROR_INVALID_HANDLE);

fn create_array(desc: &CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint) -> CudaResult<MipmappedArray> {
    let (texel, most) = check_array_desc(desc).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let levels = levels.clamp(1, most);
    let row = (desc.Width.next_multiple_of(4) * texel).next_multiple_of(64);
    let slice = row * desc.Height.next_multiple_of(4).max(1);
    // No level is larger than the first one.
    let size = (slice * desc.Depth.max(1) * levels as usize).next_multiple_of(4096);
    let mapping = Arc::new(Mapping::new(None, 0, size).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?);
    let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        arrayDesc: *desc,
        numLevels: levels,
        ..Default::default()
    };
    arrays::map_array((&mapping, 0, size as u64), &desc, false)
}

fn create_single_level_array(
    to: *mut CUarray,
    desc: CudaResult<&CUDA_ARRAY3D_DESCRIPTOR>,
) -> CudaResult<CUarray> {
    let context = capture_state::current_context_outside_capture()?.id;
    ensure_valid(!to.is_null())?;
    let array = create_array(desc?, 1)?;
    let number = array.levels[0];
    CREATED_ARRAYS.insert_owned(number, context, array);
    Ok(CUarray::from_number(number))
}

#[repr(C)]
struct ArrayDesc2D {
    width: usize,
    height: usize,
    format: CUarray_format,
    channels: c_uint,
}

functions! {
    Init fn cuArray3DCreate | cuArray3DCreate_v2(array: *mut CUarray, desc: *const CUDA_ARRAY3D_DESCRIPTOR) {
        write_out(array, create_single_level_array(array, read_param(desc))?)
    }
    Init fn cuArrayCreate_v2(array: *mut CUarray, desc: *const ArrayDesc2D) {
        let &ArrayDesc2D { width: Width, height: Height, format: Format, channels: NumChannels } = read_param(desc)?;
        let desc = CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, ..Default::default() };
        write_out(array, create_single_level_array(array, Ok(&desc))?)
    }
    Init fn cuArrayGetDescriptor_v2(desc: *mut ArrayDesc2D, array: CUarray) {
        let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, .. } = arrays::find_array(array)?.desc;
        write_out(desc, ArrayDesc2D { width: Width, height: Height, format: Format, channels: NumChannels })
    }
    Init fn cuMipmappedArrayCreate(
        mipmap: *mut CUmipmappedArray, desc: *const CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint
    ) {
        let context = capture_state::current_context_outside_capture()?.id;
        MIPMAPS.create_owned(mipmap, context, || create_array(read_param(desc)?, levels))
    }
    Init fn cuArrayDestroy(array: CUarray) {
        current_context::current_context_or_none()?;
        ensure(!array.is_null(), CUDA_ERROR_INVALID_HANDLE)?;
        capture_state::refuse_during_capture()?;
        stream_queue::wait_in_current_before_free()?;
        arrays::find_array(array)?;
        CREATED_ARRAYS.destroy_object(array)
    }
}
