//! Objects of the second GPU, imported on the first one: each import, each mapping, and the bytes.

use cuda_external_sys::*;
use interop::Result;
use interop::cuda::{import_memory, map_buffer, map_mipmapped_array, read, write};
use interop::vulkan::{Buffer, Vulkan};

use crate::case::{Case, Group, answer, answer_code, or_answer};
use crate::gpu::{allocate, cuda, vulkan};

const SIZE: u64 = 2 << 20;

#[derive(Clone, Copy)]
enum Exporter {
    Cuda,
    Vulkan { dedicated: bool },
}

pub fn group() -> Group {
    let mut cases = Vec::new();
    for (whose, exporter) in [
        ("memory of CUDA", Exporter::Cuda),
        ("memory of Vulkan", Exporter::Vulkan { dedicated: false }),
        ("dedicated memory of Vulkan", Exporter::Vulkan { dedicated: true }),
    ] {
        for (flag, dedicated) in [("not dedicated", false), ("flag DEDICATED", true)] {
            for (mapping, is_array) in [("buffer", false), ("array", true)] {
                let name = format!("{whose}, {flag}, {mapping}");
                cases.push(Case::new(name, move || run(exporter, dedicated, is_array)));
            }
        }
    }
    Group::new("other-gpu", cases)
}

fn second_vulkan() -> Result<&'static Vulkan> {
    cuda(1)?;
    vulkan(1)
}

fn run(exporter: Exporter, dedicated: bool, is_array: bool) -> Result<()> {
    let (fd, size) = match exporter {
        Exporter::Cuda => {
            let memory = allocate(cuda(1)?, SIZE)?;
            let imported = import_memory(memory.export()?, memory.size, false)?;
            // SAFETY: the import lives, here and below.
            let there = unsafe { map_buffer(imported, 0, SIZE) }?;
            write(there, &vec![0x11; SIZE as usize])?;
            (memory.export()?, memory.size)
        }
        Exporter::Vulkan { dedicated } => {
            let (buffer, memory) = Buffer::with_memory(second_vulkan()?, SIZE, dedicated)?;
            buffer.write(0, &vec![0x11; SIZE as usize])?;
            let exported = (memory.export()?, memory.size);
            std::mem::forget((buffer, memory));
            exported
        }
    };
    cuda(0)?;
    let Some(imported) = or_answer(import_memory(fd, size, dedicated)) else { return Ok(()) };
    answer_code(CUDA_SUCCESS);
    if is_array {
        let array = CUDA_ARRAY3D_DESCRIPTOR {
            Width: 256,
            Height: 256,
            Format: CU_AD_FORMAT_UNSIGNED_INT8,
            NumChannels: 4,
            ..Default::default()
        };
        answer(
            unsafe { map_mipmapped_array(imported, 0, array, 1) }
                .map_or_else(|error| error.to_string(), |_| "mapped".to_owned()),
        );
        return Ok(());
    }
    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: SIZE, ..Default::default() };
    let mut address = 0;
    // SAFETY: the import lives.
    let code = unsafe { cuExternalMemoryGetMappedBuffer(&mut address, imported, &buffer) };
    answer_code(code);
    if code == CUDA_SUCCESS {
        let seen = read(address, SIZE as usize)?;
        answer(if seen.iter().all(|byte| *byte == 0x11) { "right bytes" } else { "wrong bytes" });
    }
    Ok(())
}
