use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// Returns the list of paths in an environment variable, with `first` before them.
pub fn prepend_path(variable: &str, first: &OsStr) -> OsString {
    let mut list = first.to_owned();
    if let Some(rest) = env::var_os(variable).filter(|rest| !rest.is_empty()) {
        list.push(":");
        list.push(rest);
    }
    list
}

/// Returns an error for a path with a character that a loader takes for a separator or for the start of a variable.
pub fn refuse_path_separators(path: &Path) -> io::Result<()> {
    let separator = path.as_os_str().as_encoded_bytes().iter().find(|byte| b" :;,$\n".contains(byte));
    separator.map_or(Ok(()), |byte| {
        Err(io::Error::other(format!("its path has the character {:?}", *byte as char)))
    })
}
