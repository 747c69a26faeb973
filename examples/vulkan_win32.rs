//! Vulkan buffers and semaphores in CUDA on Windows: by NT handle, by name and by D3DKMT handle.
//!
//! What to look at:
//!
//! - the NT handle, which CUDA does not take over: the program closes it (`own_nt_handle`);
//! - the D3DKMT handle, which holds no reference and is never closed;
//! - the size, which is the allocation's, and the DEDICATED flag, set exactly where Vulkan's allocation is
//!   dedicated;
//! - the timeline and the two binary semaphores, which keep the order: the CPU waits only after everything is
//!   submitted;
//! - the barriers to and from VK_QUEUE_FAMILY_EXTERNAL;
//! - the order of the teardown, which is that of the scopes.
//!
//! On Linux, see kernel and vulkan_semaphores.
//!
//! Compiled and linted for Windows, and started there without a GPU. It has not been run on a GPU yet: it follows
//! the documentation of both APIs.

example_support::example_main!(windows, "vulkan_win32.rs", vulkan::example);

#[cfg(windows)]
mod vulkan {
    use std::os::windows::io::OwnedHandle;

    use ash::vk;
    use cuda_external_sys::*;
    use example_support::Result;
    use example_support::cuda::{Cuda, ImportedSemaphore, Stream};
    use example_support::direct3d_common::{nt_handle, own_nt_handle, unique_name};
    use example_support::import_win32_handle::{self, Win32HandleOrName};
    use example_support::test_bytes::compare_bytes;
    use example_support::vulkan::{Buffer, HostBuffer, Memory, Semaphore, SemaphoreKind, Vulkan};
    use windows::Win32::Foundation::HANDLE;
    use windows::Win32::Graphics::Dxgi::{DXGI_SHARED_RESOURCE_READ, DXGI_SHARED_RESOURCE_WRITE};

    const SIZE: u64 = 1 << 20;
    const NT: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32;
    const KMT: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32_KMT;

