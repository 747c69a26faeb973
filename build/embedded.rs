//! The bindings that come with the crate: one text for every target.

/// The release that they were generated from: the newest.
pub const VERSION: (u32, u32) = (13, 5);

pub fn text() -> &'static str {
    include_str!("../src/bindings/embedded.rs")
}
