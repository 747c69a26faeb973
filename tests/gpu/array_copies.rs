//! 2D copies with a pitch, between a level of a Vulkan image, pitched device memory and the host.

use ash::vk;
use cuda_external_sys::*;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, DeviceMemory, ImportedMemory, Stream, level_array};
use interop::formats::array_descriptor;
use interop::vulkan::{Image, Placement, Shape, Vulkan};
use libtest_mimic::Trial;

use crate::machine::{ok, test};

/// Odd sides, so that every level has rows of another length, and a pitch that none of them has.
const SHAPE: Shape = Shape {
    view: vk::ImageViewType::TYPE_2D,
    extent: vk::Extent3D { width: 203, height: 101, depth: 1 },
    layers: 1,
    levels: 4,
};
const PITCH: usize = 1024;
const GAP: u8 = 0xee;

pub fn trials() -> Vec<Trial> {
    vec![
        test("array_copies::a_level_to_pitched_memory_and_back", |vulkan| {
            pitched_memory(vulkan, |copy| {
                // SAFETY: the caller's copy is within its ranges, here and below.
                ok(unsafe { cuMemcpy2D(copy) });
            });
        }),
        test("array_copies::a_level_to_pitched_memory_and_back_in_a_stream", |vulkan| {
            let stream = Stream::new().unwrap();
            pitched_memory(vulkan, |copy| {
                // SAFETY: as above.
                ok(unsafe { cuMemcpy2DAsync(copy, stream.raw()) });
                stream.finish().unwrap();
            });
        }),
        test("array_copies::a_level_to_unaligned_memory_and_back", |vulkan| {
            pitched_memory(vulkan, |copy| {
                // SAFETY: as above.
                ok(unsafe { cuMemcpy2DUnaligned(copy) });
            });
        }),
        test("array_copies::a_rectangle_of_a_level", rectangle),
        test("array_copies::a_pitch_below_the_row_is_refused", refused),
    ]
}

struct Level {
    array: CUarray,
    width: usize,
    height: usize,
}

struct Mapped<'v> {
    image: Image<'v>,
    _import: ImportedMemory,
    levels: Vec<Level>,
}

fn map(vulkan: &Vulkan) -> Mapped<'_> {
    let usage =
        vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED;
    let format = vk::Format::R8G8B8A8_UNORM;
    let image = Image::new(vulkan, SHAPE, format, usage, Placement::OwnMemory).unwrap();
    let desc = array_descriptor(format, SHAPE.extent, 1, SHAPE.view, usage, false).unwrap();
    let import = ImportedMemory::from_vulkan(&image.memory).unwrap();
    let mipmap = import.map_mipmapped_array(image.offset, desc, SHAPE.levels).unwrap();
    let level = |level| {
        let extent = SHAPE.level_extent(level);
        let array = level_array(mipmap, level).unwrap();
        Level { array, width: 4 * extent.width as usize, height: extent.height as usize }
    };
    let levels = (0..SHAPE.levels).map(level).collect();
    Mapped { image, _import: import, levels }
}

/// Rows of a level, each followed by the gap up to the pitch.
fn with_pitch(rows: &[u8], width: usize) -> Vec<u8> {
    rows.chunks(width).flat_map(|row| [row, &vec![GAP; PITCH - width][..]].concat()).collect()
}

fn pitched_memory(vulkan: &Vulkan, copy: impl Fn(&CUDA_MEMCPY2D)) {
    let mapped = map(vulkan);
    let bytes = |seed: u64| -> Vec<Vec<u8>> {
        mapped.levels.iter().zip(seed..).map(|(l, seed)| pattern(seed, l.width * l.height)).collect()
    };
    let memory = DeviceMemory::new(PITCH * SHAPE.extent.height as usize).unwrap();

    mapped.image.write(&bytes(1)).unwrap();
    for (level, sent) in mapped.levels.iter().zip(bytes(1)) {
        cuda::write(memory.address, &vec![GAP; PITCH * level.height]).unwrap();
        copy(&CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_ARRAY,
            srcArray: level.array,
            dstMemoryType: CU_MEMORYTYPE_DEVICE,
            dstDevice: memory.address,
            dstPitch: PITCH,
            WidthInBytes: level.width,
            Height: level.height,
            ..Default::default()
        });
        let seen = cuda::read(memory.address, PITCH * level.height).unwrap();
        assert_same("from the level", &seen, &with_pitch(&sent, level.width));
    }

    for (level, sent) in mapped.levels.iter().zip(bytes(50)) {
        cuda::write(memory.address, &with_pitch(&sent, level.width)).unwrap();
        copy(&CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: memory.address,
            srcPitch: PITCH,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: level.array,
            WidthInBytes: level.width,
            Height: level.height,
            ..Default::default()
        });
    }
    // SAFETY: takes nothing.
    ok(unsafe { cuCtxSynchronize() });
    for (seen, sent) in mapped.image.read().unwrap().iter().zip(bytes(50)) {
        assert_same("to the level", seen, &sent);
    }
}

/// The host's rows have a pitch too, and both ends an offset.
fn rectangle(vulkan: &Vulkan) {
    let mapped = map(vulkan);
    let level = &mapped.levels[0];
    let before: Vec<Vec<u8>> = mapped.levels.iter().map(|l| vec![GAP; l.width * l.height]).collect();
    mapped.image.write(&before).unwrap();
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
        dstArray: level.array,
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
    let mut expected = before;
    for row in 0..height {
        let from = &host[(host_y + row) * host_pitch + host_x..][..width];
        expected[0][(y + row) * level.width + x..][..width].copy_from_slice(from);
    }
    for (seen, expected) in mapped.image.read().unwrap().iter().zip(&expected) {
        assert_same("the rectangle and what is around it", seen, expected);
    }
}

fn refused(vulkan: &Vulkan) {
    let mapped = map(vulkan);
    let level = &mapped.levels[0];
    let memory = DeviceMemory::new(PITCH * level.height).unwrap();
    let right = CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_ARRAY,
        srcArray: level.array,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: memory.address,
        dstPitch: PITCH,
        WidthInBytes: level.width,
        Height: level.height,
        ..Default::default()
    };
    for (what, wrong) in [
        ("a pitch below the row", CUDA_MEMCPY2D { dstPitch: level.width - 4, ..right }),
        ("a row beyond the level", CUDA_MEMCPY2D { Height: level.height + 1, ..right }),
        ("a column beyond the level", CUDA_MEMCPY2D { srcXInBytes: 4, ..right }),
    ] {
        // SAFETY: the driver checks the copy; were it done, it would stay in the memory.
        assert_eq!(unsafe { cuMemcpy2D(&wrong) }, CUDA_ERROR_INVALID_VALUE, "{what}");
    }
    // SAFETY: the ranges are as above.
    ok(unsafe { cuMemcpy2D(&right) });
}
