//! The README's code, word for word, and its caller.

use cuda_external_sys::*;
use std::os::fd::{IntoRawFd, OwnedFd};

/// Imports what `vkGetMemoryFdKHR` returned, and maps all of it. `size` is the VkDeviceMemory's, not the buffer's.
unsafe fn import(fd: OwnedFd, size: u64, flags: u32) -> Result<(CUexternalMemory, CUdeviceptr), CUresult> {
    let (mut memory, mut address) = (std::ptr::null_mut(), 0);
    let mut handle = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size, flags, ..Default::default() };
    handle.type_ = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = fd.into_raw_fd(); // the driver's from here on, even if the import fails
    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size, ..Default::default() };
    unsafe {
        cuImportExternalMemory(&mut memory, &handle).result()?;
        let mapped = cuExternalMemoryGetMappedBuffer(&mut address, memory, &buffer).result();
        mapped.inspect_err(|_| _ = cuDestroyExternalMemory(memory))?;
    }
    Ok((memory, address))
}

pub fn import_a_page(fd: OwnedFd) -> Result<(CUexternalMemory, CUdeviceptr), CUresult> {
    // SAFETY: the driver, which is the tests', takes the descriptor and looks at nothing.
    unsafe { import(fd, 0x1000, 0) }
}
