//! A CUDA driver in software for tests without a GPU: the functions of [`cuda_external_sys`], on the CPU.
//!
//! Memory is shared through file descriptors. Each stream has a thread, which blocks while the stream waits for a
//! semaphore.
//! With the default feature `kernels`, a program's own PTX runs on the CPU.
//!
//! After [`load`], all functions of [`cuda_external_sys`] call this driver. Unsupported functions return an error code.
#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

mod driver;
#[cfg(feature = "library")]
mod nvrtc_audit;
pub mod shared_files;
mod thread_signals_and_values;
#[cfg(feature = "library")]
mod vulkan;

pub use driver::base::device_count::set_device_count;
pub use driver::fault_api::{FaultEffect, InjectedFault, InjectedFaultGuard, clear_faults, inject_fault};

/// The result of [`cuda_external_sys::Driver::name`] for this driver.
pub const NAME: &str = "cuda-external-cpu (a CUDA driver in software)";

/// Returns the address of a function by its exact name in the driver's library, as `dlsym` would, or `None`.
pub fn symbol(name: &CStr) -> Option<NonNull<c_void>> {
    driver::symbol_table::find_symbol(name.to_str().ok()?)
}

/// Makes the functions of [`cuda_external_sys`] call this driver. Another call of `load` returns the same driver.
///
/// Returns [`LoadError::AlreadyLoaded`](cuda_external_sys::LoadError::AlreadyLoaded) if another driver is in use.
#[cfg(feature = "load")]
pub fn load() -> Result<&'static cuda_external_sys::Driver, cuda_external_sys::LoadError> {
    use cuda_external_sys::{LoadError, load, load_with};

    // SAFETY: the functions have cuda.h's types. rustc checks most of them against `PFN_` types of cuda-external-sys.
    match unsafe { load_with(NAME, symbol) } {
        Err(LoadError::AlreadyLoaded(name)) if name == NAME => load(),
        result => result,
    }
}
