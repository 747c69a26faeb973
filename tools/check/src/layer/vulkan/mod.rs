//! The Vulkan layer. It is in the library that also replaces the driver's functions, so that one state has the exports
//! and the imports of both APIs. A module in the following list uses only those above it in the list:
//!
//! - `utils`: handles, stages and formats
//! - `sync`: the order of work, and the accesses in that order
//! - `state_tracker`: the objects that the program created with Vulkan, and the accesses of its command buffers
//! - `core_checks`: rules about both CUDA and Vulkan
//! - `chassis`: the macro that defines the layer's functions, and the live devices with the next layer's functions
//! - `wrapped`: the layer's functions
//! - `loader_interface`: the functions by which Vulkan's loader finds the layer's functions

mod chassis;
mod core_checks;
mod loader_interface;
mod state_tracker;
mod sync;
mod utils;
mod wrapped;

pub use core_checks::{export_mismatch, import_facts};
pub use loader_interface::vkNegotiateLoaderLayerInterfaceVersion;
pub use state_tracker::vulkan_state;
