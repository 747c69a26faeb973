//! [`CUresult`] as an error type.

use core::error::Error;
use core::fmt;

use crate::bindings::{CUDA_SUCCESS, CUresult};

impl CUresult {
    /// Returns `Ok(())` for [`CUDA_SUCCESS`], and every other code as an error.
    ///
    /// [`CUDA_ERROR_NOT_READY`](crate::CUDA_ERROR_NOT_READY) is an `Err` too. It means unfinished work.
    #[inline]
    pub const fn result(self) -> Result<(), Self> {
        if self.0 == CUDA_SUCCESS.0 { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for CUresult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name().unwrap_or("unknown CUDA error"), self.0)
    }
}

impl Error for CUresult {}

/// Returns the code's number, as an `i32` on every platform.
impl From<CUresult> for i32 {
    #[inline]
    fn from(code: CUresult) -> Self {
        code.0 as Self
    }
}

/// Returns the code with this number. The bindings need not know the number.
impl From<i32> for CUresult {
    #[inline]
    fn from(number: i32) -> Self {
        Self(number as _)
    }
}
