//! Memory that CUDA exports, and streams.

use std::ptr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cuda_external_sys::*;
use interop::cuda::{Allocation, Cuda};
use interop::{Error, Result};

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
