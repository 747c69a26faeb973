//! Arrays: images of Vulkan, in the layout that Mesa's llvmpipe gives them; and surface and texture objects.

use std::ffi::c_uint;
use std::sync::Arc;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, crash, functions, given, require};
use super::context;
use super::copy::Place;
use super::handle::{Handle, Registry};
use crate::shared::Mapping;

/// One level of a mipmapped array.
pub struct Array {
    pub place: Place,
    /// Columns, rows, and slices or layers; at least 1 each.
    pub extent: [usize; 3],
    pub texel: usize,
    /// Whether the image does not begin where an image can: mapping it succeeds, and using it fails. Measured, on a GPU with
    /// another alignment.
    pub misaligned: bool,
    desc: CUDA_ARRAY3D_DESCRIPTOR,
    pub mapping: Arc<Mapping>,
}

pub struct MipmappedArray {
    levels: Vec<u64>,
    pub context: u64,
}

pub static ARRAYS: Registry<Array> = Registry::new(6);
pub static MIPMAPS: Registry<MipmappedArray> = Registry::new(7);

impl Drop for MipmappedArray {
    fn drop(&mut self) {
        for level in &self.levels {
            ARRAYS.remove(*level);
        }
    }
}

/// Returns the bytes of a channel, and the channel count of an element that has one of its own.
fn element(format: CUarray_format) -> Option<(usize, Option<c_uint>)> {
    Some(match format {
        CU_AD_FORMAT_UNSIGNED_INT8 | CU_AD_FORMAT_SIGNED_INT8 => (1, None),
        CU_AD_FORMAT_UNSIGNED_INT16 | CU_AD_FORMAT_SIGNED_INT16 | CU_AD_FORMAT_HALF => (2, None),
        CU_AD_FORMAT_UNSIGNED_INT32 | CU_AD_FORMAT_SIGNED_INT32 | CU_AD_FORMAT_FLOAT => (4, None),
        CU_AD_FORMAT_UNORM_INT8X1 | CU_AD_FORMAT_SNORM_INT8X1 => (1, Some(1)),
        CU_AD_FORMAT_UNORM_INT8X2 | CU_AD_FORMAT_SNORM_INT8X2 => (1, Some(2)),
        CU_AD_FORMAT_UNORM_INT8X4 | CU_AD_FORMAT_SNORM_INT8X4 => (1, Some(4)),
        CU_AD_FORMAT_UNORM_INT16X1 | CU_AD_FORMAT_SNORM_INT16X1 => (2, Some(1)),
        CU_AD_FORMAT_UNORM_INT16X2 | CU_AD_FORMAT_SNORM_INT16X2 => (2, Some(2)),
        CU_AD_FORMAT_UNORM_INT16X4 | CU_AD_FORMAT_SNORM_INT16X4 => (2, Some(4)),
        CU_AD_FORMAT_UNORM_INT_101010_2 => (1, Some(4)),
        _ => return None,
    })
}

/// Where llvmpipe's images begin.
const ALIGNMENT: u64 = 16;

/// The flags that do not change the layout.
const FLAGS: c_uint = CUDA_ARRAY3D_LAYERED
    | CUDA_ARRAY3D_SURFACE_LDST
    | CUDA_ARRAY3D_CUBEMAP
    | CUDA_ARRAY3D_TEXTURE_GATHER
    | CUDA_ARRAY3D_DEPTH_TEXTURE
    | CUDA_ARRAY3D_COLOR_ATTACHMENT;

/// Checks a description. Returns its texel's size, its extent, and the number of levels that it can have.
fn checked(desc: &CUDA_ARRAY3D_DESCRIPTOR) -> Option<(usize, [usize; 3], u32)> {
    let (channel, own_count) = element(desc.Format)?;
    let count = desc.NumChannels;
    let channels = matches!(count, 1 | 2 | 4) && own_count.is_none_or(|own| own == count);
    let (cubes, layered) = (desc.Flags & CUDA_ARRAY3D_CUBEMAP != 0, desc.Flags & CUDA_ARRAY3D_LAYERED != 0);
    let faces = if layered { desc.Depth % 6 == 0 && desc.Depth > 0 } else { desc.Depth == 6 };
    let cube = !cubes || (desc.Width == desc.Height && faces);
    let size = [desc.Width, desc.Height, desc.Depth].iter().all(|&size| size <= 1 << 17);
    if !channels || !cube || !size || desc.Width == 0 || desc.Flags & !FLAGS != 0 {
        return None;
    }
    let deep = if cubes || layered { 1 } else { desc.Depth };
    let levels = usize::BITS - desc.Width.max(desc.Height).max(deep).leading_zeros();
    Some((channel * count as usize, [desc.Width, desc.Height.max(1), desc.Depth.max(1)], levels))
}

