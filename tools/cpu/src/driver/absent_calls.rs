//! Unimplemented functions, which return NOT_SUPPORTED: a program that links to a missing function might not start.

// build.rs writes absent_functions.rs: it declares the functions of NVIDIA's headers that src/driver does not declare.
include!(concat!(env!("OUT_DIR"), "/absent_functions.rs"));
