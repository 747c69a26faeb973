//! 2D copies with a pitch, between the host, a level of a Vulkan image, and pitched device memory.

use ash::vk;
use cuda_external_sys::*;
use example_support::cuda::{self, DeviceMemory, Stream};
use example_support::test_bytes::{assert_same_bytes, test_pattern};
use example_support::vulkan::{ImageShape, Vulkan};
use libtest_mimic::Trial;

use crate::fixtures::{self, compare_levels, shape};
use crate::machine::{ok, vulkan_test};

/// Odd sides, and a pitch that differs from the length of a row.
const SHAPE: ImageShape = shape(vk::ImageViewType::TYPE_2D, [203, 101, 1], 1, 4);
const PITCH: usize = 1024;
const GAP: u8 = 0xee;

pub fn trials() -> Vec<Trial> {
    test_support::tests! {
        vulkan_test => a_rectangle_of_a_level;
    }
}

type Function<'a> = &'a dyn Fn(&CUDA_MEMCPY2D) -> CUresult;

/// With each function that copies in two dimensions: to the level, and from there to the device. Each end has an
/// offset.
fn a_rectangle_of_a_level(vulkan: &Vulkan) {
    let stream = Stream::new().unwrap();
    // SAFETY: each copy below is within its ranges.
    let functions: [(&str, Function); 3] = [
        ("cuMemcpy2D", &|copy| unsafe { cuMemcpy2D(copy) }),
        ("cuMemcpy2DAsync", &|copy| unsafe { cuMemcpy2DAsync(copy, stream.raw()) }),
        ("cuMemcpy2DUnaligned", &|copy| unsafe { cuMemcpy2DUnaligned(copy) }),
    ];
    let shared = fixtures::image(vulkan, SHAPE, vk::ImageUsageFlags::empty());
    let array = shared.level(0).unwrap();
    let memory = DeviceMemory::new(PITCH * SHAPE.extent.height as usize).unwrap();
    let (x, y, width, height) = (4 * 17, 23, 4 * 50, 31);
    let (other_x, other_y, host_pitch) = (12, 2, 300);
    let both_ways = CUDA_MEMCPY2D {
        srcXInBytes: other_x,
        srcY: other_y,
        dstMemoryType: CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        dstXInBytes: x,
        dstY: y,
        WidthInBytes: width,
        Height: height,
        ..Default::default()
    };
    for (round, (name, function)) in (1..).zip(functions) {
        println!("{name}");
        let host = test_pattern(round, host_pitch * (other_y + height));
        let rows = |pitch: usize, x: usize, y: usize| {
            (0..height).map(move |row| (y + row) * pitch + x).map(move |at| at..at + width)
        };
        let mut expected =
            Vec::from_iter((0..SHAPE.levels).map(|level| vec![GAP; shared.image.level_size(level)]));
        shared.image.write(&expected).unwrap();
        let mut on_device = vec![GAP; PITCH * (other_y + height)];
        cuda::write(memory.address, &on_device).unwrap();
        let to_level = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_HOST,
            srcHost: host.as_ptr().cast(),
            srcPitch: host_pitch,
            ..both_ways
        };
        let to_device = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_ARRAY,
            srcArray: array,
            srcXInBytes: x,
            srcY: y,
            dstMemoryType: CU_MEMORYTYPE_DEVICE,
            dstDevice: memory.address,
            dstPitch: PITCH,
            dstXInBytes: other_x,
            dstY: other_y,
            ..both_ways
        };
        for copy in [to_level, to_device] {
            ok(function(&copy));
            // SAFETY: the function takes nothing.
            ok(unsafe { cuCtxSynchronize() });
        }
        let of_level = rows(4 * SHAPE.extent.width as usize, x, y);
        for ((from, to), device) in
            rows(host_pitch, other_x, other_y).zip(of_level).zip(rows(PITCH, other_x, other_y))
        {
            expected[0][to].copy_from_slice(&host[from.clone()]);
            on_device[device].copy_from_slice(&host[from]);
        }
        let seen = shared.image.read().unwrap();
        compare_levels("the rectangle and what is around it", &seen, &expected).unwrap();
        let seen = cuda::read(memory.address, on_device.len()).unwrap();
        assert_same_bytes("on the device", &seen, &on_device);
    }
}
