//! The Vulkan layer. It is in the same library as the wrapped driver, so that one state has the exports and the imports
//! of both APIs. A file uses its directory and the directories above that directory in this list:
//!
//! - `utils`: handles, stages and formats
//! - `sync`: the order of work, and the accesses in that order
//! - `state_tracker`: the objects that the program made by Vulkan, and the accesses of its command buffers
//! - `core_checks`: rules about both sides
//! - `chassis`, `wrapped`: how functions precede the next layer's, and these functions
//! - `loader_interface`: the functions by which Vulkan's loader finds the layer's

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
