//! Asks about sizes: the size in the import, and the offset and the size of the mapped range.

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{import_memory, read};
use example_support::test_bytes::test_pattern;

use super::fixtures::exported_memory::{MemoryExporter, map_memory_range};
use super::fixtures::question::{
    Question, QuestionGroup, print_answer_part, print_code, value_or_print_code,
};

/// The question's name, the size that the import states for `SIZE` bytes of memory, and the range to map.
type MappedRangeCase = (&'static str, u64, CUDA_EXTERNAL_MEMORY_BUFFER_DESC);

const SIZE: u64 = 4 << 20;

fn mapped_ranges_to_ask() -> Vec<MappedRangeCase> {
    let range = |offset, size| CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
    let whole = range(0, SIZE);
    let mut reserved = whole;
    reserved.reserved[0] = 1;
    vec![
        ("the whole of it", SIZE, whole),
        ("imported as 16 times its size, the true size mapped", SIZE * 16, whole),
        ("imported as 16 times its size, all of that mapped", SIZE * 16, range(0, SIZE * 16)),
        ("imported as half its size, the half mapped", SIZE / 2, range(0, SIZE / 2)),
        ("imported as half its size, the true size mapped", SIZE / 2, whole),
        ("imported as half its size, the other half mapped", SIZE / 2, range(SIZE / 2, SIZE / 2)),
        ("from 2 MiB on", SIZE, range(2 << 20, SIZE - (2 << 20))),
        ("from 64 KiB on", SIZE, range(64 << 10, SIZE - (64 << 10))),
        ("from byte 1 on", SIZE, range(1, SIZE - 1)),
        ("the last byte", SIZE, range(SIZE - 1, 1)),
        ("the first byte", SIZE, range(0, 1)),
        ("no byte", SIZE, range(0, 0)),
        ("no byte, at the end", SIZE, range(SIZE, 0)),
        ("one byte after the end", SIZE, range(SIZE, 1)),
        ("one byte more than there is", SIZE, range(0, SIZE + 1)),
        ("an offset of 2^64 - 1", SIZE, range(u64::MAX, 1)),
        ("an offset and a size whose sum is 2^64", SIZE, range(u64::MAX - 1, 2)),
        ("an unknown flag", SIZE, CUDA_EXTERNAL_MEMORY_BUFFER_DESC { flags: 1, ..whole }),
        ("a reserved field that is not zero", SIZE, reserved),
    ]
}

pub fn mapping_questions() -> QuestionGroup {
    let question = |(name, stated, desc): MappedRangeCase| {
        Question::new(name, move || ask_import_and_mapping(stated, &desc))
    };
    QuestionGroup::new("sizes", mapped_ranges_to_ask().into_iter().map(question))
}

fn ask_import_and_mapping(stated: u64, desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> Result<()> {
    let memory = MemoryExporter::CUDA.leak_exported_memory(SIZE)?;
    let pattern = test_pattern(1, SIZE as usize);
    memory.write_on_exporter(&pattern)?;

    let imported = value_or_print_code(import_memory(memory.export_fd()?, stated, false));
    unsafe { cuCtxSynchronize() }.result()?;
    let Some(imported) = imported else { return Ok(()) };
    print_code(CUDA_SUCCESS);
    let Some(address) = value_or_print_code(map_memory_range(imported, desc)) else {
        print_answer_part("-");
        return Ok(());
    };
    print_code(CUDA_SUCCESS);
    // A read beyond the memory's end would make every later call in the context fail.
    let length = desc.size.min(SIZE.saturating_sub(desc.offset)) as usize;
    let seen = read(address, length)?;
    print_answer_part(if seen == pattern[desc.offset as usize..][..length] { "right" } else { "wrong" });
    Ok(())
}
