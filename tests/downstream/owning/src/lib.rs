//! Owning types over the raw calls: what is imported is given back, in the right order, when it is dropped.
//!
//! A mapping borrows its import, so that it cannot outlive it.

use std::fmt;
use std::marker::PhantomData;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;

use cuda_external_sys::*;

/// A CUDA error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(pub CUresult);

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Error {}

fn check(code: CUresult) -> Result<(), Error> {
    if code == CUDA_SUCCESS { Ok(()) } else { Err(Error(code)) }
}

/// Whether the call did not get as far as a driver, so that a file descriptor is still the caller's.
fn without_driver(code: CUresult) -> bool {
    [CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, CUDA_ERROR_STUB_LIBRARY]
        .contains(&code)
}

/// Gives a descriptor to an import. The driver has closed it after a success, and after some failures; where it may
/// have, it is not closed again: a leak is better than closing somebody else's file.
fn give(fd: OwnedFd, import: impl FnOnce(i32) -> CUresult) -> Result<(), Error> {
    let fd = fd.into_raw_fd();
    let code = import(fd);
    if without_driver(code) {
        // SAFETY: it came out of an OwnedFd just now, and nobody has had it since.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
    check(code)
}

/// What a memory descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Vulkan's or CUDA's own.
    Opaque {
        /// Whether the exporter's allocation is.
        dedicated: bool,
    },
    /// A Linux dma-buf.
    DmaBuf,
}

impl MemoryKind {
    fn raw(self) -> (CUexternalMemoryHandleType, u32) {
        match self {
            Self::Opaque { dedicated } => (
                CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                if dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
            ),
            Self::DmaBuf => (CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD, 0),
        }
    }
}

/// Imported memory.
#[derive(Debug)]
pub struct ExternalMemory {
    raw: CUexternalMemory,
    size: u64,
}

impl ExternalMemory {
    /// Imports memory from a descriptor. `size` is the whole allocation's, in bytes.
    ///
    /// # Safety
    ///
    /// The descriptor must stand for memory of that kind and size, on the current context's device.
    pub unsafe fn import(fd: OwnedFd, size: u64, kind: MemoryKind) -> Result<Self, Error> {
        let (type_, flags) = kind.raw();
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, flags, ..Default::default() };
        let mut raw = ptr::null_mut();
        give(fd, |fd| {
            desc.handle.fd = fd;
            // SAFETY: both pointers are to variables here; the rest is this function's contract.
            unsafe { cuImportExternalMemory(&mut raw, &desc) }
        })?;
        Ok(Self { raw, size })
    }

    /// Maps a range of it.
    pub fn map(&self, offset: u64, size: u64) -> Result<MappedBuffer<'_>, Error> {
        if size == 0 || offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(Error(CUDA_ERROR_INVALID_VALUE));
        }
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..Default::default() };
        let mut address = 0;
        // SAFETY: the import lives; both pointers are to variables here.
        check(unsafe { cuExternalMemoryGetMappedBuffer(&mut address, self.raw, &desc) })?;
        Ok(MappedBuffer { address, size, memory: PhantomData })
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
    address: CUdeviceptr,
    size: u64,
    memory: PhantomData<&'a ExternalMemory>,
}

impl MappedBuffer<'_> {
    /// The device address of its first byte.
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Drop for MappedBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: it was mapped, and the import still lives. A failure has no remedy here.
        let _ = unsafe { cuMemFree_v2(self.address) };
    }
}

/// An imported timeline semaphore.
#[derive(Debug)]
pub struct Semaphore {
    raw: CUexternalSemaphore,
}

impl Semaphore {
    /// Imports a timeline semaphore from a descriptor.
    ///
    /// # Safety
    ///
    /// The descriptor must stand for one, on the current context's device.
    pub unsafe fn import_timeline(fd: OwnedFd) -> Result<Self, Error> {
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        give(fd, |fd| {
            desc.handle.fd = fd;
            // SAFETY: both pointers are to variables here; the rest is this function's contract.
            unsafe { cuImportExternalSemaphore(&mut raw, &desc) }
        })?;
        Ok(Self { raw })
    }

    /// Sets it to `value` once the stream gets there.
    ///
    /// # Safety
    ///
    /// The stream must be valid, and the semaphore must live until it has got there.
    pub unsafe fn signal(&self, value: u64, stream: CUstream) -> Result<(), Error> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: one semaphore and one parameter; the rest is this function's contract.
        check(unsafe { cuSignalExternalSemaphoresAsync(&self.raw, &params, 1, stream) })
    }

    /// Lets the stream go on once it has reached `value`.
    ///
    /// # Safety
    ///
    /// The stream must be valid, and the semaphore must live until it has gone on.
    pub unsafe fn wait(&self, value: u64, stream: CUstream) -> Result<(), Error> {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = value;
        // SAFETY: one semaphore and one parameter; the rest is this function's contract.
        check(unsafe { cuWaitExternalSemaphoresAsync(&self.raw, &params, 1, stream) })
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // SAFETY: it was imported, and its signals and waits are over, by their contracts.
        let _ = unsafe { cuDestroyExternalSemaphore(self.raw) };
    }
}
