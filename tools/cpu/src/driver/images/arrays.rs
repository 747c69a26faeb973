//! Arrays: images of Vulkan, in the layout that Mesa's llvmpipe gives them; and surface and texture objects.

use cuda_external_in_process::array_formats::{ArrayFormatElement, array_format_element};

use crate::driver::addresses::address_ranges::{self, AddressSpan, MemoryAccess, MemoryOwner};
use crate::driver::addresses::byte_spans::{ByteSpan, PitchedRows};
use crate::driver::base::current_context;
use crate::driver::base::prelude::*;
use crate::driver::streams::capture_state;
use crate::shared_files::Mapping;

pub struct ArrayLevel {
    pub start: u64,
    pub steps: [usize; 2],
    /// Bytes of a row, rows, and slices or layers; at least 1 each.
    pub extent: [usize; 3],
    /// Whether the image begins at an offset at which no image can begin. Mapping such an image succeeds, and using it
    /// fails (measured, on a GPU with another alignment).
    pub misaligned: bool,
    pub desc: CUDA_ARRAY3D_DESCRIPTOR,
    pub owner: MemoryOwner,
}

impl ArrayLevel {
    pub fn copy_span(&self, at: [usize; 3], extent: [usize; 3]) -> CudaResult<ByteSpan> {
        if self.misaligned {
            // The copy of a GPU fails, and with it the context.
            current_context::mark_current_lost();
            return Err(CUDA_ERROR_LAUNCH_FAILED);
        }
        for ((at, count), size) in at.iter().zip(extent).zip(self.extent) {
            ensure_valid(at.checked_add(count).is_some_and(|end| end <= size))?;
        }
        let mapping = self.owner.clone().downcast().map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        ByteSpan::span_in_mapping(PitchedRows::new(self.start, at, self.steps, extent)?, &mapping)
    }
}

pub struct MipmappedArray {
    pub levels: Vec<u64>,
}

pub static ARRAYS: HandleRegistry<ArrayLevel> = HandleRegistry::new(6, CUDA_ERROR_INVALID_HANDLE);
pub static MIPMAPS: HandleRegistry<MipmappedArray> = HandleRegistry::new(7, CUDA_ERROR_INVALID_HANDLE);

impl Drop for MipmappedArray {
    fn drop(&mut self) {
        for level in &self.levels {
            ARRAYS.remove_object(*level);
        }
    }
}

const IMAGE_ALIGNMENT: u64 = 16;

const LAYOUT_NEUTRAL_FLAGS: c_uint = CUDA_ARRAY3D_LAYERED
    | CUDA_ARRAY3D_SURFACE_LDST
    | CUDA_ARRAY3D_CUBEMAP
    | CUDA_ARRAY3D_TEXTURE_GATHER
    | CUDA_ARRAY3D_DEPTH_TEXTURE
    | CUDA_ARRAY3D_COLOR_ATTACHMENT
    | VIDEO
    | UNKNOWN_OF_PICTURES;

const VIDEO: c_uint = 0x100;
/// No header has it, but pictures may have it: measured.
const UNKNOWN_OF_PICTURES: c_uint = 1 << 31;

pub fn check_array_desc(desc: &CUDA_ARRAY3D_DESCRIPTOR) -> Option<(usize, u32)> {
    let &CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Format, NumChannels, Flags } = desc;
    let ArrayFormatElement { channel, channels } = array_format_element(Format)?;
    let [cubes, layered] = [CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_LAYERED].map(|flag| Flags & flag != 0);
    let faces = if layered { Depth > 0 && Depth % 6 == 0 } else { Depth == 6 };
    let picture = Height > 0 && Depth == 0;
    // Which elements a depth texture can have is not measured: those of Vulkan's depth formats.
    let depth = NumChannels == 1 && [CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_FLOAT].contains(&Format);
    let is_valid = channels.contains(&NumChannels)
        && (!cubes || (Width == Height && faces))
        && (!(cubes || layered) || Depth > 0)
        && (Height > 0 || Depth == 0 || layered)
        && (Flags & (CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_DEPTH_TEXTURE | UNKNOWN_OF_PICTURES) == 0
            || picture)
        && (Flags & CUDA_ARRAY3D_DEPTH_TEXTURE == 0 || depth)
        && [Width, Height, Depth].iter().all(|&size| size <= 1 << 17)
        && Width > 0
        && Flags & !LAYOUT_NEUTRAL_FLAGS == 0;
    let deep = if cubes || layered { 1 } else { Depth };
    let levels = usize::BITS - Width.max(Height).max(deep).leading_zeros();
    is_valid.then_some((channel * NumChannels as usize, levels))
}

