//! Texture objects on a mapped image. Kernels read and write through them and through surface objects in
//! examples/cudarc.

use std::ptr::null;

use ash::vk;
use cuda_external_sys::*;
use example_support::vulkan::{ImageShape, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::{self, shape};
use crate::machine::vulkan_test;

const SHAPE: ImageShape = shape(vk::ImageViewType::TYPE_2D, [256, 128, 1], 1, 5);

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => textures_need_no_surface_flag;
    }
}

fn of_array(array: CUarray) -> CUDA_RESOURCE_DESC {
    let mut desc = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    desc.res.array.hArray = array;
    desc
}

fn of_all_levels(mipmap: CUmipmappedArray) -> CUDA_RESOURCE_DESC {
    let mut desc = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, ..Default::default() };
    desc.res.mipmap.hMipmappedArray = mipmap;
    desc
}

fn sampling() -> CUDA_TEXTURE_DESC {
    CUDA_TEXTURE_DESC {
        addressMode: [CU_TR_ADDRESS_MODE_CLAMP; 3],
        filterMode: CU_TR_FILTER_MODE_LINEAR,
        mipmapFilterMode: CU_TR_FILTER_MODE_LINEAR,
        flags: CU_TRSF_NORMALIZED_COORDINATES,
        maxMipmapLevelClamp: 4.0,
        ..Default::default()
    }
}

/// Creates a texture, and destroys it.
fn texture(
    desc: &CUDA_RESOURCE_DESC,
    sampling: &CUDA_TEXTURE_DESC,
    view: *const CUDA_RESOURCE_VIEW_DESC,
) -> Result<(), CUresult> {
    let mut object = 0;
    // SAFETY: the function reads the descriptions and writes a handle; no kernel uses the texture.
    unsafe {
        cuTexObjectCreate(&mut object, desc, sampling, view).result()?;
        cuTexObjectDestroy(object).result()
    }
}

/// A mipmapped array, each of its levels, and some of them as integers, which are not filtered. The flag SURFACE_LDST
/// is for surfaces. (NVIDIA's manual requires it for these; driver 580.159.04 makes a surface without it as well.)
fn textures_need_no_surface_flag(vulkan: &Vulkan) {
    let shared = fixtures::image(vulkan, SHAPE, vk::ImageUsageFlags::empty());
    let all_levels = of_all_levels(shared.mipmap);
    texture(&all_levels, &sampling(), null()).unwrap();
    for level in 0..SHAPE.levels {
        texture(&of_array(shared.level(level).unwrap()), &sampling(), null()).unwrap();
    }
    let view = CUDA_RESOURCE_VIEW_DESC {
        format: CU_RES_VIEW_FORMAT_UINT_4X8,
        width: SHAPE.extent.width as usize,
        height: SHAPE.extent.height as usize,
        firstMipmapLevel: 1,
        lastMipmapLevel: 3,
        ..Default::default()
    };
    let unfiltered = CUDA_TEXTURE_DESC {
        filterMode: CU_TR_FILTER_MODE_POINT,
        mipmapFilterMode: CU_TR_FILTER_MODE_POINT,
        flags: CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_READ_AS_INTEGER,
        ..sampling()
    };
    texture(&all_levels, &unfiltered, &view).unwrap();
}
