//! All groups of cases, in the order of the documents.

// SAFETY of each call in a case, unless the case says otherwise: the pointers lead to variables of the types that the
// function reads and writes, and the objects of the handles are alive. A case that measures an invalid pointer or
// handle runs in a process of its own.

mod attributes;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::{all, shared};

/// The groups that share no file descriptors.
#[cfg(not(target_os = "linux"))]
pub fn all() -> Vec<crate::case::Group> {
    vec![attributes::group()]
}
