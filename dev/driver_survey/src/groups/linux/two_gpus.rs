//! Two GPUs: what one of them exports, imported by the other.

use cuda_external_sys::*;
use example_support::Result;
use example_support::bytes::pattern;
use example_support::cuda::{import_memory, import_semaphore, map_mipmapped_array, read, write};
use example_support::vulkan::{Kind, Semaphore};

use super::shared::{Exporter, SIZE, array_2d, idle, map, signal, stream};
use crate::case::{Case, Group, answer, answer_code, or_answer};
use crate::gpu::{cuda, vulkan};

const LENGTH: usize = SIZE as usize;

pub fn group() -> Group {
    let cases = vec![
        Case::new("memory of CUDA", || memory(Exporter::cuda(1))),
        Case::new("memory of Vulkan", || memory(Exporter::vulkan(1, false))),
        Case::new("dedicated memory of Vulkan", || memory(Exporter::vulkan(1, true))),
        Case::new("binary semaphore", || semaphore(Kind::Binary)),
        Case::new("timeline semaphore", || semaphore(Kind::Timeline)),
        Case::new("memory of Vulkan on its own GPU, then copied to the other one", peer_copy),
    ];
    Group::new("two-gpus", cases)
}

fn memory(exporter: Exporter) -> Result<()> {
    let memory = exporter.allocate(SIZE)?;
    memory.write(&pattern(1, LENGTH))?;
    let dedicated = matches!(exporter, Exporter::Vulkan { dedicated: true, .. });
    let Some(imported) = or_answer(import_memory(memory.fd()?, memory.size(), dedicated)) else {
        return Ok(());
    };
    let here = map(imported, SIZE)?;
    let seen = read(here, LENGTH)?;
    write(here, &pattern(2, LENGTH))?;
    verdict(seen == pattern(1, LENGTH) && memory.read(LENGTH)? == pattern(2, LENGTH));
    Ok(())
}

fn semaphore(kind: Kind) -> Result<()> {
    let vulkan = vulkan(1)?;
    cuda(0)?;
    let (semaphore, stream) = (Semaphore::new(vulkan, kind, 0)?, stream()?);
    let imported = import_semaphore(semaphore.export()?, semaphore.handle_type());
    let Some(imported) = or_answer(imported) else { return Ok(()) };
    signal(imported, 1, stream).result()?;
    if let Err(code) = idle(stream).result() {
        answer(format!("the signal ends with {code:?}"));
        return Ok(());
    }
    vulkan.submit(&[(&semaphore, 1)], &[], |_| {})?.wait()?;
    answer("works");
    Ok(())
}

/// The way that the manual permits: an import on the exporting GPU, and a peer copy.
fn peer_copy() -> Result<()> {
    let memory = Exporter::vulkan(1, false).allocate(SIZE)?;
    memory.write(&pattern(1, LENGTH))?;
    cuda(1)?;
    let there = map(memory.import()?, SIZE)?;
    cuda(0)?;
    let mut here = 0;
    unsafe {
        cuMemAlloc_v2(&mut here, LENGTH).result()?;
        cuMemcpyDtoD_v2(here, there, LENGTH).result()?;
        cuCtxSynchronize().result()?;
    }
    verdict(read(here, LENGTH)? == pattern(1, LENGTH));
    Ok(())
}

fn verdict(right: bool) {
    answer(if right { "works" } else { "wrong bytes" });
}

/// Each import on the first GPU, each mapping, and the bytes.
pub fn other_gpu() -> Group {
    let mut cases = Vec::new();
    for (whose, exporter) in [
        ("memory of CUDA", Exporter::cuda(1)),
        ("memory of Vulkan", Exporter::vulkan(1, false)),
        ("dedicated memory of Vulkan", Exporter::vulkan(1, true)),
    ] {
        for (flag, dedicated) in [("not dedicated", false), ("flag DEDICATED", true)] {
            for (mapping, is_array) in [("buffer", false), ("array", true)] {
                let name = format!("{whose}, {flag}, {mapping}");
                cases.push(Case::new(name, move || each_mapping(exporter, dedicated, is_array)));
            }
        }
    }
    Group::new("other-gpu", cases)
}

fn each_mapping(exporter: Exporter, dedicated: bool, is_array: bool) -> Result<()> {
    let memory = exporter.leak(SIZE)?;
    let bytes = vec![0x11; LENGTH];
    memory.write(&bytes)?;
    let Some(imported) = or_answer(import_memory(memory.fd()?, memory.size(), dedicated)) else {
        return Ok(());
    };
    answer_code(CUDA_SUCCESS);
    if is_array {
        let array = array_2d(256, 256, (CU_AD_FORMAT_UNSIGNED_INT8, 4));
        let mapped = unsafe { map_mipmapped_array(imported, 0, array, 1) };
        answer(mapped.map_or_else(|error| error.to_string(), |_| "mapped".to_owned()));
    } else if let Some(address) = or_answer(map(imported, SIZE)) {
        answer_code(CUDA_SUCCESS);
        answer(if read(address, bytes.len())? == bytes { "right bytes" } else { "wrong bytes" });
    }
    Ok(())
}
