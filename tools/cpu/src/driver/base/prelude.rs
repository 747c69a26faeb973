//! The names that nearly every file of the driver uses.

pub use std::ffi::{c_char, c_int, c_uint, c_void};
pub use std::sync::{Arc, Mutex};

pub use cuda_external_sys::*;

pub use super::registry::{Handle, Lookup, Registry};
pub use super::results::{
    CudaResult, check, crash, list, read_param, require, text, write_if_wanted, write_made, write_out,
};
pub(crate) use crate::lock::lock;
