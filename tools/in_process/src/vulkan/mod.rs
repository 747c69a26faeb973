//! A Vulkan layer's chassis. A layer implements [`Layer`], and exports [`negotiate`] as
//! vkNegotiateLoaderLayerInterfaceVersion.
//!
//! ```text
//! chain, functions   chains of structures and arrays; functions by their names and types
//! registry           the instances and devices that are alive
//! layer              what the loader asks for
//! ```

mod chain;
mod functions;
mod layer;
mod registry;

pub use chain::{entries, in_chain, in_out_chain};
pub use functions::{Function, erased, first_of, typed};
pub use layer::{Interface, Layer, NextDevice, NextInstance, OfDevice, OfInstance, Request, negotiate};
pub use registry::Registry;