pub fn map_array(
    (mapping, data, size): (&Arc<Mapping>, u64, u64),
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    is_tight: bool,
) -> CudaResult<MipmappedArray> {
    let (invalid, whole) = (CUDA_ERROR_INVALID_VALUE, desc.arrayDesc);
    let (texel, most) = check_array_desc(&whole).ok_or(invalid)?;
    ensure_valid(desc.reserved == [0; 16] && desc.numLevels <= most)?;
    let layered = whole.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let (mut at, mut levels) = (desc.offset, Vec::new());
    for level in 0..desc.numLevels.max(1) {
        // 0 for a dimension that the array does not have.
        let less = |size: usize| if size == 0 { 0 } else { (size >> level).max(1) };
        let depth = if layered { whole.Depth } else { less(whole.Depth) };
        let (width, height) = (less(whole.Width), less(whole.Height));
        // Mesa, src/gallium/drivers/llvmpipe/lp_texture.c: blocks of 4 × 4 texels; rows and levels fill whole cache
        // lines. The rows of 1D images have a separate height.
        let row = (width.next_multiple_of(4) * texel).next_multiple_of(64);
        let slice = row * height.next_multiple_of(4).max(1);
        // No dimension is above 2^17, and no texel above 16 bytes: nothing overflows so far.
        let whole_tiles = if whole.Flags & UNKNOWN_OF_PICTURES == 0 { 64 } else { 64 << 10 };
        // A GPU's images consist of blocks of 64 bytes by 8 rows. Where nothing else says how large an image is, they do.
        let blocks =
            if is_tight { (width * texel).div_ceil(64) * height.div_ceil(8).max(1) * 512 } else { 0 };
        let length = (slice.max(blocks) * depth.max(1)).next_multiple_of(whole_tiles) as u64;
        let end = at.checked_add(length).filter(|end| *end <= size).ok_or(invalid)?;
        levels.push(ArrayLevel {
            start: mapping.start_address() + data + at,
            steps: [row, slice],
            extent: [width * texel, height.max(1), depth.max(1)],
            misaligned: desc.offset % IMAGE_ALIGNMENT != 0,
            desc: CUDA_ARRAY3D_DESCRIPTOR { Width: width, Height: height, Depth: depth, ..whole },
            owner: mapping.clone(),
        });
        at = end;
    }
    Ok(MipmappedArray { levels: levels.into_iter().map(|level| ARRAYS.add_object(level)).collect() })
}

fn find_mipmap(mipmap: CUmipmappedArray) -> CudaResult<Arc<MipmappedArray>> {
    MIPMAPS.find_or_abort(mipmap, "the mipmapped array is destroyed")
}

pub fn find_array(array: impl Handle) -> CudaResult<Arc<ArrayLevel>> {
    ARRAYS.find_or_abort(array, "the array is destroyed")
}

/// A surface or a texture: it keeps the levels of its resource. A texture has a way of sampling.
#[cfg_attr(not(feature = "kernels"), expect(dead_code))]
pub struct TextureOrSurface {
    pub levels: Vec<Arc<ArrayLevel>>,
    pub sampling: Option<CUDA_TEXTURE_DESC>,
}

pub static TEXTURES: HandleRegistry<TextureOrSurface> = HandleRegistry::new(14, CUDA_ERROR_INVALID_VALUE);
pub static SURFACES: HandleRegistry<TextureOrSurface> = HandleRegistry::new(15, CUDA_ERROR_INVALID_VALUE);

/// CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT and CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT.
const TEXTURE_ALIGNMENT: usize = 512;
const PITCH_ALIGNMENT: usize = 32;

fn texel_bytes(format: CUarray_format, channels: c_uint) -> CudaResult<usize> {
    let known = array_format_element(format).filter(|element| element.channels.contains(&channels));
    known.map(|element| element.channel * channels as usize).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Returns rows of texels in memory that the program allocated, aligned as the manual requires.
fn level_in_memory(
    address: u64,
    (format, channels): (CUarray_format, c_uint),
    [width, height]: [usize; 2],
    pitch: usize,
) -> CudaResult<ArrayLevel> {
    let row = width.checked_mul(texel_bytes(format, channels)?).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    ensure_valid(address != 0 && address % TEXTURE_ALIGNMENT as u64 == 0 && width > 0 && height > 0)?;
    ensure_valid(row <= pitch && pitch % PITCH_ALIGNMENT == 0)?;
    let size = pitch
        .checked_mul(height - 1)
        .and_then(|size| size.checked_add(row))
        .ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let mut keep = address_ranges::check_use(AddressSpan::new(address, size as u64)?, MemoryAccess::Read)?;
    // Memory of several mappings, or without one, would not live as long as the texture.
    ensure(keep.len() == 1, CUDA_ERROR_NOT_SUPPORTED)?;
    let desc = CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Format: format,
        NumChannels: channels,
        ..Default::default()
    };
    let (steps, extent) = ([pitch, 0], [row, height, 1]);
    Ok(ArrayLevel { start: address, steps, extent, misaligned: false, desc, owner: keep.swap_remove(0) })
}

