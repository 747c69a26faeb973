//! Arrays, created or mapped from imported memory, in the layout that Mesa's llvmpipe gives its images.

use cuda_external_in_process::array_formats::array_format_channels;
use cuda_external_in_process::newest_release_constants::ARRAY_FLAGS;

use crate::driver::addresses::accessible_memory::{ByteSpan, PitchedRows};
use crate::driver::addresses::address_ranges::MemoryKeepAlive;
use crate::driver::driver_prelude::*;

/// A level of a mipmapped array, or an array with one level.
pub struct ArrayLevel {
    pub start: u64,
    pub steps: [usize; 2],
    /// Bytes of a row, rows, and slices or layers; at least 1 each.
    pub extent: [usize; 3],
    /// Whether the array's offset in imported memory is not a multiple of `IMAGE_ALIGNMENT` (16 bytes). A program can
    /// map such an array, but using the array fails. On a GPU, a multiple of 16 is not enough: an array that began 16
    /// bytes after the first byte of the image could be mapped, but using the array failed (measured).
    pub misaligned: bool,
    pub desc: CUDA_ARRAY3D_DESCRIPTOR,
    pub owner: MemoryKeepAlive,
}

impl ArrayLevel {
    pub fn array_copy_span(&self, at: [usize; 3], extent: [usize; 3]) -> CudaResult<ByteSpan> {
        if self.misaligned {
            // On a GPU the copy fails with a sticky error.
            current_context::mark_current_context_lost();
            return Err(CUDA_ERROR_LAUNCH_FAILED);
        }
        for ((at, count), size) in at.iter().zip(extent).zip(self.extent) {
            ensure_valid(at.checked_add(count).is_some_and(|end| end <= size))?;
        }
        let mapping = self.owner.clone().downcast().map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        ByteSpan::span_in_mapping(PitchedRows::new(self.start, at, self.steps, extent)?, &mapping)
    }
}

/// The handles of a mipmapped array's levels. Dropping this value destroys the levels.
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

/// The flags that do not change an array's layout: all but SPARSE (0x40) and DEFERRED_MAPPING (0x80).
const LAYOUT_NEUTRAL_FLAGS: c_uint = ARRAY_FLAGS & !0xc0;

pub fn texel_bytes(format: CUarray_format, channels: c_uint) -> CudaResult<usize> {
    let known = array_format_channels(format).filter(|known| known.channels.contains(&channels));
    known.map(|known| known.channel * channels as usize).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Returns the bytes of a texel and the greatest number of levels.
pub fn check_array_desc(desc: &CUDA_ARRAY3D_DESCRIPTOR) -> CudaResult<(usize, u32)> {
    let &CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, Format, NumChannels, Flags } = desc;
    let texel = texel_bytes(Format, NumChannels)?;
    let [cubes, layered] = [CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_LAYERED].map(|flag| Flags & flag != 0);
    let faces = if layered { Depth > 0 && Depth % 6 == 0 } else { Depth == 6 };
    let two_dimensional = Height > 0 && Depth == 0;
    // A depth texture may have the formats of Vulkan's depth images (not verified on a GPU).
    let depth = NumChannels == 1 && [CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_FLOAT].contains(&Format);
    let is_valid = (!cubes || (Width == Height && faces))
        && (!(cubes || layered) || Depth > 0)
        && (Height > 0 || Depth == 0 || layered)
        && (Flags & (CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_DEPTH_TEXTURE) == 0 || two_dimensional)
        && (Flags & CUDA_ARRAY3D_DEPTH_TEXTURE == 0 || depth)
        && [Width, Height, Depth].iter().all(|&size| size <= 1 << 17)
        && Width > 0
        && Flags & !LAYOUT_NEUTRAL_FLAGS == 0;
    let deep = if cubes || layered { 1 } else { Depth };
    let levels = usize::BITS - Width.max(Height).max(deep).leading_zeros();
    ensure_valid(is_valid).map(|()| (texel, levels))
}

