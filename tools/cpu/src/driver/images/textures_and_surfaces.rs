//! Texture objects, on arrays or linear memory, and surface objects, on arrays.

use super::cuda_arrays::{ArrayLevel, MIPMAPS, find_array, texel_bytes};
use crate::driver::addresses::address_ranges::{AddressSpan, ProgramMemory};
use crate::driver::driver_prelude::*;

/// A texture or surface object. The object keeps its levels alive. Only a texture has sampling parameters.
#[cfg_attr(not(feature = "kernels"), expect(dead_code))]
pub struct TextureOrSurface {
    pub levels: Vec<Arc<ArrayLevel>>,
    pub sampling: Option<CUDA_TEXTURE_DESC>,
}

pub static TEXTURES: HandleRegistry<TextureOrSurface> = HandleRegistry::new(14, CUDA_ERROR_INVALID_VALUE);
pub static SURFACES: HandleRegistry<TextureOrSurface> = HandleRegistry::new(15, CUDA_ERROR_INVALID_VALUE);

/// The values of CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT and CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT.
const TEXTURE_ALIGNMENT: usize = 512;
const PITCH_ALIGNMENT: usize = 32;

/// Returns a level for rows of texels in linear memory, if the rows are aligned as the manual requires.
fn texture_level_in_memory(
    address: u64,
    (format, channels): (CUarray_format, c_uint),
    [width, height]: [usize; 2],
    pitch: usize,
) -> CudaResult<ArrayLevel> {
    let row = width.checked_mul(texel_bytes(format, channels)?).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    ensure_valid(address != 0 && address % TEXTURE_ALIGNMENT as u64 == 0 && width > 0 && height > 0)?;
    ensure_valid(row <= pitch && pitch % PITCH_ALIGNMENT == 0)?;
    let size = pitch.checked_mul(height - 1).and_then(|size| size.checked_add(row));
    let span = AddressSpan::new(address, size.ok_or(CUDA_ERROR_INVALID_VALUE)? as u64)?;
    let mut owners = address_ranges::check_memory_access(span, ReadOrWrite::Read)?;
    // A level has one owner, which keeps the memory mapped. Memory of several mappings has several owners.
    let (steps, extent, owner) = ([pitch, 0], [row, height, 1], owners.swap_remove(0));
    ensure(owners.is_empty() && !owner.is::<ProgramMemory>(), CUDA_ERROR_NOT_SUPPORTED)?;
    let mut desc = CUDA_ARRAY3D_DESCRIPTOR { Width: width, Height: height, ..Default::default() };
    (desc.Format, desc.NumChannels) = (format, channels);
    Ok(ArrayLevel { start: address, steps, extent, misaligned: false, desc, owner })
}

unsafe fn read_resource_desc(
    resource: *const CUDA_RESOURCE_DESC,
    mut sampling: Option<CUDA_TEXTURE_DESC>,
) -> CudaResult<TextureOrSurface> {
    let find_level = |array| ensure_valid(array != 0).and_then(|()| find_array(array));
    // SAFETY: `resType` says which field of the union the program has written.
    let levels = unsafe {
        let resource = read_param(resource)?;
        ensure_valid(resource.flags == 0)?;
        match (resource.resType, &mut sampling) {
            (CU_RESOURCE_TYPE_ARRAY, _) => vec![find_level(resource.res.array.hArray.handle_number())?],
            (CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, Some(_)) => {
                let mipmap = MIPMAPS.find_object(resource.res.mipmap.hMipmappedArray)?;
                mipmap.levels.iter().copied().map(find_level).collect::<CudaResult<_>>()?
            }
            (CU_RESOURCE_TYPE_LINEAR, Some(desc)) => {
                let r = resource.res.linear;
                let size = [r.sizeInBytes / texel_bytes(r.format, r.numChannels)?, 1];
                let pitch = r.sizeInBytes.checked_next_multiple_of(PITCH_ALIGNMENT);
                let pitch = pitch.ok_or(CUDA_ERROR_INVALID_VALUE)?;
                // Texels outside of linear memory read as zero, whatever address mode the program passes.
                (desc.addressMode, desc.borderColor) = ([CU_TR_ADDRESS_MODE_BORDER; 3], [0.0; 4]);
                vec![Arc::new(texture_level_in_memory(r.devPtr, (r.format, r.numChannels), size, pitch)?)]
            }
            (CU_RESOURCE_TYPE_PITCH2D, Some(_)) => {
                let r = resource.res.pitch2D;
                let (format, size) = ((r.format, r.numChannels), [r.width, r.height]);
                vec![Arc::new(texture_level_in_memory(r.devPtr, format, size, r.pitchInBytes)?)]
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    };
    Ok(TextureOrSurface { levels, sampling })
}

/// Destroys a texture or surface object. Null, or an object that is already destroyed, is not an error (measured).
fn destroy_texture_or_surface(objects: &HandleRegistry<TextureOrSurface>, object: u64) -> CudaResult {
    current_context_outside_capture()?;
    ensure_valid(!matches!(objects.remove_object(object), HandleLookup::NotAHandle | HandleLookup::OtherKind))
}

functions! {
    Init fn cuSurfObjectCreate: PFN_cuSurfObjectCreate, (surface, desc) {
        let context = current_context_outside_capture()?.id;
        let object = read_resource_desc(desc, None)?;
        if surface.is_null() {
            abort_as_driver_crashes("null for the surface");
        }
        SURFACES.create_object(surface, Some(context), || Ok(object))
    }
    Init fn cuSurfObjectDestroy: PFN_cuSurfObjectDestroy, (surface) { destroy_texture_or_surface(&SURFACES, surface) }
    Init fn cuTexObjectCreate: PFN_cuTexObjectCreate, (texture, resource, sampling, _view) {
        let context = current_context_outside_capture()?.id;
        ensure_valid(!texture.is_null())?;
        let sampling = *read_param(sampling)?;
        let known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB
            | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
        ensure_valid(sampling.flags & !known == 0)?;
        ensure_valid(sampling.addressMode.iter().all(|mode| mode.0 <= CU_TR_ADDRESS_MODE_BORDER.0))?;
        ensure_valid(sampling.filterMode.0 <= CU_TR_FILTER_MODE_LINEAR.0)?;
        TEXTURES.create_object(texture, Some(context), || read_resource_desc(resource, Some(sampling)))
    }
    Init fn cuTexObjectDestroy: PFN_cuTexObjectDestroy, (texture) { destroy_texture_or_surface(&TEXTURES, texture) }
}
