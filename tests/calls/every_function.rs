//! Calls every function of the bindings with a pattern in each argument and in each element that an argument points to,
//! and compares what the mock driver saw, gave out and returned.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::slice;

use cuda_external_sys::CUresult;

use super::pattern::{Fields, Recorded, Values};

/// The mock driver's `mock_record`.
pub type Record = unsafe extern "C" fn(code: c_int, report: Report);
pub type Report = extern "C" fn(what: *const c_char, bytes: *const u8, size: usize);

thread_local! {
    static RECORDED: RefCell<Recorded> = const { RefCell::new(Recorded::new()) };
}

extern "C" fn report(what: *const c_char, bytes: *const u8, size: usize) {
    // SAFETY: the mock driver's text, and as many bytes as it says.
    let (what, bytes) = unsafe { (CStr::from_ptr(what), slice::from_raw_parts(bytes, size)) };
    let pair = (what.to_string_lossy().into_owned(), bytes.to_owned());
    RECORDED.with_borrow_mut(|recorded| recorded.insert(pair));
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
                    // SAFETY: a mock driver looks no further than at what `make` made.
                    |values: &mut Values| unsafe { $name($(<$ty as Argument>::make(values, stringify!($arg))),*) },
                )),*];
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

pub use listed::calls::ALL;

/// Calls each function with each code that the bindings know, and with codes of a newer driver.
pub fn compare_all(record: Record, calls: &[Call], fields: Option<Fields>) {
    const NEWER: [u32; 2] = [9140, 0x7fff_ffff];
    for (seed, code) in listed::CUresult_values.iter().chain(&NEWER).enumerate() {
        compare(record, calls, fields, seed, *code);
    }
}

/// Calls each function once, where this code is returned.
pub fn compare(record: Record, calls: &[Call], fields: Option<Fields>, seed: usize, code: u32) {
    // SAFETY: it is the mock driver's.
    unsafe { record(code as c_int, report) };
    for (name, call) in calls {
        let mut values = Values::new(seed, fields);
        let result = call(&mut values);
        assert_eq!(u32::from(result), code, "the code that {name} returned");
        let mut recorded = RECORDED.take();
        assert!(recorded.remove(&(name.to_string(), Vec::new())), "{name} is not the one that was called");
        recorded.retain(|(what, _)| fields.is_some() || !what.contains("]."));
        let expected = values.recorded();
        let differ: Vec<_> = recorded.symmetric_difference(&expected).collect();
        assert!(differ.is_empty(), "{name}: Rust and C differ in {differ:?}");
    }
}
