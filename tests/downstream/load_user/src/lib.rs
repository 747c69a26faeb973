//! Calls the driver, having asked for the feature `load`.

use cuda_external_sys::{CUresult, cuDriverGetVersion};

/// Returns the newest CUDA release that the driver supports.
pub fn version() -> Result<i32, CUresult> {
    let mut version = 0;
    // SAFETY: the pointer is to a variable here.
    match unsafe { cuDriverGetVersion(&mut version) } {
        cuda_external_sys::CUDA_SUCCESS => Ok(version),
        error => Err(error),
    }
}
