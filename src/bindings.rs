//! Includes the bindings. The build script writes them, and they call the macros in src/macros/. src/bindings.rs itself
//! adds the operator `|` to some enums, and declares `CUmemLocation`. An assertion in wrapper.h checks that cuda.h's
//! `CUmemLocation` has the same layout.

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
/// struct's size, its alignment and the offsets of both fields are the same in all releases.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// The kind of location. It decides what `id` means.
    pub type_: CUmemLocationType,
    /// For [`CU_MEM_LOCATION_TYPE_DEVICE`](crate::CU_MEM_LOCATION_TYPE_DEVICE), `id` is the ordinal of the device. For
    /// [`CU_MEM_LOCATION_TYPE_HOST_NUMA`](crate::CU_MEM_LOCATION_TYPE_HOST_NUMA), `id` is the number of the NUMA node.
    /// For `CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN` (since CUDA 13.4), the lowest byte of `id` is the device, and
    /// the next byte is the locality domain, as in `localized` of C's union. cuda.h describes the other types.
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
