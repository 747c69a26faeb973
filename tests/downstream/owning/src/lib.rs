//! Owning types over the raw calls: a dropped import or mapping is destroyed, in the right order.
//!
//! A mapping borrows its import, so that it cannot outlive it.

use std::marker::PhantomData;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

/// Imported memory.
#[derive(Debug)]
pub struct ExternalMemory {
    raw: CUexternalMemory,
}

impl ExternalMemory {
    /// Imports memory from an opaque descriptor. `size` is the whole allocation's, in bytes, and `dedicated` whether the
    /// exporter's allocation is.
    ///
    /// # Safety
    ///
    /// The descriptor must stand for such memory, on the current context's device.
    pub unsafe fn import(fd: OwnedFd, size: u64, dedicated: bool) -> Result<Self, CUresult> {
        let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd: fd.into_raw_fd() },
            size,
            flags: if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: both pointers are to variables here; the rest is this function's contract.
        let code = unsafe { cuImportExternalMemory(&mut raw, &desc) };
        if [CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, CUDA_ERROR_STUB_LIBRARY].contains(&code) {
            // The call did not reach a driver. Where it did, the driver has closed the descriptor, or may have: a leak is
            // better than closing another file.
            // SAFETY: it was taken from an OwnedFd, and not used since.
            drop(unsafe { OwnedFd::from_raw_fd(desc.handle.fd) });
        }
        code.result().map(|()| Self { raw })
    }

    /// Maps a range of it.
    pub fn map(&self, offset: u64, size: u64) -> Result<MappedBuffer<'_>, CUresult> {
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the import lives; both pointers are to variables here.
        unsafe { cuExternalMemoryGetMappedBuffer(&mut address, self.raw, &desc) }.result()?;
        Ok(MappedBuffer { address, memory: PhantomData })
    }
}

impl Drop for ExternalMemory {
    fn drop(&mut self) {
        // SAFETY: it was imported, and every mapping, which borrows it, is gone. A failure has no remedy here.
        let _ = unsafe { cuDestroyExternalMemory(self.raw) };
    }
}

/// A range of imported memory at a device address.
#[derive(Debug)]
pub struct MappedBuffer<'a> {
    pub address: CUdeviceptr,
    memory: PhantomData<&'a ExternalMemory>,
}

impl Drop for MappedBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: it was mapped, and the import still lives. A failure has no remedy here.
        let _ = unsafe { cuMemFree(self.address) };
    }
}