/// Maps an array into an import's data, which begins at `data` and has `size` bytes.
pub fn map(
    (mapping, data, size): (&Arc<Mapping>, u64, u64),
    desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    context: u64,
) -> Answer<u64> {
    let invalid = CUDA_ERROR_INVALID_VALUE;
    let (texel, extent, most) = checked(&desc.arrayDesc).ok_or(invalid)?;
    check(desc.reserved == [0; 16] && desc.numLevels <= most, invalid)?;
    if desc.numLevels == 0 {
        crash("an array without levels");
    }
    let layered = desc.arrayDesc.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let (mut at, mut levels) = (desc.offset, Vec::new());
    for level in 0..desc.numLevels {
        let [width, height, depth] = extent;
        let less = |size: usize| (size >> level).max(1);
        let extent = [less(width), less(height), if layered { depth } else { less(depth) }];
        // Mesa, src/gallium/drivers/llvmpipe/lp_texture.c: blocks of 4 × 4 texels, rows and levels of whole cache lines. 1D
        // images have rows of their own height.
        let row = (extent[0].next_multiple_of(4) * texel).next_multiple_of(64);
        let rows = if desc.arrayDesc.Height == 0 { 1 } else { extent[1].next_multiple_of(4) };
        let slice = row * rows;
        let arrays = CUDA_ARRAY3D_DESCRIPTOR {
            Width: extent[0],
            Height: if desc.arrayDesc.Height == 0 { 0 } else { extent[1] },
            Depth: if desc.arrayDesc.Depth == 0 { 0 } else { extent[2] },
            ..desc.arrayDesc
        };
        levels.push((at, Place { start: 0, row, slice }, extent, arrays));
        let length = (slice * extent[2]).next_multiple_of(64) as u64;
        at = at.checked_add(length).filter(|end| *end <= size).ok_or(invalid)?;
    }
    let misaligned = desc.offset % ALIGNMENT != 0;
    let levels = levels.into_iter().map(|(at, place, extent, desc)| {
        let place = Place { start: mapping.start() + data + at, ..place };
        ARRAYS.add(Array { place, extent, texel, misaligned, desc, mapping: mapping.clone() })
    });
    Ok(MIPMAPS.add(MipmappedArray { levels: levels.collect(), context }))
}

/// A surface or a texture: it keeps the levels of its resource. No kernel here samples it.
pub struct Object {
    _levels: Vec<Arc<Array>>,
}

pub static TEXTURES: Registry<Object> = Registry::new(14);
pub static SURFACES: Registry<Object> = Registry::new(15);

unsafe fn object(resource: *const CUDA_RESOURCE_DESC, surface: bool) -> Answer<Object> {
    context::current()?;
    // SAFETY: the caller's description, whose kind says which field of the union is read.
    unsafe {
        let resource = given(resource)?;
        require(resource.flags == 0)?;
        let levels = match resource.resType {
            CU_RESOURCE_TYPE_ARRAY => {
                vec![ARRAYS.find(resource.res.array.hArray).or(CUDA_ERROR_INVALID_HANDLE)?]
            }
            CU_RESOURCE_TYPE_MIPMAPPED_ARRAY if !surface => {
                let mipmap =
                    MIPMAPS.find(resource.res.mipmap.hMipmappedArray).or(CUDA_ERROR_INVALID_HANDLE)?;
                mipmap.levels.iter().filter_map(|level| ARRAYS.find(*level).or(CUDA_SUCCESS).ok()).collect()
            }
            // Textures of linear memory would need sampling, which is not here.
            CU_RESOURCE_TYPE_LINEAR | CU_RESOURCE_TYPE_PITCH2D if !surface => {
                return Err(CUDA_ERROR_NOT_SUPPORTED);
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        Ok(Object { _levels: levels })
    }
}

functions! {
    Init fn cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel, (array, mipmap, level) {
        let mipmap = MIPMAPS.find(mipmap).or(CUDA_ERROR_INVALID_HANDLE)?;
        let level = mipmap.levels.get(level as usize).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        array.put(CUarray::from_number(*level))
    }
    Init fn cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy, (mipmap) {
        context::current()?;
        MIPMAPS.remove(mipmap).done(CUDA_ERROR_INVALID_HANDLE)
    }
    Init fn cuArray3DGetDescriptor_v2: PFN_cuArray3DGetDescriptor_v2, (desc, array) {
        desc.put(ARRAYS.find(array).or(CUDA_ERROR_INVALID_HANDLE)?.desc)
    }
    Init fn cuSurfObjectCreate: PFN_cuSurfObjectCreate, (surface, desc) {
        require(!surface.is_null())?;
        surface.put(SURFACES.add(object(desc, true)?))
    }
    Init fn cuSurfObjectDestroy: PFN_cuSurfObjectDestroy, (surface) {
        SURFACES.remove(surface).done(CUDA_ERROR_INVALID_VALUE)
    }
    Init fn cuTexObjectCreate: PFN_cuTexObjectCreate, (texture, resource, sampling, _view) {
        require(!texture.is_null())?;
        given(sampling)?;
        texture.put(TEXTURES.add(object(resource, false)?))
    }
    Init fn cuTexObjectDestroy: PFN_cuTexObjectDestroy, (texture) {
        TEXTURES.remove(texture).done(CUDA_ERROR_INVALID_VALUE)
    }
}
