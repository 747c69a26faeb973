//! Releases of CUDA.

use std::fmt;

use crate::embedded_bindings;

/// The oldest release whose cuda.h the tests compare with the bindings. `check_header` refuses older headers.
pub const OLDEST: CudaRelease = CudaRelease { major: 11, minor: 7 };

/// A release: `CUDA_VERSION 13050` is 13.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaRelease {
    pub major: u32,
    pub minor: u32,
}

impl CudaRelease {
    pub fn of_embedded_bindings() -> Self {
        let (major, minor) = embedded_bindings::embedded_version();
        Self { major, minor }
    }
}

impl fmt::Display for CudaRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
