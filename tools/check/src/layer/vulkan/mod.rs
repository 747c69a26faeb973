//! The Vulkan layer. It is in the same library as the wrapped CUDA functions, so that `ProcessState` has both APIs'
//! exports and imports.
//!
//! Each module uses only modules that precede it in the list:
//!
//! - `utils`: handles, stages and formats
//! - `sync`: the order of work, and the accesses in that order
//! - `state_tracker`: the objects that both APIs may share, and the accesses of command buffers
//! - `core_checks`: rules about both CUDA and Vulkan
//! - `chassis`: the macro that defines the layer's functions, and the live devices
//! - `wrapped`: the layer's functions
//! - `loader_interface`: the functions by which Vulkan's loader finds the layer's functions

mod chassis;
mod core_checks;
mod loader_interface;
mod state_tracker;
mod sync;
mod utils;
mod wrapped;

pub use core_checks::{export_mismatch, hand_over_rules, import_facts, semaphore_order};
pub use loader_interface::vkNegotiateLoaderLayerInterfaceVersion;
pub use state_tracker::vulkan_state;
