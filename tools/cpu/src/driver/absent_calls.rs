//! The functions of the driver's headers that are not implemented: they return NOT_SUPPORTED. A program that is linked
//! with such a function may not start if the library lacks the function.

// The build script compares the rows of `functions!` with the names of the headers.
include!(concat!(env!("OUT_DIR"), "/absent_functions.rs"));

/// Returns whether a function is not implemented.
#[cfg(test)]
pub fn is_absent_function(name: &str) -> bool {
    FUNCTIONS[0].binary_search_by_key(&name, |(name, _)| name).is_ok()
}
