//! The modules of the build script that decide, as a library: what is bound, the search for a cuda.h, and what becomes of
//! bindgen's code. build.rs names the same files.

#[path = "../../../build/allowlist.rs"]
pub mod allowlist;
#[path = "../../../build/embedded.rs"]
pub mod embedded;
#[path = "../../../build/policy.rs"]
pub mod policy;
#[cfg(feature = "bindgen")]
#[path = "../../../build/run_bindgen.rs"]
pub mod run_bindgen;
#[path = "../../../build/surface/mod.rs"]
pub mod surface;
#[path = "../../../build/toolkit/mod.rs"]
pub mod toolkit;

pub use surface::{layout, model};
