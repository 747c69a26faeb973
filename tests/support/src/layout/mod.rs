//! Compares bindings with a C header.

pub mod comparison;
pub mod compilers;
pub mod facts;
pub mod header;
pub mod releases;
