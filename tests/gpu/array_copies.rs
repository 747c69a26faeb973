//! 2D copies with a pitch, between a level of a Vulkan image, pitched device memory and the host.

use ash::vk;
use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, DeviceMemory, Stream};
use interop::shared::SharedImage;
use interop::vulkan::{Shape, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::{self, compare_levels, level_patterns, shape};
use crate::machine::{ok, vulkan_test};

/// Odd sides, so that each level's rows have another length, and a pitch that differs from all of them.
const SHAPE: Shape = shape(vk::ImageViewType::TYPE_2D, [203, 101, 1], 1, 4);
const PITCH: usize = 1024;
const GAP: u8 = 0xee;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => every_level_to_pitched_memory_and_back, a_rectangle_of_a_level;
    }
}

/// Returns a level's array, the bytes of its rows, and how many there are.
fn level(shared: &SharedImage, level: u32) -> (CUarray, usize, usize) {
    let vk::Extent3D { width, height, .. } = SHAPE.level_extent(level);
    (shared.level(level).unwrap(), 4 * width as usize, height as usize)
}

/// Returns rows, each followed by the gap up to the pitch.
fn with_pitch(rows: &[u8], width: usize) -> Vec<u8> {
    rows.chunks(width).flat_map(|row| [row, &vec![GAP; PITCH - width][..]].concat()).collect()
}

type Function<'a> = &'a dyn Fn(&CUDA_MEMCPY2D) -> CUresult;

/// With each function that copies in two dimensions.
fn every_level_to_pitched_memory_and_back(vulkan: &Vulkan) {
    let stream = Stream::new().unwrap();
    // SAFETY: each copy below is within its ranges.
    let functions: [(&str, Function); 3] = [
        ("cuMemcpy2D", &|copy| unsafe { cuMemcpy2D(copy) }),
        ("cuMemcpy2DAsync", &|copy| unsafe { cuMemcpy2DAsync(copy, stream.raw()) }),
        ("cuMemcpy2DUnaligned", &|copy| unsafe { cuMemcpy2DUnaligned(copy) }),
    ];
    let memory = DeviceMemory::new(PITCH * SHAPE.extent.height as usize).unwrap();
    let shared = fixtures::image(vulkan, SHAPE, vk::ImageUsageFlags::empty());
    for (name, function) in functions {
        println!("{name}");
        let copy = |copy: &CUDA_MEMCPY2D| {
            ok(function(copy));
            // SAFETY: the function takes nothing.
            ok(unsafe { cuCtxSynchronize() });
        };
        let (old, new) = (level_patterns(&shared.image, 1), level_patterns(&shared.image, 2));
        shared.image.write(&old).unwrap();
        for ((index, old), new) in (0..).zip(&old).zip(&new) {
            let (array, width, height) = level(&shared, index);
            cuda::write(memory.address, &vec![GAP; PITCH * height]).unwrap();
            copy(&CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_ARRAY,
                srcArray: array,
                dstMemoryType: CU_MEMORYTYPE_DEVICE,
                dstDevice: memory.address,
                dstPitch: PITCH,
                WidthInBytes: width,
                Height: height,
                ..Default::default()
            });
            let seen = cuda::read(memory.address, PITCH * height).unwrap();
            assert_same("from the level", &seen, &with_pitch(old, width));
            cuda::write(memory.address, &with_pitch(new, width)).unwrap();
            copy(&CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_DEVICE,
                srcDevice: memory.address,
                srcPitch: PITCH,
                dstMemoryType: CU_MEMORYTYPE_ARRAY,
                dstArray: array,
                WidthInBytes: width,
                Height: height,
                ..Default::default()
            });
        }
        compare_levels("to the level", &shared.image.read().unwrap(), &new).unwrap();
    }
}

/// The host's rows have a pitch too, and both ends an offset.
fn a_rectangle_of_a_level(vulkan: &Vulkan) {
    let shared = fixtures::image(vulkan, SHAPE, vk::ImageUsageFlags::empty());
    let (array, level_width, _) = level(&shared, 0);
    let mut expected =
        Vec::from_iter((0..SHAPE.levels).map(|level| vec![GAP; shared.image.level_size(level)]));
    shared.image.write(&expected).unwrap();
    let (x, y, width, height) = (4 * 17, 23, 4 * 50, 31);
    let (host_x, host_y, host_pitch) = (12, 2, 300);
    let host = pattern(9, host_pitch * (host_y + height));
    let copy = CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcPitch: host_pitch,
        srcXInBytes: host_x,
        srcY: host_y,
        dstMemoryType: CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        dstXInBytes: x,
        dstY: y,
        WidthInBytes: width,
        Height: height,
        ..Default::default()
    };
    // SAFETY: `host` has every row, and the rectangle lies in the level.
    unsafe {
        ok(cuMemcpy2D(&copy));
        ok(cuCtxSynchronize());
    }
    for row in 0..height {
        let from = &host[(host_y + row) * host_pitch + host_x..][..width];
        expected[0][(y + row) * level_width + x..][..width].copy_from_slice(from);
    }
    let seen = shared.image.read().unwrap();
    compare_levels("the rectangle and what is around it", &seen, &expected).unwrap();
}
