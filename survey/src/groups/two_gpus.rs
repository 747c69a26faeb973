//! Two GPUs: what one of them exports, imported by the other.

use std::os::fd::IntoRawFd;
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::Result;
use interop::cuda::{import_memory, map_buffer, read, write};
use interop::vulkan::{Buffer, Kind, Semaphore, Vulkan};

use crate::case::{Case, Group, answer, or_answer};
use crate::gpu::{allocate, cuda, idle, stream, vulkan};

const SIZE: u64 = 2 << 20;

pub fn group() -> Group {
    Group::new(
        "two-gpus",
        vec![
            Case::new("memory of CUDA", cudas_memory),
            Case::new("memory of Vulkan", || vulkans_memory(false)),
            Case::new("dedicated memory of Vulkan", || vulkans_memory(true)),
            Case::new("binary semaphore", || semaphore(Kind::Binary)),
            Case::new("timeline semaphore", || semaphore(Kind::Timeline)),
            Case::new("memory of Vulkan on its own GPU, then copied to the other one", peer_copy),
        ],
    )
}

/// The second GPU in Vulkan, while the first one is CUDA's current device.
fn second_vulkan() -> Result<&'static Vulkan> {
    cuda(1)?;
    let vulkan = vulkan(1)?;
    cuda(0)?;
    Ok(vulkan)
}

fn cudas_memory() -> Result<()> {
    let memory = allocate(cuda(1)?, SIZE)?;
    cuda(0)?;
    let Some(imported) = or_answer(import_memory(memory.export()?, memory.size, false)) else {
        return Ok(());
    };
    // SAFETY: the handles live.
    let here = unsafe { map_buffer(imported, 0, SIZE) }?;
    cuda(1)?;
    let fd = memory.export()?;
    // SAFETY: the handles live.
    let there = unsafe { map_buffer(import_memory(fd, memory.size, false)?, 0, SIZE) }?;
    write(there, &pattern(1))?;
    cuda(0)?;
    let seen = read(here, SIZE as usize)?;
    write(here, &pattern(2))?;
    cuda(1)?;
    verdict(seen == pattern(1) && read(there, SIZE as usize)? == pattern(2));
    Ok(())
}

fn vulkans_memory(dedicated: bool) -> Result<()> {
    let (buffer, memory) = Buffer::with_memory(second_vulkan()?, SIZE, dedicated)?;
    buffer.write(0, &pattern(1))?;
    let Some(imported) = or_answer(import_memory(memory.export()?, memory.size, dedicated)) else {
        return Ok(());
    };
    // SAFETY: the handles live.
    let address = unsafe { map_buffer(imported, 0, SIZE) }?;
    let seen = read(address, SIZE as usize)?;
    write(address, &pattern(2))?;
    verdict(seen == pattern(1) && buffer.read(0, SIZE)? == pattern(2));
    Ok(())
}

fn semaphore(kind: Kind) -> Result<()> {
    let vulkan = second_vulkan()?;
    let semaphore = Semaphore::new(vulkan, kind)?;
    let mut desc =
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_: semaphore.handle_type(), ..Default::default() };
    desc.handle.fd = semaphore.export()?.into_raw_fd();
    let (mut imported, stream) = (null_mut(), stream()?);
    let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
    params.params.fence.value = 1;
    // SAFETY: the pointers are to variables here; the descriptor was ours to give.
    unsafe {
        let code = cuImportExternalSemaphore(&mut imported, &desc);
        let Some(()) = or_answer(code.result()) else { return Ok(()) };
        cuSignalExternalSemaphoresAsync(&imported, &params, 1, stream).result()?;
    }
    if let Err(code) = idle(stream).result() {
        answer(format!("the signal ends with {code:?}"));
        return Ok(());
    }
    vulkan.submit(&[(&semaphore, 1)], &[], |_| {})?.wait()?;
    answer("works");
    Ok(())
}

/// What the manual permits: an import on the exporting GPU, and a peer copy.
fn peer_copy() -> Result<()> {
    let (buffer, memory) = Buffer::with_memory(second_vulkan()?, SIZE, false)?;
    buffer.write(0, &pattern(1))?;
    cuda(1)?;
    let imported = import_memory(memory.export()?, memory.size, false)?;
    // SAFETY: the handles live.
    let there = unsafe { map_buffer(imported, 0, SIZE) }?;
    cuda(0)?;
    let mut here = 0;
    // SAFETY: both ranges are `SIZE` long.
    unsafe {
        cuMemAlloc_v2(&mut here, SIZE as usize).result()?;
        cuMemcpyDtoD_v2(here, there, SIZE as usize).result()?;
        cuCtxSynchronize().result()?;
    }
    verdict(read(here, SIZE as usize)? == pattern(1));
    Ok(())
}

fn verdict(right: bool) {
    answer(if right { "works" } else { "wrong bytes" });
}

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|at| (at % 251) as u8 ^ seed).collect()
}
