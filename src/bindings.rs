//! The bindings: the text of OUT_DIR/bindings.rs, which the build script writes for the macros in src/macros/. One
//! struct is written by hand in this file; an assertion in wrapper.h compares its layout with cuda.h's.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(missing_docs)] // the topic modules document the items
#![allow(clippy::missing_safety_doc, clippy::upper_case_acronyms)]

use core::ffi::*;

#[cfg(any(feature = "load", feature = "link"))]
#[rustfmt::skip]
pub(crate) mod unbound_versions;

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

/// Where memory is, or which device accesses it.
///
/// The struct is written by hand: since CUDA 13.2, C has `id` in an unnamed union, which Rust cannot declare. The
/// struct's size and alignment and both fields' offsets are the same in all releases. Since CUDA 13.4 the union has
/// another member, `localized`: one byte for the device, and then one byte for the locality domain.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// The kind of location. It decides what `id` means.
    pub type_: CUmemLocationType,
    /// For [`CU_MEM_LOCATION_TYPE_DEVICE`](crate::CU_MEM_LOCATION_TYPE_DEVICE), the ordinal of the device. For
    /// [`CU_MEM_LOCATION_TYPE_HOST_NUMA`](crate::CU_MEM_LOCATION_TYPE_HOST_NUMA), the number of the NUMA node.
    pub id: c_int,
}

zeroed_default! { CUmemLocation, }

flags! {
    CUctx_flags,
    CUevent_flags,
    CUevent_wait_flags,
    CUgraphicsRegisterFlags,
    CUipcMem_flags,
    CUmemAllocationHandleType,
    CUstream_flags,
}
