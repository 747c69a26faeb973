//! Vulkan's images in CUDA: each format in each shape, all mip levels, both ways, every byte.

use std::fmt::Display;

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::machine;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{ImportedMemory, read_level, write_level};
use interop::formats::{self, texel_size};
use interop::vulkan::{Image, Placement, Shape, Vulkan};
use interop::{Error, Result};

/// Every format that the conversions know.
const FORMATS: [vk::Format; 36] = [
    vk::Format::R8_UINT,
    vk::Format::R8_SINT,
    vk::Format::R8_UNORM,
    vk::Format::R8_SNORM,
    vk::Format::R8G8_UINT,
    vk::Format::R8G8_SINT,
    vk::Format::R8G8_UNORM,
    vk::Format::R8G8_SNORM,
    vk::Format::R8G8B8A8_UINT,
    vk::Format::R8G8B8A8_SINT,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SNORM,
    vk::Format::R16_UINT,
    vk::Format::R16_SINT,
    vk::Format::R16_UNORM,
    vk::Format::R16_SNORM,
    vk::Format::R16_SFLOAT,
    vk::Format::R16G16_UINT,
    vk::Format::R16G16_SINT,
    vk::Format::R16G16_UNORM,
    vk::Format::R16G16_SNORM,
    vk::Format::R16G16_SFLOAT,
    vk::Format::R16G16B16A16_UINT,
    vk::Format::R16G16B16A16_SINT,
    vk::Format::R16G16B16A16_UNORM,
    vk::Format::R16G16B16A16_SNORM,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R32_UINT,
    vk::Format::R32_SINT,
    vk::Format::R32_SFLOAT,
    vk::Format::R32G32_UINT,
    vk::Format::R32G32_SINT,
    vk::Format::R32G32_SFLOAT,
    vk::Format::R32G32B32A32_UINT,
    vk::Format::R32G32B32A32_SINT,
    vk::Format::R32G32B32A32_SFLOAT,
];

/// Every shape, with sides that are no powers of two where the shape allows it, and the longest
/// chain of mip levels.
const SHAPES: [(&str, Shape); 8] = [
    ("1d", shape(vk::ImageViewType::TYPE_1D, [301, 1, 1], 1, 9)),
    ("1d_array", shape(vk::ImageViewType::TYPE_1D_ARRAY, [100, 1, 1], 5, 7)),
    ("2d", shape(vk::ImageViewType::TYPE_2D, [203, 101, 1], 1, 8)),
    ("2d_with_one_level", shape(vk::ImageViewType::TYPE_2D, [640, 360, 1], 1, 1)),
    ("2d_array", shape(vk::ImageViewType::TYPE_2D_ARRAY, [50, 30, 1], 4, 6)),
    ("3d", shape(vk::ImageViewType::TYPE_3D, [40, 21, 13], 1, 6)),
    ("cube", shape(vk::ImageViewType::CUBE, [60, 60, 1], 6, 6)),
    ("cube_array", shape(vk::ImageViewType::CUBE_ARRAY, [32, 32, 1], 12, 6)),
];

const fn shape(view: vk::ImageViewType, [width, height, depth]: [u32; 3], layers: u32, levels: u32) -> Shape {
    Shape { view, extent: vk::Extent3D { width, height, depth }, layers, levels }
}

const COPIED: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
        | vk::ImageUsageFlags::SAMPLED.as_raw(),
);

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, shape) in SHAPES {
        trials.push(machine::test(&format!("images::{name}_in_every_format"), move |vulkan| {
            every_format(vulkan, shape, vk::ImageUsageFlags::empty(), false);
        }));
        trials.push(machine::test(&format!("images::{name}_in_every_format_for_surfaces"), move |vulkan| {
            every_format(vulkan, shape, vk::ImageUsageFlags::STORAGE, true);
        }));
        trials.push(machine::test(
            &format!("images::{name}_in_every_format_that_is_drawn_to"),
            move |vulkan| {
                every_format(vulkan, shape, vk::ImageUsageFlags::COLOR_ATTACHMENT, false);
            },
        ));
    }
    trials.push(machine::test("images::images_at_offsets_in_every_shape", images_at_offsets));
    trials.push(machine::test("images::what_vulkan_draws_cuda_reads", what_vulkan_draws_cuda_reads));
    trials.push(machine::test("images::normalized_formats_map_as_plain_integers_too", plain_integers));
    let cpu = [Need::new("cpu-vulkan", &machine::cpu_vulkan())];
    trials.push(support::test("images::vulkan_alone_reads_what_it_wrote", &cpu, || {
        vulkan_alone(&machine::cpu_vulkan().unwrap());
    }));
    trials
}

