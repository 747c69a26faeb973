//! Buffers, images and semaphores of Vulkan in CUDA, and what one side writes and the other reads.

use std::thread;
use std::time::Duration;

use ash::vk;
use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{Stream, read, write};
use example_support::test_bytes::{assert_same_bytes, compare_bytes, test_pattern};
use example_support::vulkan::{ExportableBuffer, ExportableImage, ImageShape};

pub const fn image_shape(
    view: vk::ImageViewType,
    [width, height, depth]: [u32; 3],
    layers: u32,
    levels: u32,
) -> ImageShape {
    ImageShape { view, extent: vk::Extent3D { width, height, depth }, layers, levels }
}

/// Panics if the stream is done although one of its waits should hold it. The waiting time is much longer than the
/// work takes.
#[track_caller]
pub fn assert_stream_still_waits(stream: &Stream) {
    thread::sleep(Duration::from_millis(50));
    assert!(!stream.is_done().unwrap(), "a wait did not hold");
}

/// Vulkan writes and CUDA reads; CUDA writes and Vulkan reads. All buffers are filled before any is read, so that one
/// that lies on another shows.
#[track_caller]
pub fn assert_both_ways(buffers: &[(&ExportableBuffer, CUdeviceptr)]) {
    for (seed, (buffer, _)) in (1..).zip(buffers) {
        buffer.write(0, &test_pattern(seed, buffer.size as usize)).unwrap();
    }
    for (seed, (buffer, address)) in (1..).zip(buffers) {
        let seen = read(*address, buffer.size as usize).unwrap();
        assert_same_bytes("from Vulkan to CUDA", &seen, &test_pattern(seed, seen.len()));
    }
    for (seed, (buffer, address)) in (100..).zip(buffers) {
        write(*address, &test_pattern(seed, buffer.size as usize)).unwrap();
    }
    for (seed, (buffer, _)) in (100..).zip(buffers) {
        let seen = buffer.read(0, buffer.size).unwrap();
        assert_same_bytes("from CUDA to Vulkan", &seen, &test_pattern(seed, seen.len()));
    }
}

/// Returns a different pattern for each level of an image.
pub fn level_patterns(image: &ExportableImage, seed: u64) -> Vec<Vec<u8>> {
    let levels = 0..image.shape.levels;
    levels.map(|level| test_pattern(100 * seed + u64::from(level), image.level_size(level))).collect()
}

pub fn compare_levels(what: &str, seen: &[Vec<u8>], expected: &[Vec<u8>]) -> Result<()> {
    assert_eq!(seen.len(), expected.len(), "{what}: levels");
    let mut levels = seen.iter().zip(expected).enumerate();
    levels.try_for_each(|(level, (seen, expected))| {
        compare_bytes(&format!("{what}, level {level}"), seen, expected)
    })
}
