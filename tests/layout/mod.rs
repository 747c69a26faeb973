//! Compares bindings with a C header: what they declare, what both compilers make of it, and the
//! verdict. Shared by the tests that compare and the test that breaks the bindings on purpose.

#![allow(dead_code)] // each test program uses its part

#[path = "../../build/allowlist.rs"]
pub mod allowlist;
pub mod compilers;
pub mod facts;
pub mod header;
pub mod inventory;
pub mod judge;
#[path = "../../build/generate/model.rs"]
pub mod model;
pub mod releases;
