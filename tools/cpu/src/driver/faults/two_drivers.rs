//! A process may contain this driver twice: a test program that `cuda-external-cpu` started contains the crate, and
//! uses the library unless it calls `load()`. A fault is added to both copies.

use std::ffi::{CString, c_char};
use std::ptr;

use libloading::os::unix::{Library, RTLD_LAZY};

use crate::driver::base::active_faults::{self, Fault};

/// The number of a fault in this copy of the driver, and its number in the other copy, if it was added there.
#[derive(Clone, Copy, Debug)]
pub struct FaultInBothDrivers {
    here: u64,
    there: Option<u64>,
}

impl FaultInBothDrivers {
    pub const ALL: Self = Self { here: 0, there: Some(0) };
}

pub fn add_to_both_drivers(fault: Fault, thread: u64) -> FaultInBothDrivers {
    let text = CString::new(fault.to_string()).unwrap_or_default();
    FaultInBothDrivers {
        here: active_faults::add_fault(fault, thread),
        there: call_other_driver(text.as_ptr(), thread).filter(|number| *number != 0),
    }
}

pub fn remove_from_both_drivers(numbers: FaultInBothDrivers) {
    active_faults::remove_fault(numbers.here);
    numbers.there.and_then(|there| call_other_driver(ptr::null(), there));
}

/// Calls the function below of the driver's library, where the process was started with it, or has it.
fn call_other_driver(text: *const c_char, number: u64) -> Option<u64> {
    type FaultFunction = unsafe extern "C" fn(*const c_char, u64) -> u64;
    if cfg!(feature = "library") {
        return None;
    }
    // The command sets it together with the library's directory.
    let layers = std::env::var_os("VK_INSTANCE_LAYERS").unwrap_or_default();
    let is_started = layers.to_string_lossy().contains("VK_LAYER_CUDA_EXTERNAL_cpu");
    let flags = if is_started { RTLD_LAZY } else { RTLD_LAZY | libc::RTLD_NOLOAD };
    // Every program opens the driver by this name. Under the check, the check's layer has this name, and the functions
    // of this library are found behind it.
    // SAFETY: a driver's initializers may run at any time.
    let library = unsafe { Library::open(Some("libcuda.so.1"), flags) }.ok()?;
    // SAFETY: it has this type below, and the text is null or ends with a zero.
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
    // SAFETY: the caller passes a valid C string.
    let fault = unsafe { std::ffi::CStr::from_ptr(text) }.to_str().ok().and_then(|text| text.parse().ok());
    fault.map_or(0, |fault| active_faults::add_fault(fault, number))
}
