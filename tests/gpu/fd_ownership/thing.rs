//! Makes what is handed over, at a number of its own.

use std::any::Any;
use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;

use cuda_external_sys::*;

use super::case::Thing;
use test_support::Need;

use crate::machine::{cuda, gpu_need, ok, vulkan, vulkan_need};
use interop::cuda::{Allocation, Cuda, import_memory, import_semaphore};
use interop::vulkan::{Buffer, Semaphore, Vulkan};
use interop::{Error, Result};

/// A thing, and what must live for as long as it does.
pub struct Made {
    pub number: RawFd,
    /// Of the memory behind it; where there is none, a size that memory could have.
    pub size: u64,
    _keep: Box<dyn Any>,
}

/// Far above the numbers that the driver's own files get, which are the lowest ones free: if this
/// one is open after the call, it is for what was put there before.
const NUMBER: RawFd = 500;

const SIZE: usize = 2 << 20;

const BINARY: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

impl Made {
    pub fn new(thing: Thing) -> Self {
        match thing {
            Thing::Memory => {
                let memory = Allocation::new(cuda(), SIZE).unwrap();
                Self { size: memory.size, ..put(memory.export().unwrap(), memory) }
            }
            Thing::OtherDevicesMemory => {
                let other = second_cuda().as_ref().unwrap();
                other.make_current().unwrap();
                let memory = Allocation::new(other, SIZE).unwrap();
                cuda();
                Self { size: memory.size, ..put(memory.export().unwrap(), memory) }
            }
            Thing::DedicatedMemory => {
                let (buffer, memory) = Buffer::with_memory(vulkan(), SIZE as u64, true).unwrap();
                Self { size: memory.size, ..put(memory.export().unwrap(), (buffer, memory)) }
            }
            Thing::ImportedMemory => {
                let memory = Allocation::new(cuda(), SIZE).unwrap();
                let fd = memory.export().unwrap();
                let again = fd.try_clone().expect("a second descriptor");
                let imported = Memory(import_memory(fd, memory.size, false).unwrap());
                Self { size: memory.size, ..put(again, (imported, memory)) }
            }
            Thing::ConsumedMemory => {
                let memory = Allocation::new(cuda(), SIZE).unwrap();
                let made = put(memory.export().unwrap(), ());
                let imported = Memory(import_memory(made.fd(), memory.size, false).unwrap());
                Self { size: memory.size, _keep: Box::new((imported, memory)), ..made }
            }
            Thing::DmaBuf => {
                let memory = Mapped::new(SIZE);
                put(memory.dma_buf(), memory)
            }
            Thing::BinarySemaphore => {
                let semaphore = Semaphore::binary(vulkan()).unwrap();
                put(semaphore.export().unwrap(), semaphore)
            }
            Thing::TimelineSemaphore => {
                let semaphore = Semaphore::timeline(vulkan(), 0).unwrap();
                put(semaphore.export().unwrap(), semaphore)
            }
            Thing::OtherDevicesSemaphore => {
                let semaphore = Semaphore::binary(second_vulkan().as_ref().unwrap()).unwrap();
                cuda();
                put(semaphore.export().unwrap(), semaphore)
            }
            Thing::ImportedSemaphore => {
                let semaphore = Semaphore::binary(vulkan()).unwrap();
                let fd = semaphore.export().unwrap();
                let again = fd.try_clone().expect("a second descriptor");
                let imported = External(import_semaphore(fd, BINARY).unwrap());
                put(again, (imported, semaphore))
            }
            Thing::ConsumedSemaphore => {
                let semaphore = Semaphore::binary(vulkan()).unwrap();
                let made = put(semaphore.export().unwrap(), ());
                let imported = External(import_semaphore(made.fd(), BINARY).unwrap());
                Self { _keep: Box::new((imported, semaphore)), ..made }
            }
            Thing::Pipe => {
                let mut ends = [-1; 2];
                // SAFETY: the function writes two descriptors.
                assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
                put(owned(ends[0]), owned(ends[1]))
            }
            // SAFETY: the functions make a new descriptor, or none.
            Thing::Memfd => put(owned(unsafe { libc::memfd_create(c"thing".as_ptr(), 0) }), ()),
            // SAFETY: as above.
            Thing::Eventfd => put(owned(unsafe { libc::eventfd(0, 0) }), ()),
            Thing::Directory => put(File::open("/").expect("the root folder").into(), ()),
            Thing::Socket => {
                let (one, other) = UnixStream::pair().expect("two sockets");
                put(one.into(), other)
            }
            Thing::File => put(tempfile::tempfile().expect("a file").into(), ()),
            Thing::Null => put(File::open("/dev/null").expect("/dev/null").into(), ()),
            Thing::Closed => Self { number: NUMBER, size: SIZE as u64, _keep: Box::new(()) },
            Thing::Negative => Self { number: -1, size: SIZE as u64, _keep: Box::new(()) },
        }
    }

