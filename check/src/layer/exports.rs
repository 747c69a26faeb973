//! The functions that the layer exports in place of the driver's. Every other symbol is found in the driver, behind it.

mod copies;
mod family;
mod graphs;
mod lifetimes;
mod resolve;
mod trace;
#[cfg(all(test, not(miri)))]
mod unwrapped;

use std::ffi::{CStr, c_void};

use super::driver::Real;

/// A function of the layer.
pub struct Wrapped {
    pub function: *const c_void,
    pub real: Real,
}

// SAFETY: the pointer is a function's.
unsafe impl Sync for Wrapped {}

impl Wrapped {
    /// The name ends in zero.
    const fn new(name: &'static str, function: *const c_void) -> Self {
        let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { panic!("a zero at the end") };
        Self { function, real: Real::new(name) }
    }
}

/// Every function that is wrapped.
pub fn wrapped() -> impl Iterator<Item = &'static Wrapped> {
    let all = [family::WRAPPED, graphs::WRAPPED, copies::WRAPPED, lifetimes::WRAPPED, resolve::WRAPPED];
    all.into_iter().flatten().copied()
}

/// Exports functions: each runs what stands behind its arguments, and gets the call. Functions with the same parameters stand
/// together: versions, and those with the default stream of the thread (_ptsz, _ptds). Where the crate has the function, its
/// type is named: rustc compares the parameters.
macro_rules! wrap {
    ($($($name:ident)|+ $(: $pfn:ident)? ($($args:tt)*) |$call:ident| $body:expr;)*) => {
        $($crate::layer::exports::wrap! { @each [$($name)+] [$($pfn)?] ($($args)*) |$call| $body })*
        pub static WRAPPED: &[&$crate::layer::exports::Wrapped] = &[$($(&$name::WRAPPED),+),*];
    };
    (@each [$($name:ident)+] $pfn:tt $args:tt |$call:ident| $body:expr) => {
        $($crate::layer::exports::wrap! { @one $name $pfn $args |$call| $body })+
    };
    (@one $name:ident [$($pfn:ident)?] ($($arg:ident: $ty:ty),* $(,)?) |$call:ident| $body:expr) => {
        #[allow(non_snake_case)] // cuda.h's
        mod $name {
            use $crate::layer::exports::Wrapped;
            pub static WRAPPED: Wrapped =
                Wrapped::new(concat!(stringify!($name), "\0"), super::$name as *const std::ffi::c_void);
        }
        $(const _: cuda_external_sys::pfn::$pfn = $name;)?
        #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)] // cuda.h's, with its rules
        #[cfg_attr(feature = "library", unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
            let driver = || -> CUresult {
                let address = $name::WRAPPED.real.address();
                if address.is_null() {
                    return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
                }
                type Function = unsafe extern "C" fn($($ty),*) -> CUresult;
                // SAFETY: the driver's function of this name has this type, and the caller keeps its rules.
                unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(address)($($arg),*) }
            };
            if $crate::layer::process::process().is_none() {
                return driver();
            }
            let $call = &$crate::layer::call::Call::new(stringify!($name), &driver);
            // SAFETY: the program's arguments are as the driver needs them.
            #[allow(unused_unsafe)] // not every function looks at what its pointers point to
            let answer = unsafe { $body };
            $crate::layer::call::IntoCode::into_code(answer)
        }
    };
}
use wrap;