unsafe fn read_resource(
    resource: *const CUDA_RESOURCE_DESC,
    sampling: Option<CUDA_TEXTURE_DESC>,
) -> CudaResult<TextureOrSurface> {
    let surface = sampling.is_none();
    // SAFETY: the caller's description, whose kind says which field of the union is read.
    let levels = unsafe {
        let resource = read_param(resource)?;
        ensure_valid(resource.flags == 0)?;
        match resource.resType {
            CU_RESOURCE_TYPE_ARRAY => vec![resource.res.array.hArray.handle_number()],
            CU_RESOURCE_TYPE_MIPMAPPED_ARRAY if !surface => {
                MIPMAPS.find_object(resource.res.mipmap.hMipmappedArray)?.levels.clone()
            }
            CU_RESOURCE_TYPE_LINEAR if !surface => {
                let r = resource.res.linear;
                let size = [r.sizeInBytes / texel_bytes(r.format, r.numChannels)?, 1];
                let pitch = r.sizeInBytes.checked_next_multiple_of(PITCH_ALIGNMENT);
                let pitch = pitch.ok_or(CUDA_ERROR_INVALID_VALUE)?;
                let level = level_in_memory(r.devPtr, (r.format, r.numChannels), size, pitch)?;
                // Outside of it is zero, whatever the description says.
                let sampling = sampling.map(|mut desc| {
                    (desc.addressMode, desc.borderColor) = ([CU_TR_ADDRESS_MODE_BORDER; 3], [0.0; 4]);
                    desc
                });
                return Ok(TextureOrSurface { levels: vec![Arc::new(level)], sampling });
            }
            CU_RESOURCE_TYPE_PITCH2D if !surface => {
                let r = resource.res.pitch2D;
                let (format, size) = ((r.format, r.numChannels), [r.width, r.height]);
                let level = level_in_memory(r.devPtr, format, size, r.pitchInBytes)?;
                return Ok(TextureOrSurface { levels: vec![Arc::new(level)], sampling });
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    };
    let levels = levels
        .into_iter()
        .map(|array| ensure_valid(array != 0).and_then(|()| find_array(array)))
        .collect::<CudaResult<_>>()?;
    Ok(TextureOrSurface { levels, sampling })
}

/// Null is not an error, and neither is a destroyed object: measured.
fn destroy_texture_or_surface(objects: &HandleRegistry<TextureOrSurface>, object: u64) -> CudaResult {
    capture_state::current_context_outside_capture()?;
    ensure_valid(!matches!(objects.remove_object(object), HandleLookup::NotAHandle | HandleLookup::OtherKind))
}

functions! {
    Init fn cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel, (array, mipmap, level) {
        let mipmap = find_mipmap(mipmap)?;
        let level = mipmap.levels.get(level as usize).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        write_out(array, CUarray::from_number(*level))
    }
    Init fn cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy, (mipmap) {
        current_context::current_context_or_none()?;
        find_mipmap(mipmap)?;
        capture_state::refuse_during_capture()?;
        MIPMAPS.destroy_object(mipmap)
    }
    Init fn cuArray3DGetDescriptor_v2: PFN_cuArray3DGetDescriptor_v2, (desc, array) {
        write_out(desc, find_array(array)?.desc)
    }
    Init fn cuSurfObjectCreate: PFN_cuSurfObjectCreate, (surface, desc) {
        let context = capture_state::current_context_outside_capture()?.id;
        let object = read_resource(desc, None)?;
        if surface.is_null() {
            abort_as_driver_crashes("null for the surface");
        }
        SURFACES.create_owned(surface, context, || Ok(object))
    }
    Init fn cuSurfObjectDestroy: PFN_cuSurfObjectDestroy, (surface) {
        destroy_texture_or_surface(&SURFACES, surface)
    }
    Init fn cuTexObjectCreate: PFN_cuTexObjectCreate, (texture, resource, sampling, _view) {
        let context = capture_state::current_context_outside_capture()?.id;
        ensure_valid(!texture.is_null())?;
        let sampling = *read_param(sampling)?;
        let known = CU_TRSF_READ_AS_INTEGER
            | CU_TRSF_NORMALIZED_COORDINATES
            | CU_TRSF_SRGB
            | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
            | CU_TRSF_SEAMLESS_CUBEMAP;
        ensure_valid(sampling.flags & !known == 0)?;
        ensure_valid(sampling.addressMode.iter().all(|mode| mode.0 <= CU_TR_ADDRESS_MODE_BORDER.0))?;
        ensure_valid(sampling.filterMode.0 <= CU_TR_FILTER_MODE_LINEAR.0)?;
        TEXTURES.create_owned(texture, context, || read_resource(resource, Some(sampling)))
    }
    Init fn cuTexObjectDestroy: PFN_cuTexObjectDestroy, (texture) {
        destroy_texture_or_surface(&TEXTURES, texture)
    }
}
