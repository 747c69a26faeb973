//! Creates descriptors of every kind, each under a number of its own. What a descriptor refers to lives until the
//! process ends.

use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use cuda_external_sys::*;

use super::shared::{Exported, Exporter, SIZE, import};
use crate::gpu::{cuda, vulkan};
use example_support::cuda::import_memory;
use example_support::vulkan::Semaphore;
use example_support::{Error, Result};

/// A descriptor's number.
pub struct OpenFd {
    pub number: RawFd,
    /// The memory's size; for other objects, a size that memory could have.
    pub size: u64,
}

/// Creates an object and a descriptor of it.
pub type Open = fn() -> Result<OpenFd>;

/// A number far above those that the driver's own files get, which are the lowest free ones. If this descriptor is
/// open after the call, it still refers to the file that the case opened.
const NUMBER: RawFd = 500;

/// Exported by CUDA.
pub const MEMORY: Open = || of_memory(Exporter::CUDA.leak(SIZE)?);
/// Exported by CUDA from a device that is not the current one.
pub const OTHER_DEVICES_MEMORY: Open = || of_memory(Exporter::cuda(1).leak(SIZE)?);
/// Exported by Vulkan, from an allocation for one buffer alone.
pub const DEDICATED_MEMORY: Open = || of_memory(Exporter::DEDICATED.leak(SIZE)?);
/// Another descriptor of memory that is imported already.
pub const IMPORTED_MEMORY: Open = || {
    let memory = Exporter::CUDA.leak(SIZE)?;
    memory.import()?;
    of_memory(memory)
};
/// A number that a successful import has closed.
pub const CONSUMED_MEMORY: Open = || {
    let opened = MEMORY()?;
    import_memory(opened.take(), opened.size, false)?;
    Ok(opened)
};
/// Exported by CUDA as a dma-buf.
pub const DMA_BUF: Open = || at_number(dma_buf()?, ());

/// Exported by Vulkan.
pub const BINARY: Open = || of_semaphore(Semaphore::binary(vulkan(0)?)?);
pub const TIMELINE: Open = || of_semaphore(Semaphore::timeline(vulkan(0)?, 0)?);
/// Exported by Vulkan from a device that is not the current one.
pub const OTHER_DEVICES_SEMAPHORE: Open = || {
    let semaphore = Semaphore::binary(vulkan(1)?)?;
    cuda(0)?;
    of_semaphore(semaphore)
};
/// Another descriptor of a semaphore that is imported already.
pub const IMPORTED_SEMAPHORE: Open = || {
    let semaphore = Semaphore::binary(vulkan(0)?)?;
    import(&semaphore)?;
    of_semaphore(semaphore)
};
/// A number that a successful import has closed.
pub const CONSUMED_SEMAPHORE: Open = || {
    let opened = BINARY()?;
    example_support::cuda::import_semaphore(opened.take(), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD)?;
    Ok(opened)
};

pub const PIPE: Open = || {
    let mut ends = [-1; 2];
    unsafe { libc::pipe(ends.as_mut_ptr()) };
    at_number(owned(ends[0])?, owned(ends[1])?)
};
// SAFETY: the functions return a new descriptor or -1, here and below.
pub const MEMFD: Open = || at_number(owned(unsafe { libc::memfd_create(c"survey".as_ptr(), 0) })?, ());
pub const EVENTFD: Open = || at_number(owned(unsafe { libc::eventfd(0, 0) })?, ());
pub const DIRECTORY: Open = || at_number(File::open("/")?.into(), ());
pub const SOCKET: Open = || {
    let (one, other) = UnixStream::pair()?;
    at_number(one.into(), other)
};
pub const FILE: Open = || at_number(tempfile::tempfile()?.into(), ());
pub const NULL: Open = || at_number(File::open("/dev/null")?.into(), ());
/// A number that is not an open descriptor.
pub const CLOSED: Open = || Ok(OpenFd { number: NUMBER, size: SIZE });
pub const NEGATIVE: Open = || Ok(OpenFd { number: -1, size: SIZE });

impl OpenFd {
    /// The descriptor at the number. It may be taken once.
    fn take(&self) -> OwnedFd {
        // SAFETY: nothing else owns this number.
        unsafe { OwnedFd::from_raw_fd(self.number) }
    }
}

fn of_memory(memory: &Exported) -> Result<OpenFd> {
    Ok(OpenFd { size: memory.size(), ..at_number(memory.fd()?, ())? })
}

fn of_semaphore(semaphore: Semaphore<'static>) -> Result<OpenFd> {
    at_number(semaphore.export()?, semaphore)
}

/// Duplicates a descriptor to the fixed number. No value owns that number, since the call under test may close it.
/// `keep` stays alive until the process ends.
fn at_number(fd: OwnedFd, keep: impl Sized) -> Result<OpenFd> {
    std::mem::forget(keep);
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, NUMBER) } {
        NUMBER => Ok(OpenFd { number: NUMBER, size: SIZE }),
        -1 => Err(io::Error::last_os_error().into()),
        _ => Err(Error::Failed(format!("descriptor {NUMBER} is in use"))),
    }
}

fn owned(fd: c_int) -> Result<OwnedFd> {
    match fd {
        -1 => Err(io::Error::last_os_error().into()),
        // SAFETY: the descriptor is new, and nothing else owns it.
        fd => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
    }
}

/// The number of this process's open descriptors.
pub fn open_descriptors() -> isize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count) as isize
}

/// A dma-buf of device memory, which is not freed: its process ends with the case.
pub fn dma_buf() -> Result<OwnedFd> {
    cuda(0)?;
    let (mut address, mut fd): (CUdeviceptr, c_int) = (0, -1);
    let kind = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
    unsafe {
        cuMemAlloc_v2(&mut address, SIZE as usize).result()?;
        match cuMemGetHandleForAddressRange((&raw mut fd).cast(), address, SIZE as usize, kind, 0) {
            CUDA_SUCCESS => owned(fd),
            CUDA_ERROR_NOT_SUPPORTED => Err(Error::Missing("this machine exports no dma-buf".to_owned())),
            code => Err(Error::Failed(format!("cuMemGetHandleForAddressRange returned {code:?}"))),
        }
    }
}
