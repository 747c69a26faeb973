pub use std::ffi::{c_char, c_int, c_uint, c_void};
pub use std::sync::{Arc, Mutex};

pub use cuda_external_sys::*;

pub use super::cuda_result::{CudaResult, ensure, ensure_valid};
pub use super::driver_call::{
    read_array, read_c_str, read_param, write_created, write_out, write_out_if_wanted,
};
pub use super::handle_registry::{Handle, HandleLookup, HandleRegistry};
pub use super::notices::{abort_as_driver_crashes, print_notice};
pub use cuda_external_in_process::lock_ignoring_poison as lock;
