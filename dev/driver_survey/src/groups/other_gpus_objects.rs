//! Two GPUs: what one of them exports, imported by the other.

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{import_memory, import_semaphore, read, write};
use example_support::test_bytes::test_pattern;
use example_support::vulkan::{Semaphore, SemaphoreKind};

use super::fixtures::exported_memory::{
    Exporter, SIZE, code_at_stream_end, create_stream, map_bytes, signal,
};
use super::fixtures::opened_devices::{cuda, vulkan};
use super::fixtures::question::{Question, QuestionGroup, answer, value_or_answer};

const LENGTH: usize = SIZE as usize;

pub fn group() -> QuestionGroup {
    let questions = vec![
        Question::new("memory of CUDA", || share_memory(Exporter::cuda(1))),
        Question::new("memory of Vulkan", || share_memory(Exporter::vulkan(1, false))),
        Question::new("dedicated memory of Vulkan", || share_memory(Exporter::vulkan(1, true))),
        Question::new("binary semaphore", || share_semaphore(SemaphoreKind::Binary)),
        Question::new("timeline semaphore", || share_semaphore(SemaphoreKind::Timeline)),
        Question::new("memory of Vulkan on its own GPU, then copied to the other one", import_and_peer_copy),
    ];
    QuestionGroup::new("two-gpus", questions)
}

fn share_memory(exporter: Exporter) -> Result<()> {
    let memory = exporter.allocate(SIZE)?;
    memory.write(&test_pattern(1, LENGTH))?;
    let dedicated = matches!(exporter, Exporter::Vulkan { dedicated: true, .. });
    let Some(imported) = value_or_answer(import_memory(memory.fd()?, memory.size(), dedicated)) else {
        return Ok(());
    };
    let here = map_bytes(imported, SIZE)?;
    let seen = read(here, LENGTH)?;
    write(here, &test_pattern(2, LENGTH))?;
    answer_if_right(seen == test_pattern(1, LENGTH) && memory.read(LENGTH)? == test_pattern(2, LENGTH));
    Ok(())
}

fn share_semaphore(kind: SemaphoreKind) -> Result<()> {
    let vulkan = vulkan(1)?;
    cuda(0)?;
    let (semaphore, stream) = (Semaphore::new(vulkan, kind, 0)?, create_stream()?);
    let imported = import_semaphore(semaphore.export()?, semaphore.handle_type());
    let Some(imported) = value_or_answer(imported) else { return Ok(()) };
    signal(imported, 1, stream).result()?;
    if let Err(code) = code_at_stream_end(stream).result() {
        answer(format!("the signal ends with {code:?}"));
        return Ok(());
    }
    vulkan.submit(&[(&semaphore, 1)], &[], |_| {})?.wait()?;
    answer("works");
    Ok(())
}

/// The way that the manual permits: an import on the exporting GPU, and a peer copy.
fn import_and_peer_copy() -> Result<()> {
    let memory = Exporter::vulkan(1, false).allocate(SIZE)?;
    memory.write(&test_pattern(1, LENGTH))?;
    cuda(1)?;
    let there = map_bytes(memory.import()?, SIZE)?;
    cuda(0)?;
    let mut here = 0;
    unsafe {
        cuMemAlloc_v2(&mut here, LENGTH).result()?;
        cuMemcpyDtoD_v2(here, there, LENGTH).result()?;
        cuCtxSynchronize().result()?;
    }
    answer_if_right(read(here, LENGTH)? == test_pattern(1, LENGTH));
    Ok(())
}

fn answer_if_right(right: bool) {
    answer(if right { "works" } else { "wrong bytes" });
}