/// The image as CUDA sees it, until the end of the scope.
struct Mapped {
    mipmap: CUmipmappedArray,
    shape: Shape,
    texel: usize,
    _import: ImportedMemory,
}

impl Mapped {
    fn new(image: &Image, desc: CUDA_ARRAY3D_DESCRIPTOR) -> Result<Self> {
        let import = ImportedMemory::from_vulkan(&image.memory)?;
        let mipmap = import.map_mipmapped_array(image.offset, desc, image.shape.levels)?;
        let texel = texel_size(desc.Format, desc.NumChannels);
        Ok(Self { mipmap, shape: image.shape, texel, _import: import })
    }

    fn read(&self) -> Result<Vec<Vec<u8>>> {
        let levels = 0..self.shape.levels;
        levels.map(|level| read_level(self.mipmap, &self.shape, self.texel, level)).collect()
    }

    fn write(&self, levels: &[Vec<u8>]) -> Result<()> {
        (0..)
            .zip(levels)
            .try_for_each(|(level, bytes)| write_level(self.mipmap, &self.shape, self.texel, level, bytes))
    }
}

fn descriptor(
    format: vk::Format,
    shape: &Shape,
    usage: vk::ImageUsageFlags,
    surface: bool,
) -> CUDA_ARRAY3D_DESCRIPTOR {
    formats::array_descriptor(format, shape.extent, shape.layers, shape.view, usage, surface).unwrap()
}

/// What to write: each level has bytes of its own.
fn levels(image: &Image, seed: u64) -> Vec<Vec<u8>> {
    (0..image.shape.levels)
        .map(|level| pattern(seed * 100 + u64::from(level), image.level_size(level)))
        .collect()
}

fn compare(what: impl Display, seen: &[Vec<u8>], expected: &[Vec<u8>]) -> Result<()> {
    for (level, (seen, expected)) in seen.iter().zip(expected).enumerate() {
        if seen != expected {
            let wrong = seen.iter().zip(expected).filter(|(a, b)| a != b).count();
            return Err(Error::Failed(format!(
                "{what}: {wrong} of {} bytes of level {level} are wrong",
                expected.len()
            )));
        }
    }
    Ok(())
}

/// Runs all of them, then says which failed.
fn every_format(vulkan: &Vulkan, shape: Shape, usage: vk::ImageUsageFlags, surface: bool) {
    let (mut failures, mut unsupported) = (Vec::new(), Vec::new());
    for format in FORMATS {
        let desc = descriptor(format, &shape, usage, surface);
        match both_ways(vulkan, shape, format, COPIED | usage, desc) {
            Ok(()) => {}
            Err(Error::Missing(what)) => unsupported.push(what),
            Err(Error::Failed(what)) => failures.push(format!("{format:?}: {what}")),
        }
    }
    let done = FORMATS.len() - unsupported.len();
    println!("{done} formats both ways, {} levels", shape.levels);
    for what in &unsupported {
        println!("  {what}");
    }
    assert!(failures.is_empty(), "of {done} formats:\n{}", failures.join("\n"));
    // Every format can be copied and sampled; not every one can be drawn to.
    assert!(done >= if usage.is_empty() { FORMATS.len() } else { 20 }, "{done} formats only");
}

fn both_ways(
    vulkan: &Vulkan,
    shape: Shape,
    format: vk::Format,
    usage: vk::ImageUsageFlags,
    desc: CUDA_ARRAY3D_DESCRIPTOR,
) -> Result<()> {
    shared_both_ways(&Image::new(vulkan, shape, format, usage, Placement::OwnMemory)?, desc)
}

fn shared_both_ways(image: &Image, desc: CUDA_ARRAY3D_DESCRIPTOR) -> Result<()> {
    image.release_empty()?;
    let mapped = Mapped::new(image, desc)?;
    for round in [1, 3] {
        mapped.write(&levels(image, round))?;
        compare("from CUDA to Vulkan", &image.read()?, &levels(image, round))?;
        image.write(&levels(image, round + 1))?;
        compare("from Vulkan to CUDA", &mapped.read()?, &levels(image, round + 1))?;
    }
    Ok(())
}

/// In an allocation that is not the image's own, whatever Vulkan would like best.
fn images_at_offsets(vulkan: &Vulkan) {
    for (name, shape) in SHAPES {
        let place = Placement::AtOffset { before: 100_000, behind: 100_000 };
        let format = vk::Format::R8G8B8A8_UNORM;
        let image = Image::new(vulkan, shape, format, COPIED, place).unwrap();
        println!("{name}: at {} of {}", image.offset, image.memory.size);
        assert!(image.offset >= 100_000 && !image.memory.dedicated);
        shared_both_ways(&image, descriptor(format, &shape, COPIED, false)).unwrap();
    }
}