    /// What is at the number. It may be asked for once.
    fn fd(&self) -> OwnedFd {
        // SAFETY: nobody else has this number.
        unsafe { OwnedFd::from_raw_fd(self.number) }
    }
}

/// Moves a descriptor to the number, which is nobody's afterwards: the call may or may not close it.
fn put(fd: OwnedFd, keep: impl Any) -> Made {
    // SAFETY: both numbers are ours.
    let number = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, NUMBER) };
    assert_eq!(number, NUMBER, "{}", std::io::Error::last_os_error());
    Made { number, size: SIZE as u64, _keep: Box::new(keep) }
}

fn owned(fd: c_int) -> OwnedFd {
    assert_ne!(fd, -1, "{}", std::io::Error::last_os_error());
    // SAFETY: the system has made it for us just now.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

fn second_cuda() -> &'static Result<Cuda> {
    static CUDA: OnceLock<Result<Cuda>> = OnceLock::new();
    CUDA.get_or_init(|| Cuda::open(1))
}

fn second_vulkan() -> &'static Result<Vulkan> {
    static VULKAN: OnceLock<Result<Vulkan>> = OnceLock::new();
    VULKAN.get_or_init(|| match second_cuda() {
        Ok(cuda) => Vulkan::open(&cuda.uuid),
        Err(missing) => Err(Error::Missing(missing.to_string())),
    })
}

/// What the machine must have for this to be made.
pub fn need(thing: Thing) -> Need {
    fn reason<T>(opened: &Result<T>) -> std::result::Result<(), String> {
        opened.as_ref().map(|_| ()).map_err(|missing| missing.to_string())
    }
    match thing {
        Thing::DedicatedMemory
        | Thing::BinarySemaphore
        | Thing::TimelineSemaphore
        | Thing::ImportedSemaphore
        | Thing::ConsumedSemaphore => vulkan_need(),
        Thing::OtherDevicesMemory => Need::new("second-gpu", &reason(second_cuda())),
        Thing::OtherDevicesSemaphore => Need::new("second-gpu", &reason(second_vulkan())),
        _ => gpu_need(),
    }
}

struct Memory(CUexternalMemory);

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: nothing of it is mapped.
        ok(unsafe { cuDestroyExternalMemory(self.0) });
    }
}

struct External(CUexternalSemaphore);

impl Drop for External {
    fn drop(&mut self) {
        // SAFETY: nothing waits for it.
        ok(unsafe { cuDestroyExternalSemaphore(self.0) });
    }
}

/// Device memory with an address, which is what a dma-buf is made of.
struct Mapped(CUdeviceptr, usize);

impl Mapped {
    fn new(size: usize) -> Self {
        cuda();
        let mut address = 0;
        // SAFETY: the function writes an address.
        ok(unsafe { cuMemAlloc_v2(&mut address, size) });
        Self(address, size)
    }

    fn dma_buf(&self) -> OwnedFd {
        let mut fd: c_int = -1;
        let kind = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        // SAFETY: for this type of handle the function writes an int.
        unsafe { ok(cuMemGetHandleForAddressRange((&raw mut fd).cast(), self.0, self.1, kind, 0)) };
        owned(fd)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: it is freed once.
        ok(unsafe { cuMemFree_v2(self.0) });
    }
}
