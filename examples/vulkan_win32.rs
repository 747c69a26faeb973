//! Vulkan buffers and semaphores in CUDA on Windows: by NT handle, by name and by D3DKMT handle.
//!
//! Look at: the NT handle, which Vulkan makes and CUDA does not take over, so that it is the
//! program's to close (`owned`); the D3DKMT handle, which is a number that keeps nothing alive and
//! is never closed; the size, which is the allocation's; the DEDICATED flag, set exactly when
//! Vulkan's allocation is; a timeline and two binary semaphores; the buffer's way to and from
//! VK_QUEUE_FAMILY_EXTERNAL; the order of the teardown. On Linux, see vulkan_buffer and
//! vulkan_semaphores.
//!
//! Compiled and linted for Windows, and started there without a GPU. It has not met one yet: what
//! it shows is what the documentation of both APIs asks for.

#[cfg(windows)]
fn main() -> std::process::ExitCode {
    interop::example::main(include_str!("vulkan_win32.rs"), vulkan::example)
}

#[cfg(not(windows))]
fn main() {
    println!("Handles of this kind are a part of Windows. Here, see the example vulkan_buffer.");
}

#[cfg(windows)]
mod vulkan {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

    use ash::vk;
    use cuda_external_sys::*;
    use windows::Win32::Graphics::Dxgi::{DXGI_SHARED_RESOURCE_READ, DXGI_SHARED_RESOURCE_WRITE};

    use interop::cuda::{self, Cuda, call};
    use interop::direct3d::unique_name;
    use interop::vulkan::{self, Instance};
    use interop::vulkan_win32::{Buffer, Vulkan};
    use interop::win32::{self, Shared};
    use interop::{Error, Result};

    const SIZE: u64 = 1 << 20;
    const NT: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32;
    const KMT: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_WIN32_KMT;

    pub fn example() -> Result<()> {
        let cuda = Cuda::open(0)?;
        let instance = Instance::open()?;
        let candidates = instance.candidates()?;
        let vulkan = Vulkan::open(&instance, vulkan::find(&candidates, &cuda.uuid)?)?;
        println!("{} is CUDA's device and Vulkan's", cuda.name);
        let stream = win32::stream()?;
        with_nt_handles(&vulkan, stream)?;
        with_kmt_handles(&vulkan, stream)?;
        // SAFETY: nothing uses the stream any more.
        unsafe { call!(cuStreamDestroy_v2(stream)) }
    }

    /// A dedicated allocation by NT handle, and a timeline semaphore by name.
    fn with_nt_handles(vulkan: &Vulkan, stream: CUstream) -> Result<()> {
        let buffer = Buffer::to_share(vulkan, SIZE, NT, true)?;
        let handle = nt_memory_handle(vulkan, &buffer)?;
        let memory = win32::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
            Shared::Handle(handle.as_raw_handle()),
            buffer.allocation_size,
            buffer.dedicated,
        )?;
        drop(handle);
        let mapped = cuda::map_buffer(memory, 0, SIZE)?;

        let name = unique_name("timeline");
        let timeline = timeline_to_share(vulkan, &name)?;
        let handle = nt_semaphore_handle(vulkan, timeline)?;
        let semaphore = win32::import_semaphore(
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
            Shared::Name(&name), // which is good while `handle` is open
        )?;
        drop(handle);

        // Vulkan writes, and sets the timeline to 1; CUDA reads, writes, and sets it to 2.
        vulkan
            .submit(None, Some((timeline, 1)), |commands| buffer.fill_and_release(commands, 0x5a5a_5a5a))?;
        win32::wait(semaphore, win32::for_value(1), stream)?;
        exchange(mapped, 0x5a5a_5a5a, 0xa5a5_a5a5, stream)?;
        win32::signal(semaphore, win32::to_value(2), stream)?;
        vulkan.submit(Some((timeline, 2)), None, |commands| buffer.acquire_and_copy(commands))?;
        buffer.check("NT handle, timeline", 0xa5a5_a5a5)?;

