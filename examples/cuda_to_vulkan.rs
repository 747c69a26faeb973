//! CUDA allocates memory and Vulkan imports it. In kernel.rs, Vulkan allocates and CUDA imports.
//!
//! According to an answer in Vulkan-Docs issue 1783, importing another API's memory as OPAQUE_FD is not supported.
//! vkGetMemoryFdPropertiesKHR must not be called for this type of handle. NVIDIA's sample simpleVulkanMMAP nevertheless
//! imports CUDA's memory as OPAQUE_FD, and this works (measured: H100 and H200, driver 580.159.04). Import CUDA's
//! memory into Vulkan only if CUDA must allocate it. Otherwise let Vulkan allocate.
//!
//! What to look at:
//!
//! - the allocation by cuMemCreate: memory of cuMemAlloc cannot be exported as an OPAQUE_FD;
//! - the size: a dedicated import must be exactly as large as its buffer needs, so the buffer fills CUDA's allocation;
//! - the file descriptor: Vulkan owns it after a successful vkAllocateMemory, and the program owns it after a failure;
//! - the acquisition before Vulkan's first use of the buffer, which VK_QUEUE_FAMILY_EXTERNAL owns at first;
//! - the teardown: Vulkan frees its import before CUDA frees the memory.

example_support::example_main!(target_os = "linux", "cuda_to_vulkan.rs", linux::example);

#[cfg(target_os = "linux")]
pub mod linux {
    use ash::vk;
    use cuda_external_sys::*;
    use example_support::cuda::{self, CuMemAllocation, Cuda, ImportedSemaphore, Stream};
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::vulkan::{
        DedicatedTo, ExportableBuffer, ExportableSemaphore, HostBuffer, Vulkan, VulkanMemory,
    };
    use example_support::{Error, Result};

    const SIZE: usize = 1_000_000;
    const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        println!("{} in CUDA is {} in Vulkan", cuda.name, vulkan.name);
        let features = ExportableBuffer::external_features(&vulkan, OPAQUE_FD);
        if !features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE) {
            return Err(Error::Missing(format!("{} imports no memory by OPAQUE_FD", vulkan.name)));
        }

        // CUDA allocates, maps and exports the memory. The example opaque_fd shows each call.
        let allocation = CuMemAllocation::new(&cuda, SIZE)?;
        let mapped = allocation.map_allocation()?;
        let (size, address, fd) =
            (allocation.size as usize, mapped.address, allocation.export_allocation_fd()?);
        println!("CUDA allocated {size} bytes for {SIZE}, and exported them as {fd:?}");

        // The buffer fills CUDA's allocation: a dedicated import must be exactly as large as the buffer needs.
        let buffer = ExportableBuffer::new(&vulkan, size as u64)?;
        if buffer.needs.size != size as u64 {
            let needs = buffer.needs.size;
            return Err(Error::Failed(format!(
                "a buffer of {size} bytes needs {needs}: more than CUDA's memory"
            )));
        }
        let alone =
            if buffer.prefers_dedicated { DedicatedTo::Buffer(buffer.raw) } else { DedicatedTo::Nothing };
        let types = buffer.needs.memory_type_bits;
        // Vulkan owns the descriptor after a successful import. After a failure `import_fd` closes the descriptor.
        let memory = VulkanMemory::import_fd(&vulkan, fd, size as u64, types, alone, OPAQUE_FD)?;
        buffer.bind_memory(&memory, 0)?;
        println!("Vulkan imported them, dedicated: {}", buffer.prefers_dedicated);

        let timeline = ExportableSemaphore::new_timeline(&vulkan, 0)?;
        let in_cuda = ImportedSemaphore::from_vulkan(&timeline)?;
        let stream = Stream::new()?;
        exchange_bytes(&vulkan, &buffer, address, &stream, &timeline, &in_cuda)?;

        // Frees Vulkan's import before CUDA's memory. The buffer may be destroyed after its memory.
        drop(memory);
        Ok(())
    }

    /// Lets CUDA write and Vulkan read, and then Vulkan write and CUDA read. The timeline orders these steps.
    fn exchange_bytes(
        vulkan: &Vulkan,
        buffer: &ExportableBuffer,
        address: CUdeviceptr,
        stream: &Stream,
        timeline: &ExportableSemaphore,
        in_cuda: &ImportedSemaphore,
    ) -> Result<()> {
        let (from_cuda, from_vulkan) = (test_pattern(1, SIZE), test_pattern(2, SIZE));
        let (seen, source) = (HostBuffer::new(vulkan, SIZE as u64)?, HostBuffer::new(vulkan, SIZE as u64)?);
        source.write(&from_vulkan);
        let region = vk::BufferCopy::default().size(SIZE as u64);

        cuda::write(address, &from_cuda)?;
        stream.signal(&[(in_cuda, 1)])?;
        let work = vulkan.submit(&[(timeline, 1)], &[(timeline, 2)], |commands| {
            // VK_QUEUE_FAMILY_EXTERNAL owns the imported buffer at first, so Vulkan must acquire it.
            buffer.acquire_from_cuda(commands);
            // SAFETY: the buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, buffer.raw, seen.raw, &[region]) };
            vulkan.memory_barrier(commands);
            // SAFETY: both buffers live until the submission is done.
            unsafe { vulkan.device.cmd_copy_buffer(commands, source.raw, buffer.raw, &[region]) };
            buffer.release_to_cuda(commands);
        })?;
        // `cuda::read` does not run in the stream, so the CPU waits for the stream first.
        stream.wait(&[(in_cuda, 2)])?;
        stream.finish()?;
        let read = cuda::read(address, SIZE)?;
        work.wait()?;

        compare_bytes("from CUDA to Vulkan", seen.bytes(), &from_cuda)?;
        compare_bytes("from Vulkan to CUDA", &read, &from_vulkan)?;
        println!("{SIZE} bytes each way: every byte is right");
        Ok(())
    }
}