pub fn map_array(
    (mapping, data, size): (&Arc<MmapRegion>, u64, u64),
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    is_tight: bool,
) -> CudaResult<MipmappedArray> {
    let whole = desc.arrayDesc;
    let (texel, most) = check_array_desc(&whole)?;
    ensure_valid(desc.reserved == [0; 16] && desc.numLevels <= most)?;
    let layered = whole.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let (mut at, mut levels) = (desc.offset, Vec::new());
    for level in 0..desc.numLevels.max(1) {
        // `less` returns 0 for a dimension that the array does not have.
        let less = |size: usize| if size == 0 { 0 } else { (size >> level).max(1) };
        let depth = if layered { whole.Depth } else { less(whole.Depth) };
        let (width, height) = (less(whole.Width), less(whole.Height));
        // The layout is that of Mesa's lp_texture.c, since lavapipe uses images in the same memory.
        let row = (width.next_multiple_of(4) * texel).next_multiple_of(64);
        let slice = row * height.next_multiple_of(4).max(1);
        // If `is_tight`, an image needs at least as much memory as on a GPU, which stores blocks of 64 bytes by 8 rows.
        let blocks =
            if is_tight { (width * texel).div_ceil(64) * height.div_ceil(8).max(1) * 512 } else { 0 };
        // No dimension is above 2^17, and no texel above 16 bytes, so `length` does not overflow.
        let length = (slice.max(blocks) * depth.max(1)).next_multiple_of(64) as u64;
        let end = at.checked_add(length).filter(|end| *end <= size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
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
    Ok(MipmappedArray { levels: levels.into_iter().map(|level| ARRAYS.register_object(level)).collect() })
}

fn find_mipmapped_array(mipmap: CUmipmappedArray) -> CudaResult<Arc<MipmappedArray>> {
    MIPMAPS.find_object_or_abort(mipmap, "the mipmapped array is destroyed")
}

pub fn find_array(array: impl Handle) -> CudaResult<Arc<ArrayLevel>> {
    ARRAYS.find_object_or_abort(array, "the array is destroyed")
}

/// The arrays of cuArrayCreate and cuArray3DCreate, by the handle of their only level.
static CREATED_ARRAYS: HandleRegistry<MipmappedArray> = HandleRegistry::new(6, CUDA_ERROR_INVALID_HANDLE);

fn create_mipmapped_array(desc: &CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint) -> CudaResult<MipmappedArray> {
    let (texel, most) = check_array_desc(desc)?;
    let levels = levels.clamp(1, most);
    let row = (desc.Width.next_multiple_of(4) * texel).next_multiple_of(64);
    let slice = row * desc.Height.next_multiple_of(4).max(1);
    // This size suffices for all levels, since no level is larger than the first.
    let size = (slice * desc.Depth.max(1) * levels as usize).next_multiple_of(4096);
    let mapping = Arc::new(MmapRegion::new(None, 0, size).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?);
    let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        arrayDesc: *desc,
        numLevels: levels,
        ..Default::default()
    };
    map_array((&mapping, 0, size as u64), &desc, false)
}

fn create_single_level_array(
    to: *mut CUarray,
    desc: CudaResult<&CUDA_ARRAY3D_DESCRIPTOR>,
) -> CudaResult<CUarray> {
    let context = current_context_outside_capture()?.id;
    ensure_valid(!to.is_null())?;
    let array = create_mipmapped_array(desc?, 1)?;
    let number = array.levels[0];
    CREATED_ARRAYS.insert_at_handle(number, Some(context), array);
    Ok(CUarray::from_number(number))
}

/// CUDA_ARRAY_DESCRIPTOR, which cuda-external-sys lacks.
#[repr(C)]
struct ArrayDesc2D {
    width: usize,
    height: usize,
    format: CUarray_format,
    channels: c_uint,
}

functions! {
    Init fn cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel, (array, mipmap, level) {
        let mipmap = find_mipmapped_array(mipmap)?;
        let level = mipmap.levels.get(level as usize).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        write_out(array, CUarray::from_number(*level))
    }
    Init fn cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy, (mipmap) {
        current_context::current_context_or_none()?;
        find_mipmapped_array(mipmap)?;
        refuse_during_capture()?;
        MIPMAPS.destroy_object(mipmap)
    }
    Init fn cuArray3DGetDescriptor_v2: PFN_cuArray3DGetDescriptor_v2, (desc, array) {
        write_out(desc, find_array(array)?.desc)
    }
    Init fn cuArray3DCreate | cuArray3DCreate_v2(array: *mut CUarray, desc: *const CUDA_ARRAY3D_DESCRIPTOR) {
        write_out(array, create_single_level_array(array, read_param(desc))?)
    }
    Init fn cuArrayCreate_v2(array: *mut CUarray, desc: *const ArrayDesc2D) {
        let &ArrayDesc2D { width: Width, height: Height, format: Format, channels: NumChannels } = read_param(desc)?;
        let desc = CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, ..Default::default() };
        write_out(array, create_single_level_array(array, Ok(&desc))?)
    }
    Init fn cuArrayGetDescriptor_v2(desc: *mut ArrayDesc2D, array: CUarray) {
        let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, .. } = find_array(array)?.desc;
        write_out(desc, ArrayDesc2D { width: Width, height: Height, format: Format, channels: NumChannels })
    }
    Init fn cuMipmappedArrayCreate(
        mipmap: *mut CUmipmappedArray, desc: *const CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint
    ) {
        let context = current_context_outside_capture()?.id;
        MIPMAPS.create_object(mipmap, Some(context), || create_mipmapped_array(read_param(desc)?, levels))
    }
    Init fn cuArrayDestroy(array: CUarray) {
        current_context::current_context_or_none()?;
        ensure(!array.is_null(), CUDA_ERROR_INVALID_HANDLE)?;
        refuse_during_capture()?;
        stream_queue::wait_in_current_before_free()?;
        find_array(array)?;
        CREATED_ARRAYS.destroy_object(array)
    }
}
