//! Every other name of the driver's headers: the loader of a program needs all of them.

mod absent;
mod list;

#[cfg(feature = "kernels")]
pub use absent::say;
pub use list::FUNCTIONS;

/// Whether a function is one of these.
pub fn has(name: &str) -> bool {
    FUNCTIONS.binary_search_by_key(&name, |(name, _)| name).is_ok()
}
