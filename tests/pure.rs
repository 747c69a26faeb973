//! What is pure Rust: defaults, unions, codes, and the slot that each function of `load` mode has. Nothing here calls C, so
//! Miri runs it: `cargo +nightly miri test --test pure`.

use std::ffi::c_void;
use std::ptr;

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

/// The bindings' text again, for its list of structs and unions alone.
#[allow(dead_code, unused_imports, non_camel_case_types, non_snake_case)]
mod listed {
    use core::ffi::*;
    use cuda_external_sys::*;

    macro_rules! zeroed_default {
        ($($name:ident,)*) => {
            /// Miri refuses a value that the type does not have. That they are zero, tests/calls/linked.rs sees.
            pub fn defaults() -> usize {
                [$({
                    let _ = cuda_external_sys::$name::default();
                    stringify!($name)
                }),*].len()
            }
        };
    }

    macro_rules! union_debug {
        ($($name:ident,)*) => {
            pub fn unions() -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), format!("{:?}", cuda_external_sys::$name::default()))),*]
            }

            $(impl ::core::fmt::Debug for $name {
                fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    unreachable!("the crate's own are printed")
                }
            })*
        };
    }

    macro_rules! c_enum {
        ($($any:tt)*) => {};
    }

    macro_rules! opaque {
        ($($name:ident,)*) => {};
    }

    macro_rules! driver_functions {
        ($($any:tt)*) => {};
    }

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

#[test]
fn every_zeroed_default_is_a_value() {
    assert!(listed::defaults() > 50);
}

#[test]
fn unions_print_without_their_fields() {
    for (name, printed) in listed::unions() {
        assert_eq!(printed, format!("{name} {{ .. }}"));
    }
}

#[test]
fn an_unknown_code_prints_as_its_number() {
    assert_eq!(format!("{:?} {:?}", CUresult(0), CUresult(9140)), "CUDA_SUCCESS CUresult(9140)");
}

#[test]
fn fields_of_a_union_share_their_place() {
    let mut memory = CUDA_EXTERNAL_MEMORY_HANDLE_DESC::default();
    memory.handle.fd = -2;
    // SAFETY: every field is zeroed or written, and any bits are a value of it.
    unsafe {
        assert_eq!(memory.handle.fd, -2);
        assert_eq!(memory.handle.win32.handle.addr() as u32, -2i32 as u32);
        memory.handle.win32 = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 {
            handle: ptr::without_provenance_mut::<c_void>(0x1111),
            name: ptr::without_provenance(0x2222),
        };
        assert_eq!(memory.handle.nvSciBufObject.addr(), 0x1111);
        assert_eq!(memory.handle.win32.name.addr(), 0x2222);
    }
    assert_eq!(memory.size, 0);

    let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
    wait.params.fence.value = u64::MAX;
    wait.params.keyedMutex.key = 7;
    wait.params.keyedMutex.timeoutMs = 8;
    // SAFETY: as above.
    unsafe {
        wait.params.nvSciSync.fence = ptr::without_provenance_mut(0x3333);
        assert_eq!(wait.params.nvSciSync.reserved, 0x3333);
    }
    assert_eq!(wait.params.fence.value, u64::MAX);
    assert_eq!((wait.params.keyedMutex.key, wait.params.keyedMutex.timeoutMs), (7, 8));
}
