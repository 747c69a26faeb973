//! CUDA's formats with several planes, for a whole image.

use std::ffi::c_uint;
use std::ptr;

use cuda_external_sys::*;
use interop::Result;
use interop::cuda::{import_memory, level_array};

use crate::case::{Case, answer, or_answer};
use crate::gpu::vulkan;
use crate::planar_image::{Arrangement, NV12, NV16, P010, P016, PlanarFormat, PlanarImage, Rows, map_plane};

/// CUDA formats with several planes, and the Vulkan format with the same texels.
const WHOLE: &[(CUarray_format, PlanarFormat)] = &[
    (CU_AD_FORMAT_NV12, NV12),
    (CU_AD_FORMAT_UINT8_SEMIPLANAR_420, NV12),
    (CU_AD_FORMAT_P010, P010),
    (CU_AD_FORMAT_P016, P016),
    (CU_AD_FORMAT_UINT16_SEMIPLANAR_420, P016),
    (CU_AD_FORMAT_NV16, NV16),
    (CU_AD_FORMAT_UINT8_SEMIPLANAR_422, NV16),
];

/// `CUDA_ARRAY3D_VIDEO_ENCODE_DECODE`, which this crate does not bind.
const VIDEO_ENCODE_DECODE: c_uint = 0x100;

cuda_external_sys::extern_driver! {
    /// Returns the array of a plane, which this crate does not bind.
    fn cuArrayGetPlane(plane: *mut CUarray, array: CUarray, index: c_uint) -> CUresult;
}

/// Each format, with and without the flag.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &(element, format) in WHOLE {
        for (flags, with) in [(0, ""), (VIDEO_ENCODE_DECODE, ", with VIDEO_ENCODE_DECODE")] {
            let name = format!("`{:?}` in one allocation: `{element:?}` × 3{with}", format.vulkan);
            cases.push(Case::new(name, move || whole(element, flags, format)));
        }
    }
    cases
}

/// All planes as one array of a planar format.
fn whole(element: CUarray_format, flags: c_uint, format: PlanarFormat) -> Result<()> {
    let image = PlanarImage::new(vulkan(0)?, format, Arrangement::Together)?;
    let memory = &image.image.memory;
    // No guard: an error may leave the context unusable, and a guard's teardown would then panic.
    let imported = import_memory(memory.export()?, memory.size, memory.dedicated)?;
    let Some(mipmap) = or_answer(map_plane(imported, 0, &format.shape(0), (element, 3), flags)) else {
        answer("-");
        return Ok(());
    };
    for plane in [0, 1] {
        image.exchange(plane, |bytes| {
            let mut array = ptr::null_mut();
            // SAFETY: the mapping lives; the plane's array belongs to it.
            let code = unsafe { cuArrayGetPlane(&mut array, level_array(mipmap, 0)?, plane as c_uint) };
            let copied = code.result().map_err(|code| format!("cuArrayGetPlane: {code:?}")).and_then(|()| {
                let copied = image.copy_rows(plane, Rows::Array(array), bytes);
                copied.map_err(|code| format!("the copy: {code:?}"))
            });
            Ok(copied.inspect_err(|text| answer(text)).ok())
        })?;
    }
    Ok(())
}
