//! Imported memory and its mappings, memory of `cuMemAlloc`, and copies to and from the host.

use std::cell::RefCell;
#[cfg(unix)]
use std::os::fd::{IntoRawFd, OwnedFd};
#[cfg(unix)]
use std::ptr;

use cuda_external_sys::*;

use super::mipmapped_arrays::map_mipmapped_array;
use super::primary_context::{assert_teardown_succeeded, finish_host_copy};
use crate::Result;

/// Imports memory by an opaque FD. `size` is the size of the whole allocation, not of a buffer.
///
/// A failure may leak `fd`. This function does not close `fd` after a failure: some failed imports have already closed
/// it, and a second close could close another thread's file.
#[cfg(unix)]
pub fn import_memory(
    fd: OwnedFd,
    size: u64,
    dedicated: bool,
) -> std::result::Result<CUexternalMemory, CUresult> {
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        size,
        flags: if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
        ..Default::default()
    };
    desc.handle.fd = fd.into_raw_fd();
    let mut memory = ptr::null_mut();
    // SAFETY: both pointers are to variables that outlive the call, and nothing else uses the descriptor.
    unsafe { cuImportExternalMemory(&mut memory, &desc) }.result().map(|()| memory)
}

/// Imported memory, with its mappings. Dropping this value waits for the current context's work, and then destroys the
/// mappings and the import.
pub struct ImportedMemory {
    raw: CUexternalMemory,
    buffers: RefCell<Vec<CUdeviceptr>>,
    arrays: RefCell<Vec<CUmipmappedArray>>,
}

impl ImportedMemory {
    /// Imports memory by an opaque FD: see [`import_memory`].
    #[cfg(unix)]
    pub fn from_fd(fd: OwnedFd, size: u64, dedicated: bool) -> Result<Self> {
        // SAFETY: nothing else has the handle.
        Ok(unsafe { Self::from_raw(import_memory(fd, size, dedicated)?) })
    }

    /// Takes ownership of an import.
    ///
    /// # Safety
    ///
    /// Nothing else may destroy the import, and nothing may use the import or its mappings after this value is dropped.
    pub unsafe fn from_raw(raw: CUexternalMemory) -> Self {
        Self { raw, buffers: RefCell::default(), arrays: RefCell::default() }
    }

    pub fn raw(&self) -> CUexternalMemory {
        self.raw
    }

    /// Maps a range for as long as the import lives.
    pub fn map_buffer(&self, offset: u64, size: u64) -> Result<CUdeviceptr> {
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the import lives as long as `self`; the driver checks the range.
        unsafe { cuExternalMemoryGetMappedBuffer(&mut address, self.raw, &desc) }.result()?;
        self.buffers.borrow_mut().push(address);
        Ok(address)
    }

    /// Maps a mipmapped array for as long as the import lives.
    ///
    /// # Safety
    ///
    /// `array` and `levels` must describe the image that the exporter bound at `offset`: the driver may miss an error.
    pub unsafe fn map_mipmapped_array(
        &self,
        offset: u64,
        array: CUDA_ARRAY3D_DESCRIPTOR,
        levels: u32,
    ) -> Result<CUmipmappedArray> {
        // SAFETY: the import lives as long as `self`. The caller guarantees that the description matches the image.
        let mipmap = unsafe { map_mipmapped_array(self.raw, offset, array, levels) }?;
        self.arrays.borrow_mut().push(mipmap);
        Ok(mipmap)
    }
}

impl Drop for ImportedMemory {
    fn drop(&mut self) {
        // SAFETY: as `from_raw` requires, nothing uses the import or its mappings after `self`. Each is destroyed once.
        let codes = unsafe {
            let mut codes = vec![cuCtxSynchronize()];
            codes.extend(self.arrays.get_mut().iter().map(|&array| cuMipmappedArrayDestroy(array)));
            codes.extend(self.buffers.get_mut().iter().map(|&address| cuMemFree(address)));
            codes.push(cuDestroyExternalMemory(self.raw));
            codes
        };
        assert_teardown_succeeded(&codes);
    }
}

/// Memory of `cuMemAlloc`.
pub struct DeviceMemory {
    pub address: CUdeviceptr,
}

impl DeviceMemory {
    pub fn new(size: usize) -> Result<Self> {
        let mut address = 0;
        // SAFETY: the pointer is to a variable here.
        unsafe { cuMemAlloc(&mut address, size) }.result()?;
        Ok(Self { address })
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: the memory is freed once.
        assert_teardown_succeeded(&[unsafe { cuMemFree(self.address) }]);
    }
}

pub fn count_free_device_bytes() -> Result<usize> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both pointers are to variables here.
    unsafe { cuMemGetInfo(&mut free, &mut total) }.result()?;
    Ok(free)
}

/// Copies `bytes` to `address`, and waits until they have arrived.
pub fn write(address: CUdeviceptr, bytes: &[u8]) -> Result<()> {
    // SAFETY: the driver reads no more of the host's memory than `bytes` has.
    finish_host_copy(unsafe { cuMemcpyHtoD(address, bytes.as_ptr().cast(), bytes.len()) })
}

pub fn read(address: CUdeviceptr, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    // SAFETY: the driver writes no more than `bytes` has room for.
    unsafe { cuMemcpyDtoH(bytes.as_mut_ptr().cast(), address, bytes.len()) }.result()?;
    Ok(bytes)
}
