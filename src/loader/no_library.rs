//! Replaces library.rs on targets where no library is opened: targets without a driver of NVIDIA's; 32-bit targets,
//! whose structs differ from these bindings; and programs with a static glibc.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;
use std::ffi::OsStr;
use std::string::String;

/// Without names, `load` and `load_from` return `UnsupportedTarget` and call nothing here.
pub const NAMES: &[&str] = &[];

/// A library that was opened, of which there is none on these targets.
#[derive(Debug)]
pub enum DriverLibrary {}

impl DriverLibrary {
    pub fn open(_: &OsStr) -> Result<Self, String> {
        Err(String::from("nothing is opened on this target"))
    }

    pub fn symbol(&self, _: &CStr) -> Option<NonNull<c_void>> {
        match *self {}
    }
}
