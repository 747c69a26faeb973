//! CUDA's first device and the same one in Vulkan, for the cases; and memory that CUDA exports.

use std::ptr;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cuda_external_sys::*;

use interop::cuda::{Allocation, Cuda};
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

/// Allocates device memory that CUDA exports. It has no address of its own: it is reached by importing it.
pub fn allocate_with(cuda: &Cuda, bytes: u64, flags: CUmemAllocationProp_allocFlags) -> Result<Allocation> {
    Allocation::with_flags(cuda, bytes as usize, flags).map_err(|code| {
        let text = format!("cuMemCreate of {bytes} bytes returned {code:?}");
        match code {
            CUDA_ERROR_OUT_OF_MEMORY | CUDA_ERROR_NOT_SUPPORTED => Error::Missing(text),
            _ => Error::Failed(text),
        }
    })
}

/// Allocates memory that lives until the process ends, whatever becomes of the context.
pub fn allocate(cuda: &Cuda, bytes: u64) -> Result<&'static Allocation> {
    Ok(Box::leak(Box::new(allocate_with(cuda, bytes, CUmemAllocationProp_allocFlags::default())?)))
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
