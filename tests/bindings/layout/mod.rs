//! Compares bindings with a C header. Shared by the tests that compare, the test that breaks the bindings on purpose, and the
//! mock driver.

#![allow(dead_code)] // each test program uses its part

#[path = "../../../build/allowlist.rs"]
pub mod allowlist;
pub mod comparison;
pub mod compilers;
pub mod facts;
pub mod header;
#[path = "../../../build/generate/model/mod.rs"]
pub mod model;
pub mod releases;
