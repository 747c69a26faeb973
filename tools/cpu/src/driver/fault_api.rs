//! Faults on demand: a call of the driver fails, is slow, or loses the device.
//!
//! A process may contain two copies of this driver: this crate in the program, and the shared library libcuda.so.1. If
//! the process has both copies, this module adds each fault to both, and removes the fault from both.

use std::ffi::{CString, c_char};
use std::{fmt, ptr};

use libloading::os::unix::{Library, RTLD_LAZY};

use crate::driver::base::active_faults::{self, EVERY_THREAD};

pub use crate::driver::base::active_faults::{FaultEffect, InjectedFault};

/// Writes the form that [`FromStr`](std::str::FromStr) reads.
impl fmt::Display for InjectedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = self.call.map(|call| format!(":{call}")).unwrap_or_default();
        write!(f, "{}{call}=", self.function)?;
        match self.effect {
            FaultEffect::Fail(code) => write!(f, "{}", code.0),
            FaultEffect::Delay(time) => write!(f, "delay:{}", time.as_millis()),
            FaultEffect::LoseDevice => f.write_str("lost"),
        }
    }
}

impl InjectedFault {
    /// Adds the fault for every thread's calls, until the guard is dropped. Panics if the driver lacks `function`.
    #[must_use = "the fault ends when this is dropped"]
    pub fn scoped(self) -> InjectedFaultGuard {
        add_fault_to_both_copies(self, EVERY_THREAD)
    }

    /// Adds the fault for this thread's calls, until the guard is dropped. Panics if the driver lacks `function`.
    #[must_use = "the fault ends when this is dropped"]
    pub fn in_this_thread(self) -> InjectedFaultGuard {
        add_fault_to_both_copies(self, active_faults::current_thread_number())
    }
}

fn add_fault_to_both_copies(fault: InjectedFault, thread: u64) -> InjectedFaultGuard {
    fault.check_fault_function().unwrap_or_else(|error| panic!("{error}"));
    let text = CString::new(fault.to_string()).unwrap_or_default();
    let there = call_other_driver_copy(text.as_ptr(), thread).filter(|number| *number != 0);
    InjectedFaultGuard { here: active_faults::add_fault(fault, thread), there }
}

/// Adds a fault for the whole process, until [`clear_faults`]. Panics if the driver lacks the fault's function.
pub fn inject_fault(fault: InjectedFault) {
    std::mem::forget(add_fault_to_both_copies(fault, EVERY_THREAD));
}

/// Removes all faults of the process. A context that has lost its device stays lost; a new context works.
pub fn clear_faults() {
    remove_fault_from_both_copies(0, Some(0));
}

/// A guard from [`InjectedFault::scoped`] or [`InjectedFault::in_this_thread`]. Dropping the guard removes the fault.
#[derive(Debug)]
pub struct InjectedFaultGuard {
    here: u64,
    there: Option<u64>,
}

impl Drop for InjectedFaultGuard {
    fn drop(&mut self) {
        remove_fault_from_both_copies(self.here, self.there);
    }
}

/// Removes a fault, by its number in each copy of the driver. The number 0 removes all faults of a copy.
fn remove_fault_from_both_copies(here: u64, there: Option<u64>) {
    active_faults::remove_fault(here);
    there.and_then(|there| call_other_driver_copy(ptr::null(), there));
}

fn call_other_driver_copy(text: *const c_char, number: u64) -> Option<u64> {
    type FaultFunction = unsafe extern "C" fn(*const c_char, u64) -> u64;
    if cfg!(feature = "library") {
        return None;
    }
    // The command cuda-external-cpu sets VK_INSTANCE_LAYERS for the process that it starts. In such a process, the
    // dynamic linker finds this driver as libcuda.so.1. In any other process, the dynamic linker could find NVIDIA's
    // driver, so this function uses libcuda.so.1 only if the process has already loaded it.
    let layers = std::env::var_os("VK_INSTANCE_LAYERS").unwrap_or_default();
    let is_started = layers.to_string_lossy().contains("VK_LAYER_CUDA_EXTERNAL_cpu");
    let flags = if is_started { RTLD_LAZY } else { RTLD_LAZY | libc::RTLD_NOLOAD };
    // Under cuda-external-check, libcuda.so.1 is the check's layer. The layer is linked to the driver that it checks
    // (libcuda_real.so), so `dlsym` also searches that driver.
    // SAFETY: the initializers of a CUDA driver have no precondition.
    let library = unsafe { Library::open(Some("libcuda.so.1"), flags) }.ok()?;
    // SAFETY: `cuda_external_cpu_fault` has this type, and `text` is null or a C string.
    Some(unsafe { library.get::<FaultFunction>(b"cuda_external_cpu_fault\0").ok()?(text, number) })
}

/// If `text` is null, removes the fault `number`, or all faults if `number` is 0. Returns `number`.
///
/// If `text` is not null, adds the fault that `text` describes. The fault applies to the thread whose `pthread_self` is
/// `number`, or to all threads if `number` is 0. Returns the fault's number, or 0 if `text` does not describe a fault.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
unsafe extern "C" fn cuda_external_cpu_fault(text: *const c_char, number: u64) -> u64 {
    if text.is_null() {
        active_faults::remove_fault(number);
        return number;
    }
    // SAFETY: the text is not null, so `call_other_driver_copy` has passed a C string.
    let fault = unsafe { std::ffi::CStr::from_ptr(text) }.to_str().ok().and_then(|text| text.parse().ok());
    fault.map_or(0, |fault| active_faults::add_fault(fault, number))
}
