//! Replaces library.rs where nothing is opened: targets that NVIDIA makes no driver for; 32-bit targets, whose calls
//! and structs differ from the ones in these bindings; and programs with a static glibc.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;
use std::ffi::OsStr;
use std::string::String;

/// Nothing is tried.
pub const NAMES: &[&str] = &[];

/// There is none.
#[derive(Debug)]
pub enum Library {}

impl Library {
    pub fn open(_: &OsStr) -> Result<Self, String> {
        Err(String::from("nothing is opened on this target"))
    }

    pub fn symbol(&self, _: &CStr) -> Option<NonNull<c_void>> {
        match *self {}
    }
}
