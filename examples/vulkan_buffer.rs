//! A Vulkan buffer, which CUDA reads and writes, ordered by a timeline semaphore.
//!
//! The documentation's page "vulkan_buffer" walks through this file and through vulkan_setup/mod.rs, which has the
//! instance, the device matched by UUID, and its extensions.
//!
//! What to look at:
//!
//! - the size, which is the allocation's and not the buffer's;
//! - the DEDICATED flag, set exactly where Vulkan's allocation is dedicated;
//! - the file descriptors, which are given up at the imports and never closed;
//! - the barriers, with their stages, access masks and queue families;
//! - the timeline's values 1, 2 and 3, and the CPU, which waits once, at the end;
//! - the teardown, CUDA first.
//!
//! On Windows the same is done with OPAQUE_WIN32 and a HANDLE, which the program closes: see vulkan_win32.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("vulkan_buffer.rs"), buffer::example)
}

#[cfg(not(unix))]
fn main() {
    println!("This example shares file descriptors, which this system does not have.");
}

#[cfg(unix)]
#[allow(dead_code)] // what the other example uses
mod vulkan_setup;

#[cfg(unix)]
pub mod buffer {
    use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
    use std::{ptr, slice};

    use ash::{khr, vk};
    use cuda_external_sys::*;
    use interop::Result;
    use interop::bytes::{compare, pattern};

    use super::vulkan_setup::{Vulkan, semaphore_at};

    const SIZE: usize = 1_000_000;
    const COPY: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::COPY;
    const ALL: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_COMMANDS;
    /// The byte that CUDA writes into the buffer's first half.
    const CUDA_WROTE: u8 = 0x2a;

    pub fn example() -> Result<()> {
        // SAFETY: handles are valid while they are used, and structs outlive the calls that read them. An error ends the
        // process.
        unsafe { share() }
    }

    #[expect(unsafe_op_in_unsafe_fn)] // nearly every line is such a call
    unsafe fn share() -> Result<()> {
        let vulkan = Vulkan::open()?;
        let device = &vulkan.device;

        // The buffer, which can be exported.
        let fd = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(fd);
        let info = vk::BufferCreateInfo::default()
            .size(SIZE as u64)
            .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST)
            .push_next(&mut external);
        vulkan.check_exportable_buffer(&info)?;
        let buffer = device.create_buffer(&info, None)?;

