//! The one struct that is written by hand; wrapper.h asserts its layout against the header.

use core::ffi::c_int;

use super::CUmemLocationType;
#[cfg(doc)]
use crate::*; // for the links

/// A place of memory, or a device that accesses it.
///
/// Hand-written: from CUDA 13.2 on `id` is in an unnamed union, for which no Rust spelling suits every release. Size,
/// alignment and both offsets are the same in all releases. The union's other member (`localized`, since CUDA 13.4) has
/// two bytes at the offset of `id`: the device in the lowest byte, then the locality domain.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// The kind of the place. It decides what `id` means.
    pub type_: CUmemLocationType,
    /// For [`CU_MEM_LOCATION_TYPE_DEVICE`] the ordinal of the device.
    pub id: c_int,
}

zeroed_default! { CUmemLocation, }
