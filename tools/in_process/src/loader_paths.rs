//! Settings of the dynamic loader for the programs that are started.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// A variable with a list, with another entry before the others.
pub fn prepend_path(variable: &str, first: &OsStr) -> OsString {
    let mut list = first.to_owned();
    if let Some(rest) = env::var_os(variable).filter(|rest| !rest.is_empty()) {
        list.push(":");
        list.push(rest);
    }
    list
}

/// Refuses a path that a loader would take for several names, or for one with a variable.
pub fn check_loader_path(path: &Path) -> io::Result<()> {
    let separator = path.as_os_str().as_encoded_bytes().iter().find(|byte| b" :;,$\n".contains(byte));
    separator.map_or(Ok(()), |byte| {
        Err(io::Error::other(format!("its path has the character {:?}", *byte as char)))
    })
}
