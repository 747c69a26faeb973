//! A process may contain this driver twice: a test program that `cuda-external-cpu` started contains the crate, and
//! uses the library unless it calls `load()`. A fault is added to both copies.

use std::ffi::{CString, c_char};
use std::ptr;

use libloading::os::unix::{Library, RTLD_LAZY};

use crate::driver::base::active_faults::{self, Fault};

/// A fault that ends when this is dropped: its number in this copy of the driver, and in the other copy, if that has
/// it. [`Fault::scoped`] and [`Fault::in_this_thread`] return it.
#[derive(Debug)]
pub struct FaultScope {
    here: u64,
    there: Option<u64>,
}

impl Drop for FaultScope {
    fn drop(&mut self) {
        remove_from_both_drivers(self.here, self.there);
    }
}

pub fn add_to_both_drivers(fault: Fault, thread: u64) -> FaultScope {
    let text = CString::new(fault.to_string()).unwrap_or_default();
    let there = call_other_driver(text.as_ptr(), thread).filter(|number| *number != 0);
    FaultScope { here: active_faults::add_fault(fault, thread), there }
}

/// Removes a fault, or all faults of a copy for the number 0.
pub fn remove_from_both_drivers(here: u64, there: Option<u64>) {
    active_faults::remove_fault(here);
    there.and_then(|there| call_other_driver(ptr::null(), there));
}

/// Calls `cuda_external_cpu_fault` of the driver's library, if the process was started with it or has loaded it.
fn call_other_driver(text: *const c_char, number: u64) -> Option<u64> {
    type FaultFunction = unsafe extern "C" fn(*const c_char, u64) -> u64;
    if cfg!(feature = "library") {
        return None;
    }
    // The command sets this variable together with the library's directory.
    let layers = std::env::var_os("VK_INSTANCE_LAYERS").unwrap_or_default();
    let is_started = layers.to_string_lossy().contains("VK_LAYER_CUDA_EXTERNAL_cpu");
    let flags = if is_started { RTLD_LAZY } else { RTLD_LAZY | libc::RTLD_NOLOAD };
    // Every program opens the driver by this name. Under the check, it is the check's layer, through which `dlsym`
    // finds the functions of this library.
    // SAFETY: a driver's initializers may run at any time.
    let library = unsafe { Library::open(Some("libcuda.so.1"), flags) }.ok()?;
    // SAFETY: the function has this type, and the text is null or a C string.
    Some(unsafe { library.get::<FaultFunction>(b"cuda_external_cpu_fault\0").ok()?(text, number) })
}

/// Adds a fault for the calls of a thread (`pthread_self`, 0 for all) and returns its number, or 0 if the text is
/// wrong. If the text is null, it removes the fault with this number; the number 0 removes all faults.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
unsafe extern "C" fn cuda_external_cpu_fault(text: *const c_char, number: u64) -> u64 {
    if text.is_null() {
        active_faults::remove_fault(number);
        return number;
    }
    // SAFETY: the text is not null, and so a C string of `call_other_driver`.
    let fault = unsafe { std::ffi::CStr::from_ptr(text) }.to_str().ok().and_then(|text| text.parse().ok());
    fault.map_or(0, |fault| active_faults::add_fault(fault, number))
}
