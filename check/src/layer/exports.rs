//! The functions that the layer exports in place of the driver's. Every other symbol is found in the driver, behind it.

mod copies;
mod family;
mod graphs;
mod lifetimes;
mod resolve;
mod semaphores;
mod trace;

use std::ffi::{CStr, c_void};

/// A function of the layer.
pub struct Wrapped {
    pub name: &'static CStr,
    pub function: *const c_void,
    pub real: &'static super::driver::Real,
}

// SAFETY: the pointer is a function's.
unsafe impl Sync for Wrapped {}

/// Every function that is wrapped.
pub fn wrapped() -> impl Iterator<Item = &'static Wrapped> {
    let all = [
        family::WRAPPED,
        semaphores::WRAPPED,
        graphs::WRAPPED,
        copies::WRAPPED,
        lifetimes::WRAPPED,
        resolve::WRAPPED,
    ];
    all.into_iter().flatten()
}

/// Exports functions: each runs what stands behind its arguments, and gets the driver's own function as a closure. Where the
/// crate has the function, its type is named: rustc compares the parameters.
macro_rules! wrap {
    ($($(#[doc = $doc:literal])* $name:ident $(: $pfn:ident)? ($($arg:ident: $ty:ty),* $(,)?) |$call:ident, $real:ident| $body:expr;)*) => {
        mod reals {
            #![allow(non_upper_case_globals)]
            $(pub static $name: crate::layer::driver::Real = crate::layer::driver::Real::new(super::names::$name);)*
        }
        mod names {
            #![allow(non_upper_case_globals)]
            $(pub const $name: &std::ffi::CStr = {
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                }
            };)*
        }
        $($(const _: cuda_external_sys::pfn::$pfn = $name;)?)*
        $(
            $(#[doc = $doc])*
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)] // cuda.h's, with its rules
            #[cfg_attr(feature = "library", unsafe(no_mangle))]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
                let driver = || -> CUresult {
                    let address = reals::$name.address();
                    if address.is_null() {
                        return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
                    }
                    type Function = unsafe extern "C" fn($($ty),*) -> CUresult;
                    // SAFETY: the driver's function of this name has this type, and the caller keeps its rules.
                    unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(address)($($arg),*) }
                };
                if crate::layer::process::process().is_none() {
                    return driver();
                }
                // See `lock`: no signal handler runs but in the driver's part.
                let quiet = std::cell::Cell::new(Some(crate::quiet::Quiet::begin()));
                let $real = || {
                    quiet.set(None);
                    let code = driver();
                    quiet.set(Some(crate::quiet::Quiet::begin()));
                    if crate::layer::call::is_sticky(code) {
                        crate::layer::state::note_lost(stringify!($name), code);
                    }
                    code
                };
                let $call = stringify!($name);
                $body
            }
        )*
        pub static WRAPPED: &[crate::layer::exports::Wrapped] = &[$(crate::layer::exports::Wrapped {
            name: names::$name,
            function: $name as *const std::ffi::c_void,
            real: &reals::$name,
        }),*];
    };
}
use wrap;
