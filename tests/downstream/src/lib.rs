//! A buffer that another API exported by a file descriptor. The type owns CUDA's import and mapping of the buffer.
//!
//! If an import fails, the descriptor may leak, but is never closed twice.
#![cfg(any(feature = "load", feature = "link"))]

use cuda_external_sys::{CUresult, cuDriverGetVersion};

// Windows shares memory by handles.
#[cfg(unix)]
mod imported_buffer;

#[cfg(unix)]
pub use imported_buffer::ImportedBuffer;

/// Returns the newest CUDA release that the driver supports.
pub fn driver_version() -> Result<i32, CUresult> {
    let mut version = 0;
    // SAFETY: the pointer is to a variable here.
    unsafe { cuDriverGetVersion(&mut version) }.result()?;
    Ok(version)
}

/// Returns a stream of cuda-sys as one of cuda-external-sys: the same pointer with another type.
#[cfg(feature = "cuda-sys")]
pub fn cast_cuda_sys_stream(theirs: cuda_sys::cuda::CUstream) -> cuda_external_sys::CUstream {
    theirs.cast()
}
