//! What the program gets in its environment.

use std::env;
use std::ffi::{OsStr, OsString};

/// A variable with a list, with another entry before the others.
pub fn before(variable: &str, first: &OsStr) -> OsString {
    let mut list = first.to_owned();
    if let Some(rest) = env::var_os(variable).filter(|rest| !rest.is_empty()) {
        list.push(":");
        list.push(rest);
    }
    list
}
