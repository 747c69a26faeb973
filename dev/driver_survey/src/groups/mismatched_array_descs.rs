//! Descriptions that do not match the image.

use ash::vk;
use cuda_external_sys::*;
use example_support::cuda::{import_memory, map_mipmapped_array, read_level};
use example_support::vulkan::{Image, ImageShape};
use example_support::{Error, Result, array_descriptors};

use super::fixtures::opened_devices::vulkan;
use super::fixtures::question::{Question, QuestionGroup, answer_code, write_answer};

/// A wrong description: its name, and how it differs from the right one.
type WrongDescription = (&'static str, fn(&mut CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC));

const WRONG_DESCRIPTIONS: &[WrongDescription] = &[
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
    ("an unknown format", |d| d.arrayDesc.Format = CUarray_format(0x7f)),
    ("narrower", |d| d.arrayDesc.Width = 60),
    ("too wide for the memory", |d| d.arrayDesc.Width = 16384),
    ("no width", |d| d.arrayDesc.Width = 0),
    ("too many layers for the memory", |d| d.arrayDesc.Depth = 512),
    ("without LAYERED", |d| d.arrayDesc.Flags = 0),
    ("CUBEMAP with 4 layers", |d| d.arrayDesc.Flags = CUDA_ARRAY3D_CUBEMAP),
    ("COLOR_ATTACHMENT added", |d| d.arrayDesc.Flags |= CUDA_ARRAY3D_COLOR_ATTACHMENT),
    ("an unknown flag", |d| d.arrayDesc.Flags |= 1 << 30),
    ("1 byte further", |d| d.offset += 1),
    ("16 bytes further", |d| d.offset += 16),
    ("512 bytes further", |d| d.offset += 512),
    ("4 KiB further", |d| d.offset += 4 << 10),
    ("64 KiB further", |d| d.offset += 64 << 10),
    ("an offset after the memory", |d| d.offset = 1 << 30),
    ("a reserved field that is not zero", |d| d.reserved[0] = 1),
];

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const TEXEL: usize = 4;

pub fn group() -> QuestionGroup {
    let question = |&(name, describe): &WrongDescription| Question::new(name, move || ask_driver(describe));
    QuestionGroup::new("images", WRONG_DESCRIPTIONS.iter().map(question))
}

fn ask_driver(describe: fn(&mut CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC)) -> Result<()> {
    let extent = vk::Extent3D { width: 64, height: 64, depth: 1 };
    let shape = ImageShape { view: vk::ImageViewType::TYPE_2D_ARRAY, extent, layers: 4, levels: 3 };
    let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    // With room on both sides, so that a wrong offset still lies within the memory.
    let image = Image::new(vulkan(0)?, shape, FORMAT, usage, 1 << 20)?;
    let levels: Vec<Vec<u8>> = (0..shape.levels)
        .map(|level| (0..image.level_size(level)).map(|at| (at * 7 + at / 251) as u8).collect())
        .collect();
    image.write(&levels)?;
    let memory = import_memory(image.memory.export()?, image.memory.size, image.memory.dedicated)?;
    let right = array_descriptors::array_descriptor(FORMAT, extent, shape.layers, shape.view, usage, false)
        .ok_or_else(|| Error::Failed("CUDA has no such element".to_owned()))?;

    let mut desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        offset: image.offset,
        arrayDesc: right,
        numLevels: shape.levels,
        ..Default::default()
    };
    describe(&mut desc);
    let mut mipmap = std::ptr::null_mut();
    // SAFETY: the import lives. Wrong descriptions are what is measured.
    let code = unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, memory, &desc) };
    answer_code(code);
    if code == CUDA_SUCCESS {
        write_answer(match unsafe { read_level(mipmap, &shape, TEXEL, 0) } {
            Ok(seen) if seen == levels[0] => "right".to_owned(),
            Ok(_) => "other bytes".to_owned(),
            Err(error) => code_in_text(&error),
        });
        let code = unsafe { cuMipmappedArrayDestroy(mipmap) };
        if code != CUDA_SUCCESS {
            answer_code(code);
            return Ok(());
        }
    } else {
        write_answer("-");
    }
    let mipmap = unsafe { map_mipmapped_array(memory, image.offset, right, shape.levels) }?;
    for (level, bytes) in levels.iter().enumerate() {
        if unsafe { read_level(mipmap, &shape, TEXEL, level as u32) }? != *bytes {
            write_answer("wrong bytes");
            return Ok(());
        }
    }
    write_answer("works");
    Ok(())
}

/// Returns the driver's code from an error's text.
fn code_in_text(error: &Error) -> String {
    let text = error.to_string();
    let code = text.split_whitespace().find(|word| word.starts_with("CUDA_ERROR"));
    code.map_or_else(|| text.clone(), str::to_owned)
}
