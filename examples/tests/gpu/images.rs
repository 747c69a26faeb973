//! Passes Vulkan images to CUDA and back, in each shape and each format that the device supports.

use ash::vk;
use libtest_mimic::Trial;

use crate::opened_devices::vulkan_trial;
use example_support::shared_resources::SharedImage;
use example_support::test_bytes::{assert_same_bytes, compare_bytes, test_pattern};
use example_support::vulkan::{ExportableImage, ImageShape, Vulkan};
use example_support::{Error, Result, array_descriptors};

const fn image_shape(
    view: vk::ImageViewType,
    [width, height, depth]: [u32; 3],
    layers: u32,
    levels: u32,
) -> ImageShape {
    ImageShape { view, extent: vk::Extent3D { width, height, depth }, layers, levels }
}

/// Images of every view type. Most sides are not powers of two, and all but one image have all possible mip levels.
const SHAPES: [(&str, ImageShape); 8] = [
    ("1d", image_shape(vk::ImageViewType::TYPE_1D, [301, 1, 1], 1, 9)),
    ("1d_array", image_shape(vk::ImageViewType::TYPE_1D_ARRAY, [100, 1, 1], 5, 7)),
    ("2d", image_shape(vk::ImageViewType::TYPE_2D, [203, 101, 1], 1, 8)),
    ("2d_with_one_level", image_shape(vk::ImageViewType::TYPE_2D, [640, 360, 1], 1, 1)),
    ("2d_array", image_shape(vk::ImageViewType::TYPE_2D_ARRAY, [50, 30, 1], 4, 6)),
    ("3d", image_shape(vk::ImageViewType::TYPE_3D, [40, 21, 13], 1, 6)),
    ("cube", image_shape(vk::ImageViewType::CUBE, [60, 60, 1], 6, 6)),
    ("cube_array", image_shape(vk::ImageViewType::CUBE_ARRAY, [32, 32, 1], 12, 6)),
];

/// A suffix of the test's name, and the image's usage in addition to copies and sampling.
const USAGES: [(&str, vk::ImageUsageFlags); 3] = [
    ("", vk::ImageUsageFlags::empty()),
    ("_for_surfaces", vk::ImageUsageFlags::STORAGE),
    ("_that_is_drawn_to", vk::ImageUsageFlags::COLOR_ATTACHMENT),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = test_support::tests! {
        vulkan_trial => images_at_offsets_in_every_shape, what_vulkan_draws_cuda_reads;
    };
    for (name, shape) in SHAPES {
        for (purpose, usage) in USAGES {
            let name = format!("images::{name}_in_every_format{purpose}");
            trials.push(vulkan_trial(&name, move |vulkan| assert_every_format_passes(vulkan, shape, usage)));
        }
    }
    trials
}

/// Passes an image of each format both ways, then reports the formats that failed.
fn assert_every_format_passes(vulkan: &Vulkan, shape: ImageShape, usage: vk::ImageUsageFlags) {
    let (mut failures, mut unsupported) = (Vec::new(), Vec::new());
    let all = Vec::from_iter(array_descriptors::all_array_formats().map(|format| format.vulkan));
    for &format in &all {
        match SharedImage::new(vulkan, shape, format, usage).and_then(|shared| pass_image_both_ways(&shared))
        {
            Ok(()) => {}
            Err(Error::Missing(what)) => unsupported.push(what),
            Err(Error::Failed(what)) => failures.push(format!("{format:?}: {what}")),
        }
    }
    let done = all.len() - unsupported.len();
    println!("{done} formats both ways, {} levels\n{}", shape.levels, unsupported.join("\n"));
    assert!(failures.is_empty(), "of {done} formats:\n{}", failures.join("\n"));
    // The device must support copies and sampling in every format, and a further usage in at least 20 formats.
    assert!(done >= if usage.is_empty() { all.len() } else { 20 }, "{done} formats only");
}

fn pass_image_both_ways(shared: &SharedImage) -> Result<()> {
    for round in [1, 3] {
        let sent = level_patterns(&shared.image, round);
        shared.write(&sent)?;
        compare_levels("from CUDA to Vulkan", &shared.image.read()?, &sent)?;
        let sent = level_patterns(&shared.image, round + 1);
        shared.image.write(&sent)?;
        compare_levels("from Vulkan to CUDA", &shared.read()?, &sent)?;
    }
    Ok(())
}

