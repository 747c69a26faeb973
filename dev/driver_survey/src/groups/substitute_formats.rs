//! Images with formats that CUDA lacks, described by an element of the same texel size.

use ash::vk;
use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{import_memory, map_mipmapped_array, read_level, write_level};
use example_support::vulkan::{Image, ImageShape};

use super::fixtures::exported_memory::array_2d;
use super::fixtures::opened_devices::vulkan;
use super::fixtures::question::{Question, QuestionGroup, answer, answer_code, value_or_answer};

/// Vulkan's format, the size of its texels, and CUDA's element and number of channels.
type FormatAndElement = (vk::Format, usize, CUarray_format, u32);

const FORMATS_AND_ELEMENTS: [FormatAndElement; 13] = [
    (vk::Format::B8G8R8A8_UNORM, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4),
    (vk::Format::B8G8R8A8_UNORM, 4, CU_AD_FORMAT_UNORM_INT8X4, 4),
    (vk::Format::R8G8B8A8_SRGB, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4),
    (vk::Format::B8G8R8A8_SRGB, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4),
    (vk::Format::A2B10G10R10_UNORM_PACK32, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1),
    (vk::Format::A2B10G10R10_UNORM_PACK32, 4, CU_AD_FORMAT_UNORM_INT_101010_2, 4),
    (vk::Format::A2R10G10B10_UNORM_PACK32, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1),
    (vk::Format::B10G11R11_UFLOAT_PACK32, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1),
    (vk::Format::E5B9G9R9_UFLOAT_PACK32, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1),
    (vk::Format::R5G6B5_UNORM_PACK16, 2, CU_AD_FORMAT_UNSIGNED_INT16, 1),
    (vk::Format::D16_UNORM, 2, CU_AD_FORMAT_UNSIGNED_INT16, 1),
    (vk::Format::D32_SFLOAT, 4, CU_AD_FORMAT_FLOAT, 1),
    (vk::Format::R64_UINT, 8, CU_AD_FORMAT_UNSIGNED_INT32, 2),
];

pub fn group() -> QuestionGroup {
    let question = |(format, texel, element, channels): FormatAndElement| {
        let name = format!("{format:?}: {element:?} × {channels}");
        Question::new(name, move || ask_driver(format, texel, (element, channels)))
    };
    QuestionGroup::new("formats", FORMATS_AND_ELEMENTS.map(question))
}

fn ask_driver(format: vk::Format, texel: usize, element: (CUarray_format, u32)) -> Result<()> {
    let extent = vk::Extent3D { width: 640, height: 360, depth: 1 };
    let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
    let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let image = Image::with_texel_size(vulkan(0)?, shape, format, texel, usage, 0)?;
    // Depth must be between 0 and 1. In the other formats every bit pattern is a texel.
    let bytes = |seed: usize| -> Vec<u8> {
        let count = image.level_size(0);
        match format {
            vk::Format::D32_SFLOAT => {
                (0..count / 4).flat_map(|at| ((at * seed % 65_521) as f32 / 65_521.0).to_ne_bytes()).collect()
            }
            _ => (0..count).map(|at| (at * seed + at / 251) as u8).collect(),
        }
    };
    let [sent, other] = [bytes(3), bytes(5)];
    image.write(std::slice::from_ref(&sent))?;
    let memory = import_memory(image.memory.export()?, image.memory.size, image.memory.dedicated)?;
    let desc = array_2d(640, 360, element);
    let Some(mipmap) = value_or_answer(unsafe { map_mipmapped_array(memory, image.offset, desc, 1) }) else {
        answer("-\n-");
        return Ok(());
    };
    answer_code(CUDA_SUCCESS);
    let verdict = |right| if right { "right" } else { "other bytes" };
    answer(verdict(unsafe { read_level(mipmap, &shape, texel, 0) }? == sent));
    unsafe { write_level(mipmap, &shape, texel, 0, &other) }?;
    answer(verdict(image.read()?[0] == other));
    Ok(())
}
