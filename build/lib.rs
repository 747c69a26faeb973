//! The decisions of the build script, as a library for tests and for the generator: what is bound, the search for a
//! cuda.h, and the changes to bindgen's code. build.rs includes the same files; the package build-script
//! (tests/build-script) includes this file.

pub mod allowlist;
pub mod embedded_bindings;
pub mod policy;
#[cfg(feature = "bindgen")]
pub mod run_bindgen;
pub mod surface;
pub mod toolkit;

pub use surface::{layout, model};
