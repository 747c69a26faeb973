//! The layer: functions that it exports in place of the driver's, and what it records about the program. A directory in
//! the following list uses only those above it in the list:
//!
//! - `host_process`: the process that the layer runs in
//! - `state_tracker`: the objects, graphs and streams that the program created with CUDA
//! - `error_messages`: findings, and how they are sent to `cuda-external-check`
//! - `vulkan/state_tracker`, with `vulkan/utils` and `vulkan/sync`: the objects that the program created with Vulkan
//! - `chassis`: what all wrapped calls share, and the locked state
//! - `object_tracker`: checks of handles and structs
//! - `vulkan/core_checks`: comparisons of an import with its export, and hand-overs between CUDA and Vulkan
//! - `sync`, and `core_checks`, which uses `sync`: checks of CUDA's calls
//! - `wrapped`, and `vulkan/wrapped` with `vulkan/chassis`: the layer's versions of the driver's and Vulkan's functions
//!
//! One lock protects the state, and one the table of closed descriptors. A thread that holds either has its signals
//! blocked and runs no code of the driver, Vulkan or the program: the compiler checks this (`HookScope`). Such a thread
//! waits for nothing, opens no file but /proc/self/status, and does not take the other lock. The tables of Vulkan's
//! instances and devices have separate locks, which are released before one of these two is taken.
//!
//! # From a program's mistake to a finding
//!
//! 1. `cuda-external-check ./program` writes the layer, a `libcuda.so.1`, into a directory that it puts first on
//!    `LD_LIBRARY_PATH`, with a link to the real driver (src/command). A preloaded library reports calls of `close` and
//!    `_exit` to the layer. build.rs compiles both libraries, and `cuda-external-check` contains their bytes.
//! 2. A wrapped function records a call's objects (`state_tracker`), applies the rules, and calls the driver.
//! 3. A finding goes to `cuda-external-check` through a file that both processes map, with its call stacks
//!    (shared_file.rs, finding_encoding.rs, call_stack.rs). `cuda-external-check` looks up names and lines, and prints
//!    the finding. The same file lists the objects that are alive at the end of a process.

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
