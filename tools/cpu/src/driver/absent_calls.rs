//! Unimplemented functions, which return NOT_SUPPORTED: a program that links to a missing function might not start.

// build.rs writes absent_functions.rs: it declares the functions of NVIDIA's headers that src/driver does not declare.
include!(concat!(env!("OUT_DIR"), "/absent_functions.rs"));

#[cfg(test)]
pub fn is_absent_function(name: &str) -> bool {
    FUNCTIONS[0].binary_search_by_key(&name, |(name, _)| name).is_ok()
}
