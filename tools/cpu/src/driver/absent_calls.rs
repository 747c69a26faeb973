//! Unimplemented functions, which return NOT_SUPPORTED: a program that links to a missing function might not start.

// build.rs writes this file. It declares the functions of the headers that no `functions!` in src/driver declares.
include!(concat!(env!("OUT_DIR"), "/absent_functions.rs"));

#[cfg(test)]
pub fn is_absent_function(name: &str) -> bool {
    FUNCTIONS[0].binary_search_by_key(&name, |(name, _)| name).is_ok()
}
