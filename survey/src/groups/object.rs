//! Creates descriptors of every kind, each under a number of its own.

use std::any::Any;
use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use cuda_external_sys::*;

use crate::gpu::{Exportable, cuda, vulkan};
use interop::cuda::{import_memory, import_semaphore};
use interop::vulkan::Buffer;
use interop::vulkan::Semaphore;
use interop::{Error, Result};

/// What a descriptor refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// Exported by CUDA.
    Memory,
    /// Exported by Vulkan, from an allocation for one buffer alone.
    DedicatedMemory,
    /// Exported by CUDA from a device that is not the current one.
    OtherDevicesMemory,
    /// Exported by Vulkan.
    BinarySemaphore,
    TimelineSemaphore,
    /// Exported by Vulkan from a device that is not the current one.
    OtherDevicesSemaphore,
    /// Another descriptor of an object that is imported already.
    ImportedMemory,
    ImportedSemaphore,
    /// A number that a successful import has closed.
    ConsumedMemory,
    ConsumedSemaphore,
    /// Exported by CUDA as a dma-buf.
    DmaBuf,
    Pipe,
    Memfd,
    Eventfd,
    Directory,
    Socket,
    File,
    Null,
    /// A number that is not an open descriptor.
    Closed,
    Negative,
}

impl Object {
    pub fn is_vulkans(self) -> bool {
        matches!(
            self,
            Self::DedicatedMemory
                | Self::BinarySemaphore
                | Self::TimelineSemaphore
                | Self::ImportedSemaphore
                | Self::ConsumedSemaphore
        )
    }
}

/// The descriptor's number, and what must live for as long as the descriptor does.
pub struct OpenFd {
    pub number: RawFd,
    /// The memory's size; for other objects, a size that memory could have.
    pub size: u64,
    _keep: Box<dyn Any>,
}

/// Far above the numbers that the driver's own files get, which are the lowest free ones: if this one is open
/// after the call, it refers to what was put there before.
const NUMBER: RawFd = 500;

const SIZE: u64 = 2 << 20;

const BINARY: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

impl OpenFd {
    pub fn new(object: Object) -> Result<Self> {
        Ok(match object {
            Object::Memory => {
                let memory = Exportable::new(cuda(0)?, SIZE)?;
                Self { size: memory.size, ..put(memory.fd()?, memory)? }
            }
            Object::OtherDevicesMemory => {
                let memory = Exportable::new(cuda(1)?, SIZE)?;
                cuda(0)?;
                Self { size: memory.size, ..put(memory.fd()?, memory)? }
            }
            Object::DedicatedMemory => {
                let (buffer, memory) = Buffer::with_memory(vulkan(0)?, SIZE, true)?;
                Self { size: memory.size, ..put(memory.export()?, (buffer, memory))? }
            }
            Object::ImportedMemory => {
                let memory = Exportable::new(cuda(0)?, SIZE)?;
                import_memory(memory.fd()?, memory.size, false)?;
                Self { size: memory.size, ..put(memory.fd()?, memory)? }
            }
            Object::ConsumedMemory => {
                let memory = Exportable::new(cuda(0)?, SIZE)?;
                let opened = put(memory.fd()?, ())?;
                import_memory(opened.fd(), memory.size, false)?;
                Self { size: memory.size, _keep: Box::new(memory), ..opened }
            }
            Object::DmaBuf => put(dma_buf()?, ())?,
            Object::BinarySemaphore => {
                let semaphore = Semaphore::binary(vulkan(0)?)?;
                put(semaphore.export()?, semaphore)?
            }
            Object::TimelineSemaphore => {
                let semaphore = Semaphore::timeline(vulkan(0)?, 0)?;
                put(semaphore.export()?, semaphore)?
            }
            Object::OtherDevicesSemaphore => {
                let semaphore = Semaphore::binary(vulkan(1)?)?;
                cuda(0)?;
                put(semaphore.export()?, semaphore)?
            }
            Object::ImportedSemaphore => {
                let semaphore = Semaphore::binary(vulkan(0)?)?;
                import_semaphore(semaphore.export()?, BINARY)?;
                put(semaphore.export()?, semaphore)?
            }
            Object::ConsumedSemaphore => {
                let semaphore = Semaphore::binary(vulkan(0)?)?;
                let opened = put(semaphore.export()?, ())?;
                import_semaphore(opened.fd(), BINARY)?;
                Self { _keep: Box::new(semaphore), ..opened }
            }
            Object::Pipe => {
                let mut ends = [-1; 2];
                // SAFETY: the function writes two descriptors.
                unsafe { libc::pipe(ends.as_mut_ptr()) };
                put(owned(ends[0])?, owned(ends[1])?)?
            }
            // SAFETY: the functions return a new descriptor or -1.
            Object::Memfd => put(owned(unsafe { libc::memfd_create(c"survey".as_ptr(), 0) })?, ())?,
            // SAFETY: as above.
            Object::Eventfd => put(owned(unsafe { libc::eventfd(0, 0) })?, ())?,
            Object::Directory => put(File::open("/").map_err(failed)?.into(), ())?,
            Object::Socket => {
                let (one, other) = UnixStream::pair().map_err(failed)?;
                put(one.into(), other)?
            }
            Object::File => put(tempfile::tempfile().map_err(failed)?.into(), ())?,
            Object::Null => put(File::open("/dev/null").map_err(failed)?.into(), ())?,
            Object::Closed => Self { number: NUMBER, size: SIZE, _keep: Box::new(()) },
            Object::Negative => Self { number: -1, size: SIZE, _keep: Box::new(()) },
        })
    }

    /// The descriptor at the number. It may be taken once.
    fn fd(&self) -> OwnedFd {
        // SAFETY: nothing else owns this number.
        unsafe { OwnedFd::from_raw_fd(self.number) }
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::Failed(error.to_string())
}

/// Moves a descriptor to the number. Nothing owns it then, since the call under test may close it.
fn put(fd: OwnedFd, keep: impl Any) -> Result<OpenFd> {
    // SAFETY: both numbers are ours.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, NUMBER) } {
        NUMBER => Ok(OpenFd { number: NUMBER, size: SIZE, _keep: Box::new(keep) }),
        -1 => Err(failed(std::io::Error::last_os_error())),
        _ => Err(Error::Failed(format!("descriptor {NUMBER} is in use"))),
    }
}

fn owned(fd: c_int) -> Result<OwnedFd> {
    match fd {
        -1 => Err(failed(std::io::Error::last_os_error())),
        // SAFETY: the descriptor is new, and nothing else owns it.
        fd => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
    }
}

/// A dma-buf of device memory, which is not freed: its process ends with the case.
pub fn dma_buf() -> Result<OwnedFd> {
    cuda(0)?;
    let (mut address, mut fd): (CUdeviceptr, c_int) = (0, -1);
    let kind = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
    // SAFETY: the functions write an address and, for this type of handle, an int.
    unsafe {
        cuMemAlloc_v2(&mut address, SIZE as usize).result()?;
        match cuMemGetHandleForAddressRange((&raw mut fd).cast(), address, SIZE as usize, kind, 0) {
            CUDA_SUCCESS => owned(fd),
            CUDA_ERROR_NOT_SUPPORTED => Err(Error::Missing("this machine exports no dma-buf".to_owned())),
            code => Err(Error::Failed(format!("cuMemGetHandleForAddressRange returned {code:?}"))),
        }
    }
}
