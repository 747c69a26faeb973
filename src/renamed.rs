//! Names that cuda.h makes macros of, and what they stand for in the library.

#[cfg(feature = "load")]
use core::ffi::CStr;

use crate::bindings;

#[rustfmt::skip]
mod unbound;

/// Returns the name under which the library exports the function that C programs call by this name.
#[cfg(feature = "load")]
pub fn in_library(name: &CStr) -> &CStr {
    let mut renamed = bindings::RENAMED.iter().chain(unbound::RENAMED);
    let found = renamed.find(|(plain, _)| plain.as_bytes() == name.to_bytes());
    let versioned = found.and_then(|(_, versioned)| CStr::from_bytes_with_nul(versioned.as_bytes()).ok());
    versioned.unwrap_or(name)
}

/// Returns what cuda.h makes of this name by a macro, with a zero at its end.
pub const fn versioned(name: &[u8]) -> Option<&'static str> {
    match find(bindings::RENAMED, name) {
        None => find(unbound::RENAMED, name),
        found => found,
    }
}

const fn find(table: &[(&str, &'static str)], name: &[u8]) -> Option<&'static str> {
    let mut row = 0;
    while row < table.len() {
        let plain = table[row].0.as_bytes();
        let mut same = 0;
        while same < name.len() && plain.len() == name.len() && plain[same] == name[same] {
            same += 1;
        }
        if plain.len() == name.len() && same == name.len() {
            return Some(table[row].1);
        }
        row += 1;
    }
    None
}