        // SAFETY: both APIs are idle. CUDA's side goes first; the buffer goes by drop.
        unsafe {
            call!(cuStreamSynchronize(stream))?;
            call!(cuMemFree_v2(mapped))?;
            call!(cuDestroyExternalMemory(memory))?;
            call!(cuDestroyExternalSemaphore(semaphore))?;
            vulkan.device.destroy_semaphore(timeline, None);
        }
        Ok(())
    }

    /// An allocation that is not dedicated, and a binary semaphore for each way, by D3DKMT handle.
    fn with_kmt_handles(vulkan: &Vulkan, stream: CUstream) -> Result<()> {
        if let Err(why) = vulkan.can_export(KMT) {
            println!("D3DKMT handles: {why}");
            return Ok(());
        }
        let buffer = Buffer::to_share(vulkan, SIZE, KMT, false)?;
        let info = vk::MemoryGetWin32HandleInfoKHR::default().memory(buffer.memory).handle_type(KMT);
        // SAFETY: the memory was allocated to be exported so.
        let handle = unsafe { vulkan.memory_win32.get_memory_win32_handle(&info) }?;
        let memory = win32::import_memory(
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT,
            Shared::Kmt(handle as _),
            buffer.allocation_size,
            buffer.dedicated,
        )?;
        let mapped = cuda::map_buffer(memory, 0, SIZE)?;
        let (to_cuda, cuda_waits) = binary(vulkan)?;
        let (to_vulkan, cuda_signals) = binary(vulkan)?;

        vulkan.submit(None, Some((to_cuda, 0)), |commands| buffer.fill_and_release(commands, 0x1234_5678))?;
        // A binary semaphore takes no parameters. Each signal is for one wait.
        win32::wait(cuda_waits, Default::default(), stream)?;
        exchange(mapped, 0x1234_5678, 0x8765_4321, stream)?;
        win32::signal(cuda_signals, Default::default(), stream)?;
        vulkan.submit(Some((to_vulkan, 0)), None, |commands| buffer.acquire_and_copy(commands))?;
        buffer.check("D3DKMT handle, binary", 0x8765_4321)?;

        // SAFETY: as above; the handles of this kind are gone with what they stand for.
        unsafe {
            call!(cuStreamSynchronize(stream))?;
            call!(cuMemFree_v2(mapped))?;
            call!(cuDestroyExternalMemory(memory))?;
            call!(cuDestroyExternalSemaphore(cuda_waits))?;
            call!(cuDestroyExternalSemaphore(cuda_signals))?;
            vulkan.device.destroy_semaphore(to_cuda, None);
            vulkan.device.destroy_semaphore(to_vulkan, None);
        }
        Ok(())
    }

    /// CUDA reads what Vulkan wrote, and writes something else.
    fn exchange(mapped: CUdeviceptr, expected: u32, written: u32, stream: CUstream) -> Result<()> {
        let mut words = vec![0_u32; SIZE as usize / 4];
        // SAFETY: `words` has room, and stays until the copy is done.
        unsafe {
            call!(cuMemcpyDtoHAsync_v2(words.as_mut_ptr().cast(), mapped, SIZE as usize, stream))?;
            call!(cuMemsetD32Async(mapped, written, words.len(), stream))?;
            call!(cuStreamSynchronize(stream))?;
        }
        match words.iter().position(|word| *word != expected) {
            None => Ok(()),
            Some(at) => Err(Error::Failed(format!("word {at} is {:#x}, not {expected:#x}", words[at]))),
        }
    }

    /// A new NT handle, which holds a reference to the memory. Vulkan gives one of a type for each
    /// allocation, and no more: keep it, or duplicate it, where several import.
    fn nt_memory_handle(vulkan: &Vulkan, buffer: &Buffer) -> Result<OwnedHandle> {
        let info = vk::MemoryGetWin32HandleInfoKHR::default().memory(buffer.memory).handle_type(NT);
        // SAFETY: the memory was allocated to be exported so.
        Ok(owned(unsafe { vulkan.memory_win32.get_memory_win32_handle(&info) }?))
    }

    fn nt_semaphore_handle(vulkan: &Vulkan, semaphore: vk::Semaphore) -> Result<OwnedHandle> {
        let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32;
        let info =
            vk::SemaphoreGetWin32HandleInfoKHR::default().semaphore(semaphore).handle_type(handle_type);
        // SAFETY: the semaphore was created to be exported so.
        Ok(owned(unsafe { vulkan.semaphore_win32.get_semaphore_win32_handle(&info) }?))
    }

    fn owned(handle: vk::HANDLE) -> OwnedHandle {
        // SAFETY: it was made for us, and nobody else knows it.
        unsafe { OwnedHandle::from_raw_handle(handle as _) }
    }

    fn timeline_to_share(vulkan: &Vulkan, name: &[u16]) -> Result<vk::Semaphore> {
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
        // SAFETY: the chain and the name outlive the call.
        Ok(unsafe { vulkan.device.create_semaphore(&info, None) }?)
    }

    /// A binary semaphore, and CUDA's import of it.
    fn binary(vulkan: &Vulkan) -> Result<(vk::Semaphore, CUexternalSemaphore)> {
        let handle_type = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32_KMT;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handle_type);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        // SAFETY: the chain outlives the call; the semaphore was created to be exported so.
        let (semaphore, handle) = unsafe {
            let semaphore = vulkan.device.create_semaphore(&info, None)?;
            let info =
                vk::SemaphoreGetWin32HandleInfoKHR::default().semaphore(semaphore).handle_type(handle_type);
            (semaphore, vulkan.semaphore_win32.get_semaphore_win32_handle(&info)?)
        };
        let type_ = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT;
        Ok((semaphore, win32::import_semaphore(type_, Shared::Kmt(handle as _))?))
    }
}
