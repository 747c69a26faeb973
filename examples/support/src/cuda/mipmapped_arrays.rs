//! A mipmapped array over imported memory, and its levels.

use std::ptr;

use cuda_external_sys::*;

use crate::Result;

/// Maps imported memory as a mipmapped array. `cuMipmappedArrayDestroy` unmaps it.
///
/// # Safety
///
/// `memory` must be live. `array` and `levels` must describe the image at `offset`: the driver may miss an error.
pub unsafe fn map_mipmapped_array(
    memory: CUexternalMemory,
    offset: u64,
    array: CUDA_ARRAY3D_DESCRIPTOR,
    levels: u32,
) -> std::result::Result<CUmipmappedArray, CUresult> {
    let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        offset,
        arrayDesc: array,
        numLevels: levels,
        ..Default::default()
    };
    let mut mipmap = ptr::null_mut();
    // SAFETY: the caller guarantees that `memory` was not destroyed, and that `desc` describes the image at `offset`.
    unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, memory, &desc) }.result().map(|()| mipmap)
}

/// Returns a level's array, which belongs to the mipmapped array and must not be destroyed separately.
///
/// # Safety
///
/// `mipmap` must not have been destroyed.
pub unsafe fn level_array(mipmap: CUmipmappedArray, level: u32) -> Result<CUarray> {
    let mut array = ptr::null_mut();
    // SAFETY: `mipmap` was not destroyed; the driver checks the level.
    unsafe { cuMipmappedArrayGetLevel(&mut array, mipmap, level) }.result()?;
    Ok(array)
}
