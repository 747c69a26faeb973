//! A Vulkan buffer that CUDA reads and writes, through an opaque file descriptor.
//!
//! Look at: the device matched by UUID; the size, which is the allocation's and not the buffer's;
//! the DEDICATED flag, set exactly when Vulkan's allocation is; the file descriptor, which is the
//! driver's from the import on; the buffer's way to and from VK_QUEUE_FAMILY_EXTERNAL (`release`
//! and `acquire` in interop/src/vulkan/buffer.rs); the order of the teardown.
//!
//! On Windows the same is done with OPAQUE_WIN32 and a HANDLE, which stays the program's to close.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("vulkan_buffer.rs"), example)
}

#[cfg(not(unix))]
fn main() {
    println!("This example shares file descriptors, which this system does not have.");
}

#[cfg(unix)]
fn example() -> interop::Result<()> {
    use std::os::fd::IntoRawFd;
    use std::ptr;

    use cuda_external_sys::*;
    use interop::cuda::{self, Cuda};
    use interop::vulkan::{Buffer, DedicatedTo, Memory, Uuid, Vulkan};

    const SIZE: usize = 1_000_000;

    let cuda = Cuda::open(0)?;
    let vulkan = Vulkan::open(&cuda.uuid)?;
    println!("{} in CUDA is {} in Vulkan: {}", cuda.name, vulkan.name, Uuid(&cuda.uuid));

    // Vulkan's half: a buffer, its memory, and a descriptor that stands for the memory.
    let buffer = Buffer::new(&vulkan, SIZE as u64)?;
    let purpose =
        if buffer.prefers_dedicated { DedicatedTo::Buffer(buffer.raw) } else { DedicatedTo::Nothing };
    let memory = Memory::new(&vulkan, buffer.needs.size, buffer.needs.memory_type_bits, purpose)?;
    buffer.bind(&memory, 0)?;
    println!("a buffer of {SIZE} bytes, its allocation {}, dedicated: {}", memory.size, memory.dedicated);
    let fd = memory.export()?;

    // CUDA's half. Nothing stands between `into_raw_fd` and the import, and nothing closes the
    // descriptor after it: when an import fails, the driver may have closed it already, and another
    // thread may have got its number since.
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        size: memory.size,
        flags: if memory.dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
        ..Default::default()
    };
    let mut imported = ptr::null_mut();
    desc.handle.fd = fd.into_raw_fd();
    // SAFETY: both pointers are to variables here; the descriptor was ours to give.
    unsafe { cuImportExternalMemory(&mut imported, &desc) }.result()?;

    let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: SIZE as u64, ..Default::default() };
    let mut address = 0;
    // SAFETY: `imported` is the import above, and the range lies within it.
    unsafe { cuExternalMemoryGetMappedBuffer(&mut address, imported, &range) }.result()?;

    // From Vulkan to CUDA. `write` returns when Vulkan's queue is done; vulkan_semaphores shows how
    // to let the GPU wait instead of the CPU.
    let sent: Vec<u8> = (0..SIZE).map(|i| (i * 31 + i / 251) as u8).collect();
    buffer.write(0, &sent)?;
    let seen = cuda::read(address, SIZE)?;
    println!("Vulkan wrote {SIZE} bytes; CUDA read {}", verdict(&seen, &sent));

    // From CUDA to Vulkan.
    let answer: Vec<u8> = sent.iter().map(|byte| !byte).collect();
    cuda::write(address, &answer)?;
    let seen_back = buffer.read(0, SIZE as u64)?;
    println!("CUDA wrote {SIZE} bytes; Vulkan read {}", verdict(&seen_back, &answer));

    // The teardown: CUDA has no work left, then the mapping, then the import, and the exporter last
    // (Rust drops `memory`, then `buffer`, then `vulkan`).
    // SAFETY: each is freed once, and not used after.
    unsafe {
        cuCtxSynchronize().result()?;
        cuMemFree(address).result()?;
        cuDestroyExternalMemory(imported).result()?;
    }

    if seen != sent || seen_back != answer {
        return Err(interop::Error::Failed("bytes differ".to_owned()));
    }
    Ok(())
}

#[cfg(unix)]
fn verdict(seen: &[u8], sent: &[u8]) -> String {
    match seen.iter().zip(sent).filter(|(seen, sent)| seen != sent).count() {
        0 => "the same".to_owned(),
        wrong => format!("{wrong} of them wrong"),
    }
}