        // Its memory, dedicated if Vulkan prefers that, and exported.
        let mut wants = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut wants);
        let of_buffer = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer);
        device.get_buffer_memory_requirements2(&of_buffer, &mut needs);
        let needs = needs.memory_requirements;
        let is_dedicated = wants.prefers_dedicated_allocation == vk::TRUE; // also where it is required
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(fd);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(vulkan.memory_type(&needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?)
            .push_next(&mut export);
        if is_dedicated {
            info = info.push_next(&mut dedicated);
        }
        let memory = device.allocate_memory(&info, None)?;
        device.bind_buffer_memory(buffer, memory, 0)?;
        let exporter = khr::external_memory_fd::Device::new(&vulkan.instance, device);
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(fd);
        let memory_fd = OwnedFd::from_raw_fd(exporter.get_memory_fd(&info)?);
        println!("a buffer of {SIZE} bytes, its allocation {}, dedicated: {is_dedicated}", needs.size);

        // The timeline semaphore, exported.
        let fd = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(fd);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut kind);
        let timeline = device.create_semaphore(&info, None)?;
        let exporter = khr::external_semaphore_fd::Device::new(&vulkan.instance, device);
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(timeline).handle_type(fd);
        let timeline_fd = OwnedFd::from_raw_fd(exporter.get_semaphore_fd(&info)?);

        // CUDA's context and stream, on the same device.
        let (mut context, mut stream) = (ptr::null_mut(), ptr::null_mut());
        cuDevicePrimaryCtxRetain(&mut context, vulkan.cuda_device).result()?;
        cuCtxSetCurrent(context).result()?;
        cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.into()).result()?;

        // The memory in CUDA. The descriptors are given up by `into_raw_fd` and never closed, even if the import fails.
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            size: needs.size,
            flags: if is_dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
            ..Default::default()
        };
        desc.handle.fd = memory_fd.into_raw_fd();
        let mut imported = ptr::null_mut();
        cuImportExternalMemory(&mut imported, &desc).result()?;

        // The buffer in CUDA: where it is bound in the allocation, and its size.
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: SIZE as u64, ..Default::default() };
        let mut address = 0;
        cuExternalMemoryGetMappedBuffer(&mut address, imported, &range).result()?;

        // The semaphore in CUDA.
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        desc.handle.fd = timeline_fd.into_raw_fd();
        let mut semaphore = ptr::null_mut();
        cuImportExternalSemaphore(&mut semaphore, &desc).result()?;

        // Vulkan writes the buffer, hands it over, and signals 1.
        let host = vulkan.host_buffer(SIZE)?;
        let sent = pattern(1, SIZE);
        host.write(&sent);
        let all = vk::BufferCopy::default().size(SIZE as u64);
        vulkan.submit(None, semaphore_at(timeline, 1, ALL), |commands| {
            device.cmd_copy_buffer(commands, host.buffer, buffer, &[all]);
            let release = vk::BufferMemoryBarrier2::default()
                .buffer(buffer)
                .size(vk::WHOLE_SIZE)
                .src_stage_mask(COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .src_queue_family_index(vulkan.family)
                .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL);
            vulkan.buffer_barrier(commands, release);
        })?;

        // CUDA waits for 1, reads the buffer, writes its first half, and signals 2.
        let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        wait.params.fence.value = 1;
        cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream).result()?;
        let mut kept = 0;
        cuMemAlloc(&mut kept, SIZE).result()?;
        cuMemcpyDtoDAsync(kept, address, SIZE, stream).result()?;
        // A kernel could work here instead.
        cuMemsetD8Async(address, CUDA_WROTE, SIZE / 2, stream).result()?;
        let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        signal.params.fence.value = 2;
        cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream).result()?;

        // Vulkan waits for 2, takes the buffer over, reads it, and signals 3.
        vulkan.submit(Some(semaphore_at(timeline, 2, COPY)), semaphore_at(timeline, 3, ALL), |commands| {
            let acquire = vk::BufferMemoryBarrier2::default()
                .buffer(buffer)
                .size(vk::WHOLE_SIZE)
                .src_stage_mask(COPY)
                .dst_stage_mask(COPY)
                .dst_access_mask(vk::AccessFlags2::TRANSFER_READ)
                .src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
                .dst_queue_family_index(vulkan.family);
            vulkan.buffer_barrier(commands, acquire);
            device.cmd_copy_buffer(commands, buffer, host.buffer, &[all]);
            let for_the_cpu = vk::MemoryBarrier2::default()
                .src_stage_mask(COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(vk::PipelineStageFlags2::HOST)
                .dst_access_mask(vk::AccessFlags2::HOST_READ);
            vulkan.memory_barrier(commands, for_the_cpu);
        })?;

        // The CPU waits, for the first time: for 3.
        let info = vk::SemaphoreWaitInfo::default().semaphores(slice::from_ref(&timeline)).values(&[3]);
        device.wait_semaphores(&info, 10_000_000_000)?;
        let seen_by_vulkan = host.read(SIZE);

        // Teardown: the work of both, then CUDA's mapping, import and semaphore, then what Vulkan exported.
        cuStreamSynchronize(stream).result()?;
        device.device_wait_idle()?;
        let mut seen_by_cuda = vec![0; SIZE];
        cuMemcpyDtoH(seen_by_cuda.as_mut_ptr().cast(), kept, SIZE).result()?;
        cuMemFree(kept).result()?;
        cuMemFree(address).result()?;
        cuDestroyExternalMemory(imported).result()?;
        cuDestroyExternalSemaphore(semaphore).result()?;
        cuStreamDestroy(stream).result()?;
        cuDevicePrimaryCtxRelease(vulkan.cuda_device).result()?;
        device.destroy_semaphore(timeline, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        vulkan.close(host);

        compare("from Vulkan to CUDA", &seen_by_cuda, &sent)?;
        let mut expected = sent;
        expected[..SIZE / 2].fill(CUDA_WROTE);
        compare("from CUDA to Vulkan", &seen_by_vulkan, &expected)?;
        println!("{SIZE} bytes each way: every byte is right");
        Ok(())
    }
}