    /// What Vulkan fills the buffer with, and what CUDA fills it with.
    const FROM_VULKAN: u8 = 0x5a;
    const FROM_CUDA: u8 = 0xa5;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
        println!("{} is CUDA's device and Vulkan's", cuda.name);
        let stream = Stream::new()?;
        share_by_nt_handle(&vulkan, &stream)?;
        share_by_kmt_handle(&vulkan, &stream)
    }

    /// A dedicated allocation by NT handle, and a timeline semaphore by name.
    fn share_by_nt_handle(vulkan: &Vulkan, stream: &Stream) -> Result<()> {
        let buffer = Buffer::for_handle_type(vulkan, SIZE, NT)?;
        let memory = buffer.allocate_memory(true)?;
        let handle = nt_memory_handle(vulkan, &memory)?;
        let imported = import_win32_handle::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
            nt_handle(&handle),
            memory.size,
            memory.dedicated,
        )?;
        drop(handle);
        let mapped = imported.map_buffer(0, SIZE)?;

        let name = unique_name("timeline");
        let timeline = create_shared_timeline(vulkan, &name)?;
        let handle = nt_semaphore_handle(vulkan, &timeline)?;
        let semaphore = import_win32_handle::import_semaphore(
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
            Win32HandleOrName::Name(&name), // which exists while `handle` is open
        )?;
        drop(handle);

        // Vulkan sets the timeline to 1, and CUDA sets it to 2.
        println!("by NT handle, ordered by a timeline:");
        exchange_bytes(
            vulkan,
            &buffer,
            mapped,
            stream,
            (&timeline, &semaphore, 1),
            (&timeline, &semaphore, 2),
        )
        // Both APIs are idle. The scope ends CUDA's side first, and then Vulkan's.
    }

    /// An allocation that is not dedicated, and a binary semaphore for each direction, by D3DKMT handle.
    fn share_by_kmt_handle(vulkan: &Vulkan, stream: &Stream) -> Result<()> {
        let features = Buffer::external_features(vulkan, KMT);
        if !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE)
            || features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY)
        {
            println!("{} exports no memory by D3DKMT handle", vulkan.name);
            return Ok(());
        }
        let buffer = Buffer::for_handle_type(vulkan, SIZE, KMT)?;
        let memory = buffer.allocate_memory(false)?;
        let info = vk::MemoryGetWin32HandleInfoKHR::default().memory(memory.raw).handle_type(KMT);
        // SAFETY: the memory was allocated for export by this type of handle.
        let handle = unsafe { vulkan.external_memory.get_memory_win32_handle(&info) }?;
        let imported = import_win32_handle::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT,
            Win32HandleOrName::Kmt(handle as _),
            memory.size,
            memory.dedicated,
        )?;
        let mapped = imported.map_buffer(0, SIZE)?;
        let (to_cuda, cuda_waits) = create_binary_semaphore(vulkan)?;
        let (to_vulkan, cuda_signals) = create_binary_semaphore(vulkan)?;

        println!("by D3DKMT handle, ordered by binary semaphores:");
        exchange_bytes(
            vulkan,
            &buffer,
            mapped,
            stream,
            (&to_cuda, &cuda_waits, 0),
            (&to_vulkan, &cuda_signals, 0),
        )
        // Both APIs are idle. A D3DKMT handle is not closed: it ends with its object.
    }

    /// A semaphore in Vulkan and in CUDA, with a timeline's value. A binary semaphore's value is ignored.
    type SharedSignal<'s> = (&'s Semaphore<'s>, &'s ImportedSemaphore, u64);

    /// Vulkan fills the buffer, CUDA reads it and writes something else, Vulkan reads that. Each signal is submitted
    /// before its wait, and the CPU waits at the end.
    fn exchange_bytes(
        vulkan: &Vulkan,
        buffer: &Buffer,
        mapped: CUdeviceptr,
        stream: &Stream,
        to_cuda: SharedSignal,
        to_vulkan: SharedSignal,
    ) -> Result<()> {
        let filled = vulkan.submit(&[], &[(to_cuda.0, to_cuda.2)], |commands| {
            let word = u32::from_ne_bytes([FROM_VULKAN; 4]);
            // SAFETY: the buffer lives until the submission is done.
            unsafe { vulkan.device.cmd_fill_buffer(commands, buffer.raw, 0, vk::WHOLE_SIZE, word) };
            buffer.release_to_cuda(commands);
        })?;

        stream.wait(&[(to_cuda.1, to_cuda.2)])?;
        let mut seen = vec![0; SIZE as usize];
        // SAFETY: `seen` has room, and stays until the stream is done.
        unsafe { cuMemcpyDtoHAsync(seen.as_mut_ptr().cast(), mapped, seen.len(), stream.raw()) }.result()?;
        stream.fill_async(mapped, FROM_CUDA, SIZE as usize)?;
        stream.signal(&[(to_vulkan.1, to_vulkan.2)])?;

        let host = HostBuffer::new(vulkan, SIZE)?;
        let read = vulkan.submit(&[(to_vulkan.0, to_vulkan.2)], &[], |commands| {
            buffer.record_read(commands, 0, &host);
        })?;
        read.wait()?;
        filled.wait()?;
        stream.synchronize()?;
        compare_bytes("from Vulkan to CUDA", &seen, &vec![FROM_VULKAN; SIZE as usize])?;
        compare_bytes("from CUDA to Vulkan", host.bytes(), &vec![FROM_CUDA; SIZE as usize])?;
        println!("{SIZE} bytes there and back, every byte is right");
        Ok(())
    }

    /// Returns an NT handle, which holds a reference to the memory. Vulkan returns one of a type for each allocation:
    /// keep it or duplicate it for several imports.
    fn nt_memory_handle(vulkan: &Vulkan, memory: &Memory) -> Result<OwnedHandle> {
        let info = vk::MemoryGetWin32HandleInfoKHR::default().memory(memory.raw).handle_type(NT);
        // SAFETY: the memory was allocated for export by this type of handle.
        Ok(own_nt_handle(HANDLE(unsafe { vulkan.external_memory.get_memory_win32_handle(&info) }? as _)))
    }

    fn nt_semaphore_handle(vulkan: &Vulkan, semaphore: &Semaphore) -> Result<OwnedHandle> {
        let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32;
        let info =
            vk::SemaphoreGetWin32HandleInfoKHR::default().semaphore(semaphore.raw).handle_type(handle_type);
        // SAFETY: the semaphore was created for export by this type of handle.
        Ok(own_nt_handle(
            HANDLE(unsafe { vulkan.external_semaphore.get_semaphore_win32_handle(&info) }? as _),
        ))
    }

    fn create_shared_timeline<'v>(vulkan: &'v Vulkan, name: &[u16]) -> Result<Semaphore<'v>> {
        let mut handle = vk::ExportSemaphoreWin32HandleInfoKHR::default()
            .dw_access(DXGI_SHARED_RESOURCE_READ.0 | DXGI_SHARED_RESOURCE_WRITE.0)
            .name(name.as_ptr());
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default()
            .push_next(&mut handle)
            .push_next(&mut export)
            .push_next(&mut kind);
        // SAFETY: the chain and the name outlive the call. Nothing else destroys the semaphore.
        unsafe {
            let raw = vulkan.device.create_semaphore(&info, None)?;
            Ok(Semaphore::from_raw(vulkan, raw, SemaphoreKind::Timeline))
        }
    }

    /// A binary semaphore, and CUDA's import of it.
    fn create_binary_semaphore(vulkan: &Vulkan) -> Result<(Semaphore<'_>, ImportedSemaphore)> {
        let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32_KMT;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handle_type);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        // SAFETY: the chain outlives the call; the semaphore was created for export by this type of handle.
        let (semaphore, handle) = unsafe {
            let raw = vulkan.device.create_semaphore(&info, None)?;
            let semaphore = Semaphore::from_raw(vulkan, raw, SemaphoreKind::Binary);
            let info = vk::SemaphoreGetWin32HandleInfoKHR::default().semaphore(raw).handle_type(handle_type);
            (semaphore, vulkan.external_semaphore.get_semaphore_win32_handle(&info)?)
        };
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;
        Ok((semaphore, import_win32_handle::import_semaphore(type_, Win32HandleOrName::Kmt(handle as _))?))
    }
}
