//! A Vulkan layer's chassis.
//!
//! ```text
//! chain     chains of structures, and arrays
//! ```

mod chain;

pub use chain::{entries, find_in_chain, in_chain, in_out_chain};
