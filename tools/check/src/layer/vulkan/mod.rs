//! The other side: a Vulkan layer in the same library, so that one state has Vulkan's exports and CUDA's imports. A
//! file uses its own directory and the directories above it in this list:
//!
//! - `utils`: handles, stages and formats
//! - `sync`: the order of work, and the accesses in that order
//! - `state_tracker`: what the program made by Vulkan, and what its command buffers do
//! - `core_checks`: rules about both sides
//! - `chassis`, `wrapped`: how functions precede the next layer's, and these functions
//! - `loader_interface`: what Vulkan's loader asks for

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
