//! Replaces library.rs where no library is opened: on targets without a driver of NVIDIA's, on 32-bit targets (where
//! structs have other layouts than in these bindings), and in programs with a static glibc.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;
use std::ffi::OsStr;
use std::string::String;

/// The names that `load` tries: none. So `load_from` always returns `UnsupportedTarget`, and `load` returns this error
/// unless `load_with` has loaded a driver.
pub const NAMES: &[&str] = &[];

/// An open library. The type has no values, since no library is ever opened.
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
