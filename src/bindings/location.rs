//! The one struct that is written by hand; wrapper.h asserts its layout against the header.

use core::ffi::c_int;

use super::CUmemLocationType;
#[cfg(doc)]
use crate::*; // for the links

/// Where memory is, or which device accesses it.
///
/// Hand-written: from CUDA 13.0 on `id` is a member of an unnamed union, for which there is no Rust spelling that suits
/// every release. Size, alignment and the place of both fields are the same in all of them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// What kind of place this is, and so what `id` counts.
    pub type_: CUmemLocationType,
    /// The device's ordinal, for [`CU_MEM_LOCATION_TYPE_DEVICE`].
    pub id: c_int,
}

impl Default for CUmemLocation {
    fn default() -> Self {
        Self { type_: CUmemLocationType(0), id: 0 }
    }
}
