//! Looks up the symbol by which a macro of cuda.h replaces a function's name (`cuMemAlloc_v2` for `cuMemAlloc`).

#[cfg(feature = "load")]
use core::ffi::CStr;

use crate::bindings::{self, unbound_versions};

/// Returns the symbol of the function that C programs call by this name.
#[cfg(feature = "load")]
pub fn symbol_of_c_name(name: &CStr) -> &CStr {
    let versioned = versioned_symbol(name.to_bytes());
    versioned.and_then(|symbol| CStr::from_bytes_with_nul(symbol.as_bytes()).ok()).unwrap_or(name)
}

/// Returns the NUL-terminated symbol by which a macro of cuda.h replaces this name, or `None` if no macro replaces it.
pub const fn versioned_symbol(name: &[u8]) -> Option<&'static str> {
    match find_row(bindings::VERSIONED_SYMBOLS, name) {
        None => find_row(unbound_versions::VERSIONED_SYMBOLS, name),
        found => found,
    }
}

const fn find_row(table: &[(&str, &'static str)], name: &[u8]) -> Option<&'static str> {
    let mut row = 0;
    while row < table.len() {
        let plain = table[row].0.as_bytes();
        let mut same = 0;
        while same < name.len() && same < plain.len() && plain[same] == name[same] {
            same += 1;
        }
        if same == name.len() && same == plain.len() {
            return Some(table[row].1);
        }
        row += 1;
    }
    None
}
