//! CUDA's first device and the same one in Vulkan, for the cases; and memory that CUDA exports.

use std::ffi::c_int;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use interop::cuda::Cuda;
use interop::vulkan::Vulkan;
use interop::{Error, Result};

type Opened<T> = OnceLock<std::result::Result<T, String>>;

fn opened<T>(once: &'static Opened<T>, open: impl FnOnce() -> Result<T>) -> Result<&'static T> {
    let opened = once.get_or_init(|| open().map_err(|error| error.to_string()));
    opened.as_ref().map_err(|error| Error::Missing(error.clone()))
}

/// A device, with its context current in this thread.
pub fn cuda(ordinal: usize) -> Result<&'static Cuda> {
    static CUDA: [Opened<Cuda>; 2] = [const { OnceLock::new() }; 2];
    let cuda = opened(&CUDA[ordinal], || Cuda::open(ordinal as i32))?;
    cuda.make_current()?;
    Ok(cuda)
}

/// The same device in Vulkan. CUDA's context becomes current too.
pub fn vulkan(ordinal: usize) -> Result<&'static Vulkan> {
    static VULKAN: [Opened<Vulkan>; 2] = [const { OnceLock::new() }; 2];
    let cuda = cuda(ordinal)?;
    opened(&VULKAN[ordinal], || Vulkan::open(&cuda.uuid))
}

/// How CUDA allocates memory.
#[derive(Clone, Copy, Default)]
pub struct Allocation {
    pub device: usize,
    pub rdma: bool,
    pub compressible: bool,
}

/// Device memory that CUDA exports. It has no address of its own: it is reached by importing it.
pub struct Exportable {
    pub handle: CUmemGenericAllocationHandle,
    pub size: u64,
}

impl Exportable {
    /// Allocates at least this many bytes.
    pub fn new(cuda: &Cuda, bytes: u64) -> Result<Self> {
        Self::with(cuda, bytes, Allocation::default())
    }

    pub fn with(cuda: &Cuda, bytes: u64, allocation: Allocation) -> Result<Self> {
        let mut properties = CUmemAllocationProp {
            type_: CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: cuda.device },
            ..Default::default()
        };
        properties.allocFlags.gpuDirectRDMACapable = allocation.rdma.into();
        properties.allocFlags.compressionType = allocation.compressible.into();
        let (mut granularity, mut handle) = (0, 0);
        let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        // SAFETY: the functions read the properties, and write a size and a handle.
        unsafe {
            cuMemGetAllocationGranularity(&mut granularity, &properties, minimum).result()?;
            let size = bytes.next_multiple_of(granularity as u64);
            match cuMemCreate(&mut handle, size as usize, &properties, 0) {
                CUDA_SUCCESS => Ok(Self { handle, size }),
                code @ (CUDA_ERROR_OUT_OF_MEMORY | CUDA_ERROR_NOT_SUPPORTED) => {
                    Err(Error::Missing(format!("cuMemCreate of {size} bytes returned {code:?}")))
                }
                code => Err(Error::Failed(format!("cuMemCreate returned {code:?}"))),
            }
        }
    }

    /// A new descriptor of the same memory.
    pub fn fd(&self) -> Result<OwnedFd> {
        let mut fd: c_int = -1;
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        // SAFETY: for this type of handle the function writes an int, which nobody else owns.
        unsafe {
            cuMemExportToShareableHandle((&raw mut fd).cast(), self.handle, kind, 0).result()?;
            Ok(OwnedFd::from_raw_fd(fd))
        }
    }
}

impl Drop for Exportable {
    fn drop(&mut self) {
        // SAFETY: the handle is released once. The context may be gone already, so the code is ignored.
        let _ = unsafe { cuMemRelease(self.handle) };
    }
}

/// A stream that does not synchronize with the default stream.
pub fn stream() -> Result<CUstream> {
    let mut stream = ptr::null_mut();
    // SAFETY: the function writes a stream.
    unsafe { cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING.0) }.result()?;
    Ok(stream)
}

/// Returns the stream's code at its end, or after a second.
pub fn idle(stream: CUstream) -> CUresult {
    let start = Instant::now();
    loop {
        // SAFETY: the stream lives.
        match unsafe { cuStreamQuery(stream) } {
            CUDA_ERROR_NOT_READY if start.elapsed() < Duration::from_secs(1) => {
                sleep(Duration::from_millis(1));
            }
            code => return code,
        }
    }
}
