//! Surface and texture objects on a mapped image: created, destroyed and refused. Kernels read and write through them
//! in examples/cudarc.

use ash::vk;
use cuda_external_sys::*;
use interop::cuda::{ImportedMemory, level_array};
use interop::formats::array_descriptor;
use interop::vulkan::{Image, Placement, Shape, Vulkan};
use libtest_mimic::Trial;

use crate::machine::{ok, test};

const SHAPE: Shape = Shape {
    view: vk::ImageViewType::TYPE_2D,
    extent: vk::Extent3D { width: 256, height: 128, depth: 1 },
    layers: 1,
    levels: 5,
};

pub fn trials() -> Vec<Trial> {
    vec![
        test("texture_objects::each_level_is_a_surface", surfaces),
        test("texture_objects::a_texture_needs_no_surface_flag", no_surface_flag),
        test("texture_objects::a_mipmapped_array_and_a_level_are_textures", textures),
        test("texture_objects::a_texture_views_some_levels", views),
        test("texture_objects::wrong_descriptions_are_refused", refused),
    ]
}

struct Mapped<'v> {
    mipmap: CUmipmappedArray,
    _import: ImportedMemory,
    _image: Image<'v>,
}

fn map(vulkan: &Vulkan, surface: bool) -> Mapped<'_> {
    let usage = vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::SAMPLED
        | if surface { vk::ImageUsageFlags::STORAGE } else { vk::ImageUsageFlags::empty() };
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = Image::new(vulkan, SHAPE, format, usage, Placement::OwnMemory).unwrap();
    image.release_empty().unwrap();
    let desc = array_descriptor(format, SHAPE.extent, 1, SHAPE.view, usage, surface).unwrap();
    let import = ImportedMemory::from_vulkan(&image.memory).unwrap();
    let mipmap = import.map_mipmapped_array(image.offset, desc, SHAPE.levels).unwrap();
    Mapped { mipmap, _import: import, _image: image }
}

fn of_array(array: CUarray) -> CUDA_RESOURCE_DESC {
    let mut desc = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
    desc.res.array.hArray = array;
    desc
}

fn of_mipmapped_array(mipmap: CUmipmappedArray) -> CUDA_RESOURCE_DESC {
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

fn surface(desc: &CUDA_RESOURCE_DESC) -> Result<CUsurfObject, CUresult> {
    let mut object = 0;
    // SAFETY: the function reads the description and writes a handle.
    unsafe { cuSurfObjectCreate(&mut object, desc) }.result().map(|()| object)
}

fn texture(
    desc: &CUDA_RESOURCE_DESC,
    sampling: &CUDA_TEXTURE_DESC,
    view: Option<&CUDA_RESOURCE_VIEW_DESC>,
) -> Result<CUtexObject, CUresult> {
    let view = view.map_or(std::ptr::null(), |view| &raw const *view);
    let mut object = 0;
    // SAFETY: the function reads the descriptions and writes a handle.
    unsafe { cuTexObjectCreate(&mut object, desc, sampling, view) }.result().map(|()| object)
}

fn surfaces(vulkan: &Vulkan) {
    let mapped = map(vulkan, true);
    let arrays = (0..SHAPE.levels).map(|level| level_array(mapped.mipmap, level).unwrap());
    let objects: Vec<CUsurfObject> = arrays.map(|array| surface(&of_array(array)).unwrap()).collect();
    let mut distinct = objects.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), objects.len());
    for object in objects {
        // SAFETY: no kernel uses it, and it is destroyed once.
        ok(unsafe { cuSurfObjectDestroy(object) });
    }
}

/// The flag SURFACE_LDST is for surfaces. (NVIDIA's manual requires it for these; driver 580.159 makes a surface without
/// it as well.)
fn no_surface_flag(vulkan: &Vulkan) {
    let mapped = map(vulkan, false);
    for level in 0..SHAPE.levels {
        let level = level_array(mapped.mipmap, level).unwrap();
        let object = texture(&of_array(level), &sampling(), None).unwrap();
        // SAFETY: no kernel uses it, and it is destroyed once.
        ok(unsafe { cuTexObjectDestroy(object) });
    }
}

fn textures(vulkan: &Vulkan) {
    let mapped = map(vulkan, false);
    let level = level_array(mapped.mipmap, 3).unwrap();
    for desc in [of_mipmapped_array(mapped.mipmap), of_array(level)] {
        let object = texture(&desc, &sampling(), None).unwrap();
        // SAFETY: no kernel uses it, and it is destroyed once.
        ok(unsafe { cuTexObjectDestroy(object) });
    }
}

fn views(vulkan: &Vulkan) {
    let mapped = map(vulkan, false);
    let view = CUDA_RESOURCE_VIEW_DESC {
        format: CU_RES_VIEW_FORMAT_UINT_4X8,
        width: SHAPE.extent.width as usize,
        height: SHAPE.extent.height as usize,
        firstMipmapLevel: 1,
        lastMipmapLevel: 3,
        ..Default::default()
    };
    // Integers are not filtered.
    let sampling = CUDA_TEXTURE_DESC {
        filterMode: CU_TR_FILTER_MODE_POINT,
        mipmapFilterMode: CU_TR_FILTER_MODE_POINT,
        flags: CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_READ_AS_INTEGER,
        ..sampling()
    };
    let object = texture(&of_mipmapped_array(mapped.mipmap), &sampling, Some(&view)).unwrap();
    // SAFETY: no kernel uses it, and it is destroyed once.
    ok(unsafe { cuTexObjectDestroy(object) });
}

fn refused(vulkan: &Vulkan) {
    let mapped = map(vulkan, true);
    let mipmap = of_mipmapped_array(mapped.mipmap);
    let unknown_kind = CUDA_RESOURCE_DESC { resType: CUresourcetype(77), ..mipmap };
    for (what, found) in [
        ("a surface on all levels", surface(&mipmap)),
        ("a surface on no array", surface(&of_array(std::ptr::null_mut()))),
        ("a texture on no array", texture(&of_array(std::ptr::null_mut()), &sampling(), None)),
        ("a texture of no kind", texture(&unknown_kind, &sampling(), None)),
    ] {
        let code = found.expect_err(what);
        let documented = [CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE];
        assert!(documented.contains(&code), "{what}: {code}");
    }
}
