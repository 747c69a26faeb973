//! A library that calls the driver, in the modes of its features.

use cuda_external_sys::{CUresult, cuDriverGetVersion};

/// Returns the newest CUDA release that the driver supports.
pub fn version() -> Result<i32, CUresult> {
    let mut version = 0;
    // SAFETY: the pointer is to a variable here.
    unsafe { cuDriverGetVersion(&mut version) }.result()?;
    Ok(version)
}
