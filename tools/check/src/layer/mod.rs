//! The layer: the functions that it exports in the driver's place, and what it knows of the program. A file uses its own
//! directory and the directories above it in this list:
//!
//! - `host_process`: the process that the layer runs in
//! - `error_messages`: findings
//! - `state_tracker`: what the program made by CUDA
//! - `vulkan`, the data: what the program made by Vulkan
//! - `chassis`: what a call goes through, and the lock
//! - `object_tracker`: handles and structs
//! - `vulkan`, the rules: both sides of an import and of a hand-over
//! - `sync`, `core_checks`: CUDA's rules
//! - `vulkan`, the functions; `wrapped`: the driver's functions
//!
//! The library has two locks, for the state and for the closed numbers. The compiler checks their rules
//! (`cuda_external_in_process::Section`): a thread that holds one of them is quiet and runs no code of others. Such a
//! thread also opens, reads and writes no file, and waits for nothing. No thread holds both. The tables of Vulkan's
//! functions have a lock of their own, which is taken outside of calls.

mod chassis;
mod core_checks;
mod error_messages;
mod host_process;
mod load_fork_exit;
mod object_tracker;
mod state_tracker;
mod sync;
mod vulkan;
mod wrapped;

/// The names of the driver's functions that the layer wraps.
pub fn functions() -> Vec<&'static str> {
    wrapped::wrapped_functions().filter_map(|wrapped| wrapped.real.name.to_str().ok()).collect()
}

pub use vulkan::{functions as vulkan_functions, vkNegotiateLoaderLayerInterfaceVersion};
