//! Copies of the levels of a Vulkan image that CUDA has mapped as a mipmapped array.

use ash::vk;
use cuda_external_sys::*;

use super::mipmapped_arrays::level_array;
use super::primary_context::finish_host_copy;
use crate::Result;
use crate::vulkan::ImageShape;

/// Copies a level of `mipmap` to the host, and returns the level's bytes. Rows, slices and layers follow each other
/// without gaps, as in `ExportableImage::read`. `shape` is the shape of the whole image. `texel` is the size of a
/// texel in bytes.
///
/// # Safety
///
/// `mipmap` must not have been destroyed.
pub unsafe fn read_level(
    mipmap: CUmipmappedArray,
    shape: &ImageShape,
    texel: usize,
    level: u32,
) -> Result<Vec<u8>> {
    let mut bytes = vec![0_u8; shape.level_texels(level) * texel];
    let mut copy = level_copy_params(shape, texel, level);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    // SAFETY: `mipmap` was not destroyed.
    copy.srcArray = unsafe { level_array(mipmap, level) }?;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = bytes.as_mut_ptr().cast();
    copy.dstPitch = copy.WidthInBytes;
    copy.dstHeight = copy.Height;
    // SAFETY: `bytes` has room for every row of every slice.
    unsafe { cuMemcpy3D(&copy) }.result()?;
    Ok(bytes)
}

/// Copies a level from the host.
///
/// # Safety
///
/// `mipmap` must not have been destroyed.
pub unsafe fn write_level(
    mipmap: CUmipmappedArray,
    shape: &ImageShape,
    texel: usize,
    level: u32,
    bytes: &[u8],
) -> Result<()> {
    assert_eq!(bytes.len(), shape.level_texels(level) * texel);
    let mut copy = level_copy_params(shape, texel, level);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes.as_ptr().cast();
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    // SAFETY: `mipmap` was not destroyed.
    copy.dstArray = unsafe { level_array(mipmap, level) }?;
    // SAFETY: `bytes` holds every row of every slice.
    finish_host_copy(unsafe { cuMemcpy3D(&copy) })
}

/// Returns parameters for a copy of one level, with only the extent filled in. A dimension that the image lacks is 1.
/// The depth is the number of slices in all layers together.
fn level_copy_params(shape: &ImageShape, texel: usize, level: u32) -> CUDA_MEMCPY3D {
    let vk::Extent3D { width, height, depth } = shape.level_extent(level);
    CUDA_MEMCPY3D {
        WidthInBytes: width as usize * texel,
        Height: height as usize,
        Depth: (depth * shape.layers) as usize,
        ..Default::default()
    }
}
