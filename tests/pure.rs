//! Tests parts of the crate without a driver and without C code, also in Miri: `cargo +nightly miri test --test pure`.

use std::array;
use std::fmt;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher, Hash};

use cuda_external_sys::*;

/// The crate's own macros. The `Driver` that they call is the mock in `function_slot`.
#[cfg(feature = "load")]
#[macro_use]
#[path = "../src/macros/extern_driver.rs"]
mod extern_driver;
#[cfg(feature = "load")]
#[macro_use]
#[path = "../src/macros/slot.rs"]
mod macros;
#[cfg(feature = "load")]
#[path = "pure/function_slot.rs"]
mod function_slot;
#[cfg(feature = "load")]
use cuda_external_sys::__symbols;
#[cfg(feature = "load")]
use function_slot::Driver;

/// Includes the bindings again. Here `c_enum!`, `zeroed_default!` and `union_debug!` make tests of the bindings' types.
#[allow(dead_code, unused_imports, non_camel_case_types, non_snake_case)]
mod listed {
    use core::ffi::*;
    use cuda_external_sys::*;

    macro_rules! c_enum {
        ($(#[$attribute:meta])* pub enum $name:ident $(($repr:ty))?: $test:ident {
            $($constant:ident = $value:expr,)*
        }) => {
            #[test]
            #[cfg_attr(miri, ignore = "it is safe code, and slow there")]
            fn $test() {
                $(assert_eq!($name::$constant, $constant);)*
                let known = &[$(($value, stringify!($constant))),*];
                super::assert_values(stringify!($name), known, |value: $name| (value.0.into(), value.name()));
            }
        };
    }

    macro_rules! zeroed_default {
        ($($name:ident,)*) => {
            /// Miri reports a default with an invalid value. tests/calls/linked.rs checks that the defaults are zero.
            #[test]
            fn every_zeroed_default_is_a_value() {
                $(let _ = super::assert_copy_default_debug(&cuda_external_sys::$name::default());)*
            }
        };
    }

    macro_rules! union_debug {
        ($($name:ident,)*) => {
            /// `fmt` does not know which field the program wrote. Reading another field may be undefined behavior.
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

/// A known value prints the first of its names. Printing must not call cuGetErrorName, which crashes in a stub library.
fn assert_values<T>(of: &str, known: &[(i64, &str)], parts: impl Fn(T) -> (i64, Option<&'static str>))
where
    T: Copy + Ord + Hash + fmt::Debug + From<u32> + Into<u32> + Send + Sync,
{
    let next = known.iter().map(|(value, _)| (value + 1) as u32);
    let others = [9140, i32::MAX as u32, 1 << 31, u32::MAX];
    for number in known.iter().map(|(value, _)| *value as u32).chain(next).chain(others) {
        let value = T::from(number);
        assert_eq!(value.into(), number);
        let first = known.iter().find(|(known, _)| *known as u32 == number).map(|(_, name)| *name);
        let (field, name) = parts(value);
        assert_eq!((field as u32, name), (number, first));
        assert_eq!(format!("{value:?}"), first.map_or_else(|| format!("{of}({field})"), str::to_owned));
    }
}

#[test]
fn a_code_converts_to_an_i32_on_every_platform() {
    for (code, number) in [(CUDA_SUCCESS, 0), (CUDA_ERROR_UNKNOWN, 999), (CUresult::from(9140_u32), 9140)] {
        assert_eq!((i32::from(code), CUresult::from(number)), (number, code));
    }
    assert_eq!(i32::from(CUresult::from(-1)), -1);
    assert_eq!(CUDA_ERROR_NOT_READY.name(), Some("CUDA_ERROR_NOT_READY"));
    assert_eq!(CUresult::from(9140).name(), None);
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

/// This function must compile for every target. Most of its lines would not if enums were `int`, as in MSVC's C.
#[test]
fn an_enum_is_unsigned_on_every_target() {
    const FLAGS: u32 = CU_STREAM_NON_BLOCKING.0;
    const BOTH: u32 = CU_CTX_SCHED_YIELD.0 | CU_CTX_MAP_HOST.0;
    const CODE: CUresult = CUresult(1 as std::ffi::c_uint);
    const NAME: Option<&str> = CODE.name();
    assert_eq!((FLAGS, CODE, NAME), (1, CUDA_ERROR_INVALID_VALUE, Some("CUDA_ERROR_INVALID_VALUE")));
    assert!(matches!(CODE, CUresult(1_u32)) && CUDA_SUCCESS.0 == 0_u32);
    let mut flags = CU_CTX_SCHED_YIELD;
    flags |= CU_CTX_MAP_HOST;
    assert_eq!((flags, flags.0), (CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST, BOTH));
    assert_eq!(CUresult::default(), CUDA_SUCCESS);
    assert!(CUDA_SUCCESS < CUDA_ERROR_INVALID_VALUE && CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID.0 == -1);
}

fn assert_copy_default_debug<T: Copy + Default + fmt::Debug>(value: &T) -> T {
    *value
}

/// Result codes and UUIDs work in constants and as keys of hash maps. Result codes are errors: `?` can convert a code
/// to a boxed error, and threads can share a code.
const _: () = {
    const fn assert_error_traits<T: std::error::Error + Copy + Eq + Hash + Send + Sync + 'static>() {}
    const fn assert_key_traits<T: Copy + Eq + Hash + fmt::Display + From<[u8; 16]>>() {}
    assert_error_traits::<CUresult>();
    assert_key_traits::<CUuuid>();
    assert!(CUDA_SUCCESS.result().is_ok() && CUDA_ERROR_NOT_READY.result().is_err());
    assert!(CUuuid { bytes: [7; 16] }.to_bytes()[15] == 7);
};
#[cfg(feature = "load")]
const _: () = {
    const fn assert_thread_safe<T: fmt::Debug + Send + Sync + 'static>() {}
    const fn assert_error_traits<T: std::error::Error + Clone + Eq + Send + Sync + 'static>() {}
    assert_thread_safe::<cuda_external_sys::Driver>();
    assert_error_traits::<LoadError>();
};

#[test]
fn an_ipc_handle_is_its_bytes() {
    const ZERO: CUipcMemHandle = CUipcMemHandle::zeroed();
    let bytes: [u8; 64] = array::from_fn(|at| at as u8 * 3);
    assert_eq!((CUipcMemHandle::from(bytes).to_bytes(), ZERO.to_bytes()), (bytes, [0; 64]));
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
