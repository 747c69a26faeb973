//! A buffer and a timeline that another API exported by file descriptors.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

/// Closes a descriptor after an import that failed before it reached a driver. A driver may have closed the descriptor:
/// then a leak is better than closing another file.
fn close_if_no_driver_saw(code: CUresult, fd: i32) {
    let not_reached = [
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
        CUDA_ERROR_STUB_LIBRARY,
    ];
    if not_reached.contains(&code) {
        // SAFETY: the number comes from an OwnedFd that was given up, and no driver has closed it.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
}

/// Destroys the import when it is dropped.
#[derive(Debug)]
struct ImportedMemory(CUexternalMemory);

impl Drop for ImportedMemory {
    fn drop(&mut self) {
        // SAFETY: the import succeeded, and `ImportedBuffer` has freed the mapping. A failure has no remedy here.
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
    /// Imports a buffer's memory from an opaque descriptor, and maps the buffer. `allocation` is the whole allocation's
    /// size in bytes, `dedicated` whether the exporter's allocation is, and `offset` and `size` are the buffer's.
    ///
    /// # Safety
    ///
    /// The descriptor must be of such memory, on the current context's device.
    pub unsafe fn import(
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
        // SAFETY: both pointers are to variables here; the descriptor is of what `# Safety` says.
        let code = unsafe { cuImportExternalMemory(&mut memory, &desc) };
        // SAFETY: `fd` is the field of the union that was written.
        close_if_no_driver_saw(code, unsafe { desc.handle.fd });
        code.result()?;
        let memory = ImportedMemory(memory);
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the import lives; both pointers are to variables here.
        unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory.0, &desc) }.result()?;
        Ok(Self { address, _memory: memory })
    }

    /// Returns the device address.
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }
}

impl Drop for ImportedBuffer {
    fn drop(&mut self) {
        // SAFETY: the driver mapped the address, and the import still lives. A failure has no remedy here.
        let _ = unsafe { cuMemFree(self.address) };
    }
}

/// An imported timeline semaphore.
#[derive(Debug)]
pub struct ImportedTimeline(CUexternalSemaphore);

impl ImportedTimeline {
    /// Imports a timeline semaphore from an opaque descriptor.
    ///
    /// # Safety
    ///
    /// The descriptor must be of a timeline semaphore of the current context's device.
    pub unsafe fn import(fd: OwnedFd) -> Result<Self, CUresult> {
        let desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle { fd: fd.into_raw_fd() },
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: both pointers are to variables here; the descriptor is of what `# Safety` says.
        let code = unsafe { cuImportExternalSemaphore(&mut raw, &desc) };
        // SAFETY: `fd` is the field of the union that was written.
        close_if_no_driver_saw(code, unsafe { desc.handle.fd });
        code.result().map(|()| Self(raw))
    }

    /// Enqueues a wait for this value.
    ///
    /// # Safety
    ///
    /// The stream must be valid, and the timeline must live until the work is done.
    pub unsafe fn wait(&self, value: u64, stream: CUstream) -> Result<(), CUresult> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: one semaphore and its parameters, which are read before the call returns.
        unsafe { cuWaitExternalSemaphoresAsync(&self.0, &params, 1, stream) }.result()
    }

    /// Enqueues a signal with this value.
    ///
    /// # Safety
    ///
    /// As for [`Self::wait`].
    pub unsafe fn signal(&self, value: u64, stream: CUstream) -> Result<(), CUresult> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: one semaphore and its parameters, which are read before the call returns.
        unsafe { cuSignalExternalSemaphoresAsync(&self.0, &params, 1, stream) }.result()
    }
}

impl Drop for ImportedTimeline {
    fn drop(&mut self) {
        // SAFETY: the import succeeded, and only this drop destroys it. A failure has no remedy here.
        let _ = unsafe { cuDestroyExternalSemaphore(self.0) };
    }
}
