//! What is pure Rust: defaults, unions, codes, and the slot that each function of `load` mode has,
//! with a made-up driver. Nothing here calls C, so Miri runs it: `cargo +nightly miri test --test pure`.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr;

use cuda_external_sys::*;

/// The crate's own macros, word for word; what they ask of `crate::loader` is `slot`'s to answer.
#[cfg(all(feature = "load", not(feature = "link")))]
#[allow(dead_code, unused_macros)]
#[macro_use]
#[path = "../src/macros/functions.rs"]
mod source;
#[cfg(all(feature = "load", not(feature = "link")))]
#[path = "pure/slot.rs"]
mod slot;
#[cfg(all(feature = "load", not(feature = "link")))]
use slot::loader;

macro_rules! defaults {
    ($($name:ident,)*) => {
        /// The list is checked below.
        const WITH_DEFAULT: &[&str] = &[$(stringify!($name)),*];

        #[test]
        fn zeroed_defaults_are_values() {
            // Miri refuses a value that the type does not have. tests/driver/linked.rs sees that they are zeroes.
            $(let _ = $name::default();)*
        }
    };
}

defaults! {
    CUuuid,
    CUDA_MEMSET_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32,
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    CUmemLocation,
    CUmemAllocationProp,
    CUmemAllocationProp_allocFlags,
    CUmemAccessDesc,
}

/// Not in every header.
const NEWER: &[&str] = &[
    "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2",
    "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context",
    "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2",
    "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context",
];

#[test]
#[cfg_attr(miri, ignore = "only reads a text, and Miri takes minutes for it")]
fn the_list_of_defaults_is_complete() {
    let text = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"));
    let names: HashSet<&str> = text
        .split("\npub ")
        .filter(|item| !item.contains("_unused: [u8; 0]"))
        .filter_map(|item| item.strip_prefix("struct ").or(item.strip_prefix("union ")))
        .filter_map(|item| item.split_once(" {").map(|(name, _)| name))
        .filter(|name| !name.contains('('))
        .collect();
    assert!(!names.is_empty());
    for name in names {
        assert!(WITH_DEFAULT.contains(&name) || NEWER.contains(&name), "{name} is not in the list");
    }
}

#[test]
fn arms_of_unions_share_their_place() {
    let mut memory = CUDA_EXTERNAL_MEMORY_HANDLE_DESC::default();
    memory.handle.fd = -2;
    // SAFETY: every arm is zeroed or written, and any bits are a value of it.
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

#[test]
fn an_unknown_code_prints_as_its_number() {
    assert_eq!(format!("{:?}", CUresult(9140)), "CUresult(9140)");
}
