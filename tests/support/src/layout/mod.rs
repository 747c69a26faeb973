//! Compares bindings with a C header. The tests that compare, the test that breaks the bindings on purpose, and the
//! mock driver use this module.

pub mod comparison;
pub mod compilers;
pub mod facts;
pub mod header;
pub mod releases;
