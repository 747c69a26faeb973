//! CUDA imports a Vulkan buffer and a timeline semaphore on Windows, by NT handles. The example d3d12 imports by name.
//!
//! What to look at:
//!
//! - the NT handles, which CUDA does not take over: the program closes them (`own_nt_handle`);
//! - the size of the whole allocation, and the DEDICATED flag, set if and only if Vulkan's allocation is dedicated;
//! - the timeline, which orders the work: the CPU waits only after everything is submitted;
//! - the barriers to and from VK_QUEUE_FAMILY_EXTERNAL;
//! - the teardown at the end of the scope: each import is destroyed before the Vulkan object that was imported.
//!
//! On Linux, see the examples kernel and vulkan_semaphores.
//!
//! This example follows the documentation of CUDA and Vulkan. It has not been run on a GPU yet.

example_support::example_main!(windows, "vulkan_win32.rs", vulkan::example);

#[cfg(windows)]
mod vulkan {
    use std::os::windows::io::OwnedHandle;

    use ash::vk;
    use cuda_external_sys::*;
    use example_support::Result;
    use example_support::cuda::{self, Cuda, DeviceMemory, ImportedSemaphore, Stream};
    use example_support::direct3d_common::{borrow_nt_handle, own_nt_handle};
    use example_support::import_win32_handle;
    use example_support::test_bytes::compare_bytes;
    use example_support::vulkan::{ExportableBuffer, ExportableSemaphore, HostBuffer, Vulkan, VulkanMemory};
    use windows::Win32::Foundation::HANDLE;

    const SIZE: u64 = 1 << 20;

    /// The bytes that Vulkan and CUDA fill the buffer with.
    const FROM_VULKAN: u8 = 0x5a;
    const FROM_CUDA: u8 = 0xa5;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        println!("{} is CUDA's device and Vulkan's", cuda.name);
        let stream = Stream::new()?;

        let (buffer, memory) = ExportableBuffer::new_with_memory(&vulkan, SIZE, true)?;
        let handle = nt_memory_handle(&vulkan, &memory)?;
        let imported = import_win32_handle::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
            borrow_nt_handle(&handle),
            memory.size,
            memory.dedicated,
        )?;
        drop(handle);
        let mapped = imported.map_buffer(0, SIZE)?;

        let timeline = ExportableSemaphore::new_timeline(&vulkan, 0)?;
        let handle = nt_semaphore_handle(&vulkan, &timeline)?;
        let semaphore =
            import_win32_handle::import_semaphore(timeline.handle_type(), borrow_nt_handle(&handle))?;
        drop(handle);

        exchange_bytes(&vulkan, &buffer, mapped, &stream, &timeline, &semaphore)
        // Both APIs are idle. Rust drops variables in reverse order: each import before the imported Vulkan object.
    }

    fn exchange_bytes(
        vulkan: &Vulkan,
        buffer: &ExportableBuffer,
        mapped: CUdeviceptr,
        stream: &Stream,
        timeline: &ExportableSemaphore,
        semaphore: &ImportedSemaphore,
    ) -> Result<()> {
        let filled = vulkan.submit(&[], &[(timeline, 1)], |commands| {
            let word = u32::from_ne_bytes([FROM_VULKAN; 4]);
            // SAFETY: the buffer lives until the submission is done.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, vk::WHOLE_SIZE, word) };
            buffer.release_to_cuda(commands);
        })?;

        stream.wait(&[(semaphore, 1)])?;
        let seen = DeviceMemory::new(SIZE as usize)?;
        stream.copy_async(seen.address, mapped, SIZE as usize)?;
        stream.fill_async(mapped, FROM_CUDA, SIZE as usize)?;
        stream.signal(&[(semaphore, 2)])?;

        let host = HostBuffer::new(vulkan, SIZE)?;
        let read = vulkan.submit(&[(timeline, 2)], &[], |commands| {
            buffer.record_read(commands, 0, &host);
        })?;
        read.wait()?;
        filled.wait()?;
        stream.synchronize()?;
        let seen = cuda::read(seen.address, SIZE as usize)?;
        compare_bytes("from Vulkan to CUDA", &seen, &vec![FROM_VULKAN; SIZE as usize])?;
        compare_bytes("from CUDA to Vulkan", host.bytes(), &vec![FROM_CUDA; SIZE as usize])?;
        println!("{SIZE} bytes there and back, every byte is right");
        Ok(())
    }

    /// A program may ask Vulkan only once for a memory's NT handle: to import again, keep or duplicate the handle.
    fn nt_memory_handle(vulkan: &Vulkan, memory: &VulkanMemory) -> Result<OwnedHandle> {
        let info =
            vk::MemoryGetWin32HandleInfoKHR::default().memory(memory.raw).handle_type(memory.handle_type);
        // SAFETY: the memory was allocated for export by this type of handle. The handle is new.
        Ok(unsafe { own_nt_handle(HANDLE(vulkan.external_memory.get_memory_win32_handle(&info)? as _)) })
    }

    fn nt_semaphore_handle(vulkan: &Vulkan, semaphore: &ExportableSemaphore) -> Result<OwnedHandle> {
        let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32;
        let info =
            vk::SemaphoreGetWin32HandleInfoKHR::default().semaphore(semaphore.raw).handle_type(handle_type);
        // SAFETY: the semaphore was created for export by this type of handle. The handle is new.
        Ok(unsafe {
            own_nt_handle(HANDLE(vulkan.external_semaphore.get_semaphore_win32_handle(&info)? as _))
        })
    }
}