fn level_patterns(image: &ExportableImage, seed: u64) -> Vec<Vec<u8>> {
    let levels = 0..image.shape.levels;
    levels.map(|level| test_pattern(100 * seed + u64::from(level), image.level_size(level))).collect()
}

fn compare_levels(what: &str, seen: &[Vec<u8>], expected: &[Vec<u8>]) -> Result<()> {
    assert_eq!(seen.len(), expected.len(), "{what}: levels");
    let mut levels = seen.iter().zip(expected).enumerate();
    levels.try_for_each(|(level, (seen, expected))| {
        compare_bytes(&format!("{what}, level {level}"), seen, expected)
    })
}

/// Binds each image at an offset of a larger allocation, even if Vulkan prefers a dedicated allocation for the image.
fn images_at_offsets_in_every_shape(vulkan: &Vulkan) {
    for (name, shape) in SHAPES {
        let format = vk::Format::R8G8B8A8_UNORM;
        let image = ExportableImage::new(vulkan, shape, format, SharedImage::USAGE, 100_000).unwrap();
        println!("{name}: at {} of {}", image.offset, image.memory.size);
        assert!(image.offset >= 100_000 && !image.memory.dedicated);
        let desc = array_descriptors::array_descriptor(&shape, format, SharedImage::USAGE).unwrap();
        // SAFETY: `array_descriptor` describes the image.
        let shared = unsafe { SharedImage::map_image(image, desc) }.unwrap();
        pass_image_both_ways(&shared).unwrap();
    }
}

/// A driver could note the clear of an attachment only in the image's metadata, which CUDA does not read.
fn what_vulkan_draws_cuda_reads(vulkan: &Vulkan) {
    let shape = image_shape(vk::ImageViewType::TYPE_2D, [1024, 512, 1], 1, 3);
    let color = [0.25_f32, -2.0, 1e6, 1.0];
    for (format, texel) in [
        (vk::Format::R32G32B32A32_SFLOAT, color.map(f32::to_le_bytes).concat()),
        (vk::Format::R8G8B8A8_UNORM, vec![64, 0, 255, 255]),
        (vk::Format::R8_UNORM, vec![64]),
    ] {
        let shared = SharedImage::new(vulkan, shape, format, vk::ImageUsageFlags::COLOR_ATTACHMENT).unwrap();
        for level in 0..shape.levels {
            clear_level_by_drawing(vulkan, &shared.image, format, level, color);
        }
        for (level, seen) in (0..).zip(shared.read().unwrap()) {
            let expected = texel.repeat(shape.level_texels(level));
            assert_same_bytes(&format!("{format:?}, level {level}"), &seen, &expected);
        }
    }
}

fn clear_level_by_drawing(
    vulkan: &Vulkan,
    image: &ExportableImage,
    format: vk::Format,
    level: u32,
    color: [f32; 4],
) {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .base_mip_level(level)
        .level_count(1)
        .layer_count(1);
    let info = vk::ImageViewCreateInfo::default()
        .image(image.raw)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range);
    // SAFETY: the image lives, and has the level.
    let view = unsafe { vulkan.device.create_image_view(&info, None) }.unwrap();
    let target = vk::RenderingAttachmentInfo::default()
        .image_view(view)
        .image_layout(vk::ImageLayout::GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: color } });
    let vk::Extent3D { width, height, .. } = image.shape.level_extent(level);
    let info = vk::RenderingInfo::default()
        .render_area(vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() })
        .layer_count(1)
        .color_attachments(std::slice::from_ref(&target));
    let record = |commands| {
        image.acquire_or_initialize(commands);
        // SAFETY: the view lives until the submission is done.
        unsafe {
            vulkan.device.cmd_begin_rendering(commands, &info);
            vulkan.device.cmd_end_rendering(commands);
        }
        image.release_to_cuda(commands);
    };
    vulkan.submit_and_wait(record).unwrap();
    // SAFETY: the submission is done.
    unsafe { vulkan.device.destroy_image_view(view, None) };
}
