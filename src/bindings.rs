//! The generated bindings, of which the macros in src/macros/ make Rust items. One struct is written by hand; wrapper.h
//! asserts its layout against the header.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(missing_docs)] // documented where the topic modules export them
#![allow(clippy::missing_safety_doc, clippy::upper_case_acronyms)]

use core::ffi::*;

#[cfg(any(feature = "load", feature = "link"))]
#[rustfmt::skip]
pub(crate) mod unbound_versions;

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

/// Where memory is, or which device accesses it.
///
/// Hand-written: from CUDA 13.2 on C has `id` in an unnamed union, which Rust cannot declare. Size, alignment and both
/// offsets are the same in all releases. The union's other member (`localized`, since CUDA 13.4) has two bytes at the
/// offset of `id`: the device in the lowest byte, then the locality domain.
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
