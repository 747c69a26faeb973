//! Names for the files that declare no function of the driver.

pub use std::ffi::{c_uint, c_void};
pub use std::sync::{Arc, Mutex};

pub use cuda_external_sys::*;

pub use super::answer::{CudaResult, check, crash, list, require, write_out};
pub use super::handle::{Handle, Lookup, Registry};
pub(super) use crate::lock::lock;
