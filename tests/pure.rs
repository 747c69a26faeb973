//! What is pure Rust: printing, result codes, UUIDs, defaults, and the slot that each function of `load` mode has. Nothing here
//! calls C, so Miri runs it: `cargo +nightly miri test --test pure`.

use std::array;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use cuda_external_sys::*;

/// The crate's own macro, word for word. What it asks of `crate::loader` is answered by `slot`.
#[cfg(feature = "load")]
#[allow(unused_macros)]
#[macro_use]
#[path = "../src/macros/functions.rs"]
mod functions;
#[cfg(feature = "load")]
#[path = "pure/slot.rs"]
mod slot;
#[cfg(feature = "load")]
use slot::loader;

/// The bindings' text again: each of its enums, and each of its lists of structs and unions, becomes a test.
#[allow(dead_code, unused_imports, non_camel_case_types, non_snake_case)]
mod listed {
    use core::ffi::*;
    use cuda_external_sys::*;

    macro_rules! c_enum {
        ($(#[$attribute:meta])* pub enum $name:ident $(($repr:ty))?: $test:ident { $($constant:ident = $value:expr,)* }) => {
            #[test]
            #[cfg_attr(miri, ignore = "it is safe code, and slow there")]
            fn $test() {
                $(assert_eq!($name::$constant, $constant);)*
                super::assert_printed(stringify!($name), &[$(($value, stringify!($constant))),*], |value| {
                    let value = $name(value as _);
                    (format!("{value:?}"), value.into())
                });
            }
        };
    }

    macro_rules! zeroed_default {
        ($($name:ident,)*) => {
            /// Miri refuses a value that the type does not have. That they are zero, tests/calls/linked.rs sees.
            #[test]
            fn every_zeroed_default_is_a_value() {
                $(let _ = cuda_external_sys::$name::default();)*
            }
        };
    }

    macro_rules! union_debug {
        ($($name:ident,)*) => {
            /// Which field was written is unknown, and reading another one may be undefined.
            #[test]
            fn unions_print_without_their_fields() {
                $(assert_eq!(
                    format!("{:?}", cuda_external_sys::$name::default()),
                    concat!(stringify!($name), " { .. }")
                );)*
            }

            $(impl ::core::fmt::Debug for $name {
                fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    unreachable!("the crate's own are printed")
                }
            })*
        };
    }

    macro_rules! opaque {
        ($($name:ident,)*) => {};
    }

    macro_rules! driver_functions {
        ($($any:tt)*) => {};
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

/// Each known value prints its first name and any other its number, and all of them are passed as flags. The driver is not
/// asked: a toolkit's stub library crashes in cuGetErrorName, and a machine may have no driver at all.
fn assert_printed(of: &str, known: &[(i64, &str)], print: impl Fn(i64) -> (String, u32)) {
    let next = known.iter().map(|(value, _)| value + 1).filter(|value| *value <= i64::from(i32::MAX));
    for value in known.iter().map(|(value, _)| *value).chain(next).chain([9140]) {
        let first = known.iter().find(|(known, _)| *known == value);
        let printed = first.map_or_else(|| format!("{of}({value})"), |(_, name)| (*name).to_owned());
        assert_eq!(print(value), (printed, value as u32));
    }
}

#[test]
fn an_unknown_code_prints_as_its_number() {
    assert_eq!(CUresult(9140).to_string(), "unknown CUDA error (9140)");
    assert_eq!(CUDA_ERROR_NOT_READY.to_string(), "CUDA_ERROR_NOT_READY (600)");
    assert_eq!(CUDA_SUCCESS.result(), Ok(()));
    for code in [CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_READY, CUresult(9140)] {
        assert_eq!(code.result(), Err(code));
    }
}

#[test]
fn a_uuid_is_its_bytes() {
    let bytes: [u8; 16] = array::from_fn(|at| at as u8 * 0x11);
    let uuid = CUuuid::from(bytes);
    assert_eq!(uuid.to_bytes(), bytes);
    assert_eq!(uuid.to_string(), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    assert_eq!(format!("{uuid:?}"), uuid.to_string());
    let other = CUuuid::from(array::from_fn(|at| if at == 15 { 0 } else { bytes[at] }));
    let hash = |uuid| BuildHasherDefault::<DefaultHasher>::default().hash_one(uuid);
    assert!(uuid == CUuuid::from(bytes) && uuid != other && hash(uuid) != hash(other));
}