/// So that an error above is CUDA's side's, and the copies are right.
fn vulkan_alone(vulkan: &Vulkan) {
    for (name, shape) in SHAPES {
        for format in FORMATS {
            // Mesa's lavapipe has every format in every shape.
            let image = Image::new(vulkan, shape, format, COPIED, Placement::OwnMemory).unwrap();
            for seed in [1, 2] {
                image.write(&levels(&image, seed)).unwrap();
                compare(name, &image.read().unwrap(), &levels(&image, seed)).unwrap();
            }
        }
    }
}

/// Clears as a color target, which is a drawing operation: the driver may do it by marking the
/// image as clear in memory that CUDA does not look at.
fn what_vulkan_draws_cuda_reads(vulkan: &Vulkan) {
    let shape = shape(vk::ImageViewType::TYPE_2D, [1024, 512, 1], 1, 3);
    let usage = COPIED | vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let float: Vec<u8> = [0.25_f32, -2.0, 1e6, 1.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    for (format, texel) in [
        (vk::Format::R32G32B32A32_SFLOAT, &float[..]),
        (vk::Format::R8G8B8A8_UNORM, &[64, 0, 255, 255]),
        (vk::Format::R8_UNORM, &[64]),
    ] {
        let image = Image::new(vulkan, shape, format, usage, Placement::OwnMemory).unwrap();
        let mapped = Mapped::new(&image, descriptor(format, &shape, usage, false)).unwrap();
        let color = vk::ClearColorValue { float32: [0.25, -2.0, 1e6, 1.0] };
        let views: Vec<vk::ImageView> = (0..3).map(|level| view(vulkan, &image, format, level)).collect();
        vulkan
            .run(|commands| {
                image.begin(commands);
                for (level, &view) in (0..).zip(&views) {
                    clear(vulkan, commands, view, shape.level_extent(level), color);
                }
                image.release(commands);
            })
            .unwrap();
        for (level, seen) in mapped.read().unwrap().iter().enumerate() {
            let expected = texel.repeat(shape.level_texels(level as u32));
            assert_same(&format!("{format:?}, level {level}"), seen, &expected);
        }
        for view in views {
            // SAFETY: the submission is done.
            unsafe { vulkan.device.destroy_image_view(view, None) };
        }
    }
}

fn view(vulkan: &Vulkan, image: &Image, format: vk::Format, level: u32) -> vk::ImageView {
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
    unsafe { vulkan.device.create_image_view(&info, None) }.unwrap()
}

fn clear(
    vulkan: &Vulkan,
    commands: vk::CommandBuffer,
    view: vk::ImageView,
    extent: vk::Extent3D,
    color: vk::ClearColorValue,
) {
    let target = vk::RenderingAttachmentInfo::default()
        .image_view(view)
        .image_layout(vk::ImageLayout::GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(vk::ClearValue { color });
    let area = vk::Rect2D {
        extent: vk::Extent2D { width: extent.width, height: extent.height },
        ..Default::default()
    };
    let info = vk::RenderingInfo::default()
        .render_area(area)
        .layer_count(1)
        .color_attachments(std::slice::from_ref(&target));
    // SAFETY: the view lives until the submission is done.
    unsafe {
        vulkan.device.cmd_begin_rendering(commands, &info);
        vulkan.device.cmd_end_rendering(commands);
    }
}

/// The bits are the same, so a program whose header is too old for the normalized elements, or
/// that wants the integers, may say so.
fn plain_integers(vulkan: &Vulkan) {
    let shape = shape(vk::ImageViewType::TYPE_2D, [203, 101, 1], 1, 8);
    for (format, plain) in [
        (vk::Format::R8_UNORM, CU_AD_FORMAT_UNSIGNED_INT8),
        (vk::Format::R8G8_SNORM, CU_AD_FORMAT_SIGNED_INT8),
        (vk::Format::R8G8B8A8_UNORM, CU_AD_FORMAT_UNSIGNED_INT8),
        (vk::Format::R16_UNORM, CU_AD_FORMAT_UNSIGNED_INT16),
        (vk::Format::R16G16B16A16_SNORM, CU_AD_FORMAT_SIGNED_INT16),
    ] {
        let mut desc = descriptor(format, &shape, COPIED, false);
        desc.Format = plain;
        both_ways(vulkan, shape, format, COPIED, desc).unwrap_or_else(|error| panic!("{format:?}: {error}"));
    }
}
