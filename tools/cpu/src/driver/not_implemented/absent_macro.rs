//! The body of a function that is not implemented. It returns that code, and prints its name on request.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that makes each of these functions print its name at its first call, and a kernel its refusal or its fault.
const VARIABLE: &str = "CUDA_EXTERNAL_CPU_UNSUPPORTED";

/// Prints why something failed, where that is wanted.
pub fn say(what: &str) {
    static IS_WANTED: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty()));
    if *IS_WANTED {
        eprintln!("cuda-external-cpu: {what}");
    }
}

/// Prints that a function was called that is not here, once.
pub fn tell(name: &str, told: &AtomicBool) {
    if !told.swap(true, Ordering::Relaxed) {
        say(&format!("{name} is not supported"));
    }
}

/// Declares functions without their parameters, which they do not read.
macro_rules! absent {
    ($($name:ident)*) => {
        $(
            #[allow(non_snake_case)]
            #[cfg_attr(feature = "symbols", unsafe(no_mangle))]
            extern "C" fn $name() -> cuda_external_sys::CUresult {
                use $crate::driver::base::functions_macro::{Needs, enter};
                static TOLD: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
                enter(stringify!($name), Needs::Init, || {
                    $crate::driver::every_name::absent::tell(stringify!($name), &TOLD);
                    Err(cuda_external_sys::CUDA_ERROR_NOT_SUPPORTED)
                })
            }
        )*
        pub const FUNCTIONS: &[$crate::driver::base::functions_macro::Function] = &[$((stringify!($name), $name as *const ())),*];
    };
}
pub(super) use absent;
