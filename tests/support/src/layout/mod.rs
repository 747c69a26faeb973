//! Compares bindings with a C header. Shared by the tests that compare, the test that breaks the bindings on purpose,
//! and the mock driver.

pub mod comparison;
pub mod compilers;
pub mod facts;
pub mod header;
pub mod releases;
