//! Images with two planes, as video formats have them.

use std::ffi::c_uint;
use std::ptr;

use ash::vk;
use cuda_external_sys::*;
use example_support::Result;
use example_support::bytes::pattern;
use example_support::cuda::{ImportedMemory, import_memory, level_array, read_level, write_level};
use example_support::shared::SharedImage;

use super::planar_image::{
    Arrangement, NV12, NV16, P010, P016, PlanarFormat, PlanarImage, map_plane, verdict,
};
use super::shared::Rows;
use crate::case::{Case, Group, answer, or_answer};
use crate::gpu::vulkan;

/// CUDA's description of each plane: an element, and a number of channels.
type Elements = [(CUarray_format, c_uint); 2];

const INTEGER: Elements = [(CU_AD_FORMAT_UNSIGNED_INT8, 1), (CU_AD_FORMAT_UNSIGNED_INT8, 2)];
const NORMALIZED: Elements = [(CU_AD_FORMAT_UNORM_INT8X1, 1), (CU_AD_FORMAT_UNORM_INT8X2, 2)];

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

pub fn group() -> Group {
    let mut cases = vec![
        Case::new("an `R8` image and an `R8G8` image", two_images),
        Case::new("two planes, disjoint: `UNSIGNED_INT8` × 1 and × 2", || disjoint(INTEGER)),
        Case::new("two planes, disjoint: `UNORM_INT8X1` and `UNORM_INT8X2`", || disjoint(NORMALIZED)),
        Case::new("two planes in one allocation: `UNSIGNED_INT8` × 1 and × 2", together),
        Case::new("two planes with linear tiling: as a buffer with a pitch", linear),
    ];
    for &(element, format) in WHOLE {
        for (flags, with) in [(0, ""), (VIDEO_ENCODE_DECODE, ", with VIDEO_ENCODE_DECODE")] {
            let name = format!("`{:?}` in one allocation: `{element:?}` × 3{with}", format.vulkan);
            cases.push(Case::new(name, move || whole(element, flags, format)));
        }
    }
    Group::new("planes", cases)
}

/// The alternative without planes: Vulkan copies or renders to two images.
fn two_images() -> Result<()> {
    for (plane, format) in [vk::Format::R8_UNORM, vk::Format::R8G8_UNORM].into_iter().enumerate() {
        let shared = SharedImage::new(vulkan(0)?, NV12.shape(plane), format, vk::ImageUsageFlags::empty())?;
        let [sent, other] = [1, 2].map(|seed| [pattern(seed, shared.image.level_size(0))]);
        shared.image.write(&sent)?;
        let cuda_reads = shared.read()? == sent;
        shared.write(&other)?;
        answer(verdict(cuda_reads, shared.image.read()? == other));
    }
    Ok(())
}

fn disjoint(elements: Elements) -> Result<()> {
    let image = PlanarImage::new(vulkan(0)?, NV12, Arrangement::Disjoint)?;
    let second = image.second_memory.as_ref().expect("a disjoint image has two");
    let imports = [ImportedMemory::from_vulkan(&image.image.memory)?, ImportedMemory::from_vulkan(second)?];
    planes_as_arrays(&image, elements, [&imports[0], &imports[1]], [0, 0])
}

fn together() -> Result<()> {
    let device = vulkan(0)?;
    let second = PlanarImage::new(device, NV12, Arrangement::Disjoint)?.second_plane_behind_first();
    let image = PlanarImage::new(device, NV12, Arrangement::Together)?;
    let imported = ImportedMemory::from_vulkan(&image.image.memory)?;
    planes_as_arrays(&image, INTEGER, [&imported; 2], [0, second])
}

/// Each plane mapped as an array of its own.
fn planes_as_arrays(
    image: &PlanarImage<'_>,
    elements: Elements,
    imports: [&ImportedMemory; 2],
    offsets: [u64; 2],
) -> Result<()> {
    for plane in [0, 1] {
        let (shape, texel) = (NV12.shape(plane), NV12.texel(plane));
        image.exchange(plane, |bytes| {
            let mipmap = map_plane(imports[plane].raw(), offsets[plane], &shape, elements[plane], 0);
            let Some(mipmap) = or_answer(mipmap) else { return Ok(None) };
            let seen = unsafe { read_level(mipmap, &shape, texel, 0) }?;
            unsafe { write_level(mipmap, &shape, texel, 0, bytes) }?;
            unsafe { cuMipmappedArrayDestroy(mipmap) }.result()?;
            Ok(Some(seen))
        })?;
    }
    Ok(())
}

/// Linear tiling: Vulkan reports each plane's offset and pitch, so no array is needed.
fn linear() -> Result<()> {
    let image = PlanarImage::new(vulkan(0)?, NV12, Arrangement::Linear)?;
    let memory = &image.image.memory;
    let imported = ImportedMemory::from_vulkan(memory)?;
    let address = imported.map_buffer(0, memory.size)?;
    for plane in [0, 1] {
        let layout = image.layout(plane);
        let rows = Rows::Linear { address: address + layout.offset, pitch: layout.row_pitch as usize };
        image.exchange(plane, |bytes| Ok(Some(image.copy_rows(plane, rows, bytes)?)))?;
    }
    Ok(())
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
