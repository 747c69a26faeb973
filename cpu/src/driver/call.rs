//! The declaration of every function of the driver, and the steps before its body.

use cuda_external_sys::*;

use super::answer::{CudaResult, called};
use super::{due, process};

/// A function, by the name that the library exports.
pub type Function = (&'static str, unsafe extern "C" fn());

/// Whether the function works before `cuInit`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Init,
}

/// Runs a function's body, unless the driver is not ready or a fault is due.
pub fn enter(name: &'static str, needs: Needs, body: impl FnOnce() -> CudaResult) -> CUresult {
    called(name);
    let result = match needs {
        Needs::Init => process::usable().and_then(|()| due::before(name)),
        // Faults have a lock.
        Needs::Nothing if process::is_forked() => Ok(()),
        Needs::Nothing => due::before(name),
    };
    result.and_then(|()| body()).err().unwrap_or(CUDA_SUCCESS)
}

/// Declares functions of the driver, with their types in the bindings. With the feature `symbols` they are C symbols;
/// without it they are reached through the table alone. A row with several names has versions that do the same.
///
/// A body runs in an unsafe block: its pointers are as valid as cuda.h requires, and only null is checked.
macro_rules! functions {
    ($($needs:ident fn $($name:ident)|+: $pfn:ty, $arguments:tt $body:block)*) => {
        $($(cuda_external_guest::export! {
            #[cfg_attr(feature = "symbols", unsafe(no_mangle))]
            fn $name: $pfn, $arguments {
                use $crate::driver::call::{Needs, enter};
                enter(stringify!($name), Needs::$needs, || {
                    #[allow(unused_unsafe)]
                    // SAFETY: the caller's pointers are as cuda.h requires.
                    unsafe { $body }
                })
            }
        })+)*
        // SAFETY: any function's address may have this type until it is called by its own.
        pub const FUNCTIONS: &[$crate::driver::call::Function] = &[$($((stringify!($name), unsafe {
            std::mem::transmute::<$pfn, unsafe extern "C" fn()>($name)
        })),+),*];
    };
}
pub(crate) use functions;
