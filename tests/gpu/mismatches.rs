//! What the driver says of a descriptor that is not the image's.

use std::process::Child;

use ash::vk;
use cuda_external_sys::*;

use crate::images::{COPIED, Mapped, compare, descriptor, levels, shape};

use crate::machine::{self};
use interop::cuda::ImportedMemory;
use interop::vulkan::{Image, Placement, Vulkan};

/// A way to describe the image wrongly.
type Mismatch = (&'static str, fn(&mut CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC));

const MISMATCHES: &[Mismatch] = &[
    ("as it is", |_| {}),
    ("one level fewer", |d| d.numLevels = 2),
    ("more levels than the shape can have", |d| d.numLevels = 8),
    ("no level", |d| d.numLevels = 0),
    ("another format of that size", |d| {
        (d.arrayDesc.Format, d.arrayDesc.NumChannels) = (CU_AD_FORMAT_UNSIGNED_INT16, 2);
    }),
    ("a smaller texel", |d| {
        (d.arrayDesc.Format, d.arrayDesc.NumChannels) = (CU_AD_FORMAT_UNSIGNED_INT8, 1);
    }),
    ("a larger texel", |d| {
        (d.arrayDesc.Format, d.arrayDesc.NumChannels) = (CU_AD_FORMAT_FLOAT, 4);
    }),
    ("a normalized element with another channel count", |d| d.arrayDesc.NumChannels = 1),
    ("three channels", |d| {
        (d.arrayDesc.Format, d.arrayDesc.NumChannels) = (CU_AD_FORMAT_UNSIGNED_INT8, 3);
    }),
    ("no such format", |d| d.arrayDesc.Format = CUarray_format(0x7f)),
    ("narrower", |d| d.arrayDesc.Width = 60),
    ("too wide for the memory", |d| d.arrayDesc.Width = 16384),
    ("no width", |d| d.arrayDesc.Width = 0),
    ("too many layers for the memory", |d| d.arrayDesc.Depth = 512),
    ("without LAYERED", |d| d.arrayDesc.Flags = 0),
    ("CUBEMAP with 4 layers", |d| d.arrayDesc.Flags = CUDA_ARRAY3D_CUBEMAP),
    ("COLOR_ATTACHMENT added", |d| d.arrayDesc.Flags |= CUDA_ARRAY3D_COLOR_ATTACHMENT),
    ("a flag that does not exist", |d| d.arrayDesc.Flags |= 1 << 30),
    ("1 byte further", |d| d.offset += 1),
    ("16 bytes further", |d| d.offset += 16),
    ("512 bytes further", |d| d.offset += 512),
    ("4 KiB further", |d| d.offset += 4 << 10),
    ("64 KiB further", |d| d.offset += 64 << 10),
    ("an offset behind the memory", |d| d.offset = 1 << 30),
];

/// The driver takes the program's word for what the image is, and refuses only what cannot be:
/// an offset that is no multiple of anything is taken too. Each case has a process of its own,
/// since `numLevels` of 0 breaks the heap of driver 580.159, and the process with it.
pub fn mismatches(vulkan: &Vulkan) {
    let cases: Vec<usize> = (0..MISMATCHES.len()).collect();
    let mut answers = Vec::new();
    for few in cases.chunks(4) {
        let children: Vec<Child> =
            few.iter().map(|case| machine::start("mismatches", &case.to_string())).collect();
        answers.extend(children.into_iter().map(machine::answer));
    }
    println!("{} has a 2D array of 64 x 64 x 4 with 3 levels, R8G8B8A8_UNORM. CUDA is told:", vulkan.name);
    for ((what, _), answer) in MISMATCHES.iter().zip(&answers) {
        println!("  {what}: {answer}");
    }
    assert_eq!(answers[0], "CUDA_SUCCESS");
    // Whatever else it takes, nothing may reach beyond the memory.
    for ((what, _), answer) in MISMATCHES.iter().zip(&answers) {
        assert!(!what.contains("the memory") || answer == "CUDA_ERROR_INVALID_VALUE", "{what}: {answer}");
    }
}

/// What the child does.
pub fn child(case: &str) {
    let shape = shape(vk::ImageViewType::TYPE_2D_ARRAY, [64, 64, 1], 4, 3);
    let format = vk::Format::R8G8B8A8_UNORM;
    // With room before and behind, so that an offset is not refused for the memory's end.
    let place = Placement::AtOffset { before: 1 << 20, behind: 1 << 20 };
    let image = Image::new(machine::vulkan(), shape, format, COPIED, place).unwrap();
    image.write(&levels(&image, 1)).unwrap();
    let right = descriptor(format, &shape, COPIED, false);
    let import = ImportedMemory::from_vulkan(&image.memory).unwrap();
    let mut desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        offset: image.offset,
        arrayDesc: right,
        numLevels: shape.levels,
        ..Default::default()
    };
    MISMATCHES[case.parse::<usize>().unwrap()].1(&mut desc);
    let mut mipmap = std::ptr::null_mut();
    // SAFETY: the import lives. A wrong descriptor is what is asked about, and what it maps is
    // not used.
    let code = unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, import.raw(), &desc) };
    println!("{code:?}");
    if code == CUDA_SUCCESS {
        // SAFETY: mapped above.
        unsafe { cuMipmappedArrayDestroy(mipmap) }.result().unwrap();
    }
    // The right one still works.
    let mapped = Mapped::new(&image, right).unwrap();
    compare("afterwards", &mapped.read().unwrap(), &levels(&image, 1)).unwrap();
}
