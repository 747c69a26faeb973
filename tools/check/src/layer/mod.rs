//! The layer. It exports functions in place of the driver's, is also a Vulkan layer, and checks what the program does.
//! A directory in the following list uses only those in its own row and in the rows above:
//!
//! - `host_process`: the process that the layer runs in
//! - `state_tracker`: the program's CUDA objects, graphs and streams, and the events that the layer records after work
//! - `error_messages`: findings, how they are sent to `cuda-external-check`, and which of the driver's codes are sticky
//! - `vulkan/state_tracker`, with `vulkan/utils` and `vulkan/sync`: the program's Vulkan objects, and the order of work
//! - `chassis`: what all wrapped calls share, such as the locked state and the reports of second closes
//! - `object_tracker`: checks of handles, structs and imported descriptors
//! - `vulkan/core_checks`: checks of an import against its export, and of the order of CUDA's and Vulkan's work
//! - `sync`, and `core_checks`, which uses `sync`: the work in streams, and checks of CUDA's calls
//! - `wrapped`, and `vulkan/wrapped` with `vulkan/chassis`: the layer's versions of the driver's and Vulkan's functions
//!
//! The state and the table of closed descriptors have one lock each. A thread that holds one of the two locks has its
//! signals blocked and runs no code of the driver, Vulkan or the program: the compiler checks this (`HookScope`). Such
//! a thread waits for nothing, opens no file but /proc/self/status, and does not take the other lock. The tables of
//! Vulkan's instances and devices have separate locks, which a thread releases before it takes one of the first two.
//!
//! # From a program's mistake to a finding
//!
//! 1. `cuda-external-check ./program` writes the layer, as `libcuda.so.1`, and a link to the real driver into a
//!    directory that it puts first on `LD_LIBRARY_PATH` (src/command). A preloaded library reports calls of `close` and
//!    `_exit` to the layer. build.rs compiles both libraries, and `cuda-external-check` contains their bytes.
//! 2. Around the driver's call, a wrapped function applies the rules and records the call's objects (`state_tracker`).
//! 3. A finding and its call stacks go to `cuda-external-check` through a file that it and the checked program map
//!    (shared_file.rs, finding_encoding.rs, call_stack.rs). `cuda-external-check` looks up names and lines, and prints
//!    the finding. The mapped file also lists the objects that are alive at the end of a process.

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
