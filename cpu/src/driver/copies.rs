//! A process may have this driver twice. A test has the crate in itself, and started by `cuda-external-cpu` without `load()` it calls the
//! library. A fault goes to both.

use std::ffi::{CStr, CString, c_char};

use libloading::os::unix::{Library, RTLD_LAZY};

use super::due::{self, Fault};

/// A fault's number in this copy and in the other one. 0 is all of them, or none.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    here: u64,
    there: Option<u64>,
}

impl Numbers {
    pub const ALL: Self = Self { here: 0, there: Some(0) };
}

const ADD: &CStr = c"cuda_external_cpu_add_fault";
const REMOVE: &CStr = c"cuda_external_cpu_remove_fault";
type Add = unsafe extern "C" fn(*const c_char, u64) -> u64;
type Remove = unsafe extern "C" fn(u64);

pub fn add(fault: Fault, thread: u64) -> Numbers {
    let text = CString::new(fault.to_string()).unwrap_or_default();
    let here = due::add(fault, thread);
    let there = with_other(|library| {
        // SAFETY: this crate's function, below.
        let add = *unsafe { library.get::<Add>(ADD.to_bytes_with_nul()) }.ok()?;
        // SAFETY: the text ends with a zero.
        Some(unsafe { add(text.as_ptr(), thread) })
    });
    Numbers { here, there }
}

pub fn remove(numbers: Numbers) {
    due::remove(numbers.here);
    let Some(there) = numbers.there else { return };
    with_other(|library| {
        // SAFETY: this crate's function, below.
        let remove = *unsafe { library.get::<Remove>(REMOVE.to_bytes_with_nul()) }.ok()?;
        // SAFETY: it takes a number.
        unsafe { remove(there) };
        Some(())
    });
}

/// Calls a function with the driver's library, where the process is started with this one, or has it.
fn with_other<T>(run: impl FnOnce(&Library) -> Option<T>) -> Option<T> {
    if cfg!(feature = "library") {
        return None;
    }
    // The command sets it together with the library's directory.
    let layers = std::env::var_os("VK_INSTANCE_LAYERS").unwrap_or_default();
    let is_started = layers.to_string_lossy().contains("VK_LAYER_CUDA_EXTERNAL_cpu");
    let flags = if is_started { RTLD_LAZY } else { RTLD_LAZY | libc::RTLD_NOLOAD };
    // By the name that every program opens. Under the check its layer is that, which has this library's functions behind its own.
    // SAFETY: a driver's initializers may run at any time.
    run(&unsafe { Library::open(Some("libcuda.so.1"), flags) }.ok()?)
}

/// Adds a fault, for the calls of one thread (`pthread_self`) or with 0 of all. Returns its number, or 0 where the text is wrong.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
unsafe extern "C" fn cuda_external_cpu_add_fault(text: *const c_char, thread: u64) -> u64 {
    // SAFETY: the caller's text.
    let fault = unsafe { CStr::from_ptr(text) }.to_str().ok().and_then(|text| text.parse().ok());
    fault.map_or(0, |fault| due::add(fault, thread))
}

/// Removes a fault by its number, or with 0 all.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
extern "C" fn cuda_external_cpu_remove_fault(number: u64) {
    due::remove(number);
}
