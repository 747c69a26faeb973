//! All groups of cases, in the order of the documents.

// SAFETY, of every call in a case for which nothing else is said: pointers are to variables of the types that the
// function reads and writes, and what a handle stands for lives, unless an invalid one is what is measured, in a
// process that does nothing else.

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
