//! The functions that the layer exports in place of the driver's. Every other symbol is found in the driver, behind it.

mod family;
mod moves;
mod neighbors;
mod resolve;
mod trace;

use std::ffi::{CStr, c_void};

/// A function of the layer's.
pub struct Wrapped {
    pub name: &'static CStr,
    pub function: *const c_void,
    pub real: &'static super::driver::Real,
}

// SAFETY: the pointer is a function's.
unsafe impl Sync for Wrapped {}

/// Every function that is wrapped.
pub fn wrapped() -> impl Iterator<Item = &'static Wrapped> {
    family::WRAPPED.iter().chain(moves::WRAPPED).chain(neighbors::WRAPPED).chain(resolve::WRAPPED)
}

/// Numbers the functions for the journal, from 1 on.
pub fn number() {
    (1..).zip(wrapped()).for_each(|(number, wrapped)| wrapped.real.set_number(number));
}

/// Exports functions: each runs what stands behind its arguments, and gets the driver's own function as a closure.
macro_rules! wrap {
    ($($(#[doc = $doc:literal])* $name:ident($($arg:ident: $ty:ty),* $(,)?) |$call:ident, $real:ident| $body:expr;)*) => {
        mod reals {
            #![allow(non_upper_case_globals)]
            $(pub static $name: crate::layer::driver::Real = {
                const NAME: &str = concat!(stringify!($name), "\0");
                match std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
                    Ok(name) => crate::layer::driver::Real::new(name),
                    Err(_) => unreachable!(),
                }
            };)*
        }
        $(
            $(#[doc = $doc])*
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)] // cuda.h's, with its rules
            #[cfg_attr(feature = "library", unsafe(no_mangle))]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
                let $real = || -> CUresult {
                    let address = reals::$name.address();
                    if address.is_null() {
                        return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
                    }
                    let _inside = reals::$name.enter();
                    type Function = unsafe extern "C" fn($($ty),*) -> CUresult;
                    // SAFETY: the driver's function of this name has this type, and the caller keeps its rules.
                    let code = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(address)($($arg),*) };
                    if crate::layer::site::is_sticky(code) {
                        crate::layer::state::note_lost(stringify!($name), code);
                    }
                    code
                };
                let $call = stringify!($name);
                $body
            }
        )*
        pub static WRAPPED: &[crate::layer::exports::Wrapped] = &[$(crate::layer::exports::Wrapped {
            name: match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => unreachable!(),
            },
            function: $name as *const std::ffi::c_void,
            real: &reals::$name,
        }),*];
    };
}
use wrap;
