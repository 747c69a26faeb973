//! Calls every function of the bindings with a pattern in each argument and in each element that an argument points to,
//! and compares what the mock driver saw, gave out and returned.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int};

use cuda_external_sys::CUresult;

use super::pattern::{Fields, Values};

/// The mock driver's functions for tests.
pub struct Control {
    pub record: unsafe extern "C" fn(c_int),
    pub text: unsafe extern "C" fn() -> *const c_char,
}

/// A function's name, and a call of it.
pub type Call = (&'static str, fn(&mut Values) -> CUresult);

/// The bindings' text again, for its list of functions and of result codes alone.
#[allow(dead_code, unused_imports, unused_variables)]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#[allow(clippy::all)]
mod listed {
    use core::ffi::*;
    use cuda_external_sys::*;

    macro_rules! c_enum {
        ($(#[$attribute:meta])* pub enum $name:ident $(($repr:ty))?: $values:ident { $($constant:ident = $value:expr,)* }) => {
            pub const $values: &[u32] = &[$($constant.0 as u32),*];
        };
    }

    macro_rules! opaque {
        ($($name:ident,)*) => {};
    }

    macro_rules! zeroed_default {
        ($($name:ident,)*) => {};
    }

    macro_rules! union_debug {
        ($($name:ident,)*) => {$(
            impl ::core::fmt::Debug for $name {
                fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    unreachable!("nothing is printed")
                }
            }
        )*};
    }

    macro_rules! driver_functions {
        ($(pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)? ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            pub mod calls {
                use super::super::super::pattern::{Argument, Values};
                use core::ffi::*;
                use cuda_external_sys::*;

                pub const ALL: &[super::super::Call] = &[$((
                    stringify!($name),
                    |values: &mut Values| {
                        $(let $arg = <$ty as Argument>::make(values, stringify!($arg));)*
                        // SAFETY: a mock driver looks no further than at what `make` made.
                        let result: $ret = unsafe { $name($($arg.0),*) };
                        $(<$ty as Argument>::receive($arg.1, values, stringify!($arg));)*
                        result
                    },
                )),*];
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

pub use listed::calls::ALL;

/// Calls each function with each code that the bindings know, and with codes of a newer driver.
pub fn compare_all(control: &Control, calls: &[Call], fields: Option<Fields>) {
    const NEWER: [u32; 2] = [9140, 0x7fff_ffff];
    for (seed, code) in listed::CUresult_values.iter().chain(&NEWER).enumerate() {
        compare(control, calls, fields, seed, *code);
    }
}

/// Calls each function once, where this code is returned.
pub fn compare(control: &Control, calls: &[Call], fields: Option<Fields>, seed: usize, code: u32) {
    // SAFETY: it is the mock driver's.
    unsafe { (control.record)(code as c_int) };
    for (name, call) in calls {
        let mut values = Values::new(seed, fields);
        let result = call(&mut values);
        assert_eq!(u32::from(result), code, "the code that {name} returned");
        // SAFETY: a text of this thread's, which stays until its next call.
        let text = unsafe { CStr::from_ptr((control.text)()) }.to_str().expect("hexadecimal digits");
        let (function, lines) = text.split_once('\n').expect("the first line is the function's name");
        assert_eq!(function, *name, "the function that was called");
        let is_compared = |line: &&str| fields.is_some() || !line.contains("].");
        let lines: BTreeSet<String> = lines.lines().filter(is_compared).map(str::to_owned).collect();
        let differ: Vec<_> = lines.symmetric_difference(&values.lines).collect();
        assert!(differ.is_empty(), "{name}: Rust and C differ in {differ:#?}");
    }
}
