//! The layer: the functions that it exports in the driver's place, and what it knows of the program. A file uses its
//! own directory and the directories above it in this list:
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
//! (`cuda_external_in_process::HookScope`): a thread that holds one of them blocks signals and cancellation. It runs
//! no code of others, opens, reads and writes no file, and waits for nothing. No thread holds both. The tables of
//! Vulkan's functions have a separate lock, which is taken outside of calls.
//!
//! # From a program's mistake to a finding
//!
//! 1. `cuda-external-check ./program` writes the layer, a `libcuda.so.1`, into a directory that it puts first on
//!    `LD_LIBRARY_PATH`, with a link to the real driver (command). A preloaded library reports the calls of `close` and
//!    `_exit` to the layer. build.rs compiles both libraries, and the program contains their bytes.
//! 2. A wrapped function records its objects (state_tracker), compares the call with the rules, and calls the driver.
//! 3. A finding goes to the program through a file that both map, with addresses (shared_file.rs, finding_message.rs,
//!    call_stack.rs). The program looks up names and lines, and prints the finding. Objects that are alive at the end
//!    of a process are in the same file.

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

pub fn wrapped_functions() -> Vec<&'static str> {
    wrapped::wrapped_functions().filter_map(|wrapped| wrapped.real.name.to_str().ok()).collect()
}

pub use host_process::fd_info::filters_that_allow_marks;
pub use vulkan::vkNegotiateLoaderLayerInterfaceVersion;
