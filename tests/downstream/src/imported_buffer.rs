//! A buffer that another API exported by a file descriptor.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

#[derive(Debug)]
struct ImportedMemory(CUexternalMemory);

impl Drop for ImportedMemory {
    fn drop(&mut self) {
        // SAFETY: the import succeeded, and `ImportedBuffer` has freed any mapping. A failure has no remedy here.
        let _ = unsafe { cuDestroyExternalMemory(self.0) };
    }
}

/// A range of imported memory, which is mapped at a device address.
#[derive(Debug)]
pub struct ImportedBuffer {
    address: CUdeviceptr,
    /// Dropped after the mapping is freed.
    _memory: ImportedMemory,
}

impl ImportedBuffer {
    /// Imports `allocation` bytes from an opaque file descriptor, and maps a buffer of `size` bytes at `offset`.
    ///
    /// # Safety
    ///
    /// `fd` must be a descriptor of `allocation` bytes of memory on the current context's device. `dedicated` must say
    /// whether the exporter allocated the memory for a single buffer or image.
    pub unsafe fn import_and_map(
        fd: OwnedFd,
        allocation: u64,
        dedicated: bool,
        offset: u64,
        size: u64,
    ) -> Result<Self, CUresult> {
        let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd: fd.into_raw_fd() },
            size: allocation,
            flags: if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
            ..Default::default()
        };
        let mut memory = ptr::null_mut();
        // SAFETY: both pointers are to variables here; the caller guarantees the descriptor's memory (`# Safety`).
        let code = unsafe { cuImportExternalMemory(&mut memory, &desc) };
        // A driver may close the descriptor even if the import fails. Another file may get the descriptor's number
        // then, and must not be closed. So this function closes the descriptor only if the import reached no driver: a
        // leak is better than closing another file.
        let before_a_driver = [
            CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
            CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
            CUDA_ERROR_STUB_LIBRARY,
        ];
        if before_a_driver.contains(&code) {
            // SAFETY: this function wrote the union's field `fd`, a number from an OwnedFd that no driver has closed.
            drop(unsafe { OwnedFd::from_raw_fd(desc.handle.fd) });
        }
        code.result()?;
        let memory = ImportedMemory(memory);
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the import lives; both pointers are to variables here.
        unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory.0, &desc) }.result()?;
        Ok(Self { address, _memory: memory })
    }

    pub fn device_address(&self) -> CUdeviceptr {
        self.address
    }
}

impl Drop for ImportedBuffer {
    fn drop(&mut self) {
        // SAFETY: the driver mapped the address, and the import still lives. A failure has no remedy here.
        let _ = unsafe { cuMemFree(self.address) };
    }
}
