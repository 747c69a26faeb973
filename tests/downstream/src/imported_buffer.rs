//! A buffer and a timeline that another API exported by file descriptors.

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

/// Imports an object by a call that takes over the descriptor's number. If the call fails before it reaches a driver, the
/// descriptor is closed. A driver may have closed it: then a leak is better than closing another file.
fn import_fd<T>(fd: OwnedFd, call: impl FnOnce(i32, *mut *mut T) -> CUresult) -> Result<*mut T, CUresult> {
    let (number, mut object) = (fd.into_raw_fd(), ptr::null_mut());
    let code = call(number, &mut object);
    let before_a_driver = [
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
        CUDA_ERROR_STUB_LIBRARY,
    ];
    if before_a_driver.contains(&code) {
        // SAFETY: the number comes from an OwnedFd that was given up, and no driver has closed it.
        drop(unsafe { OwnedFd::from_raw_fd(number) });
    }
    code.result().map(|()| object)
}

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
        let flags = if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 };
        let memory = import_fd(fd, |fd, memory| {
            let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
                type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
                size: allocation,
                flags,
                ..Default::default()
            };
            // SAFETY: both pointers are to variables; the descriptor is of what `# Safety` says.
            unsafe { cuImportExternalMemory(memory, &desc) }
        })?;
        let memory = ImportedMemory(memory);
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the import lives; both pointers are to variables here.
        unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory.0, &desc) }.result()?;
        Ok(Self { address, _memory: memory })
    }

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

#[derive(Debug)]
pub struct ImportedTimeline(CUexternalSemaphore);

impl ImportedTimeline {
    /// Imports a timeline semaphore from an opaque descriptor.
    ///
    /// # Safety
    ///
    /// The descriptor must be of a timeline semaphore of the current context's device.
    pub unsafe fn import(fd: OwnedFd) -> Result<Self, CUresult> {
        let raw = import_fd(fd, |fd, semaphore| {
            let desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
                type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
                handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle { fd },
                ..Default::default()
            };
            // SAFETY: both pointers are to variables; the descriptor is of what `# Safety` says.
            unsafe { cuImportExternalSemaphore(semaphore, &desc) }
        })?;
        Ok(Self(raw))
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
