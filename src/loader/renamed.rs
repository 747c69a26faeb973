//! Names that cuda.h makes macros of, and what they stand for in the library.

use core::ffi::CStr;

use crate::bindings;

#[rustfmt::skip]
mod unbound;

/// Returns the name under which the library exports the function that C programs call by this name.
pub fn in_library(name: &CStr) -> &CStr {
    let mut renamed = bindings::RENAMED.iter().chain(unbound::RENAMED);
    let found = renamed.find(|(plain, _)| plain.as_bytes() == name.to_bytes());
    let versioned = found.and_then(|(_, versioned)| CStr::from_bytes_with_nul(versioned.as_bytes()).ok());
    versioned.unwrap_or(name)
}
