//! The generated text. The macros in src/macros/ make Rust items of it.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(missing_docs)] // documented where the topic modules export them
#![allow(clippy::missing_safety_doc, clippy::upper_case_acronyms)]

mod location;
pub use location::CUmemLocation;

use core::ffi::*;

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

flags! {
    CUctx_flags,
    CUevent_flags,
    CUevent_wait_flags,
    CUgraphicsRegisterFlags,
    CUipcMem_flags,
    CUmemAllocationHandleType,
    CUstream_flags,
}
