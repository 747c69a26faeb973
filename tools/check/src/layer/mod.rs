//! The layer wraps functions of CUDA's driver and of Vulkan, and checks the program's calls of these functions.
//!
//! Each directory uses only directories in its own row and in the rows above:
//!
//! - `host_process`: the process that the layer runs in
//! - `state_tracker`: the program's CUDA objects, graphs and streams, and the layer's own events
//! - `error_messages`: findings, and the driver's sticky codes
//! - `vulkan/state_tracker`, `vulkan/utils` and `vulkan/sync`: the program's Vulkan objects, and the order of work
//! - `chassis`: what all wrapped calls share, such as the locked state
//! - `object_tracker`: checks of handles, structs and imported descriptors
//! - `vulkan/core_checks`: checks of an import against its export, and of the order of CUDA's and Vulkan's work
//! - `sync` and `core_checks`: the work in streams, and checks of CUDA's calls
//! - `wrapped`, `vulkan/wrapped` and `vulkan/chassis`: the layer's versions of the driver's and Vulkan's functions
//!
//! The state and the table of closed descriptors have one lock each. A thread that holds one of these two locks does
//! not take the other lock, and does not sleep. `HookScope` makes the compiler check two rules for a thread that holds
//! one of these locks: signals are blocked, and the thread runs no code of the driver, Vulkan or the program.
//!
//! A thread releases the locks of Vulkan's instance and device tables before it takes one of these two locks.
//!
//! # From a program's mistake to a finding
//!
//! 1. `cuda-external-check ./program` puts a directory first in `LD_LIBRARY_PATH`. The layer is the file `libcuda.so.1`
//!    in this directory (src/command).
//! 2. A preloaded library tells the layer when the program calls `_exit`, and when the program closes a descriptor that
//!    is watched or not open.
//! 3. A wrapped function calls the driver. Before and after this call, the wrapped function checks rules and records
//!    objects (`state_tracker`).
//! 4. A finding goes to `cuda-external-check` through a file that the program's process and `cuda-external-check` map
//!    (shared_file.rs).
//! 5. `cuda-external-check` looks up the functions and lines of the finding's call stacks, and prints the finding.

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

use crate::rules::Rule;

pub fn wrapped_functions() -> Vec<&'static str> {
    wrapped::wrapped_functions().filter_map(|wrapped| wrapped.real.name.to_str().ok()).collect()
}

/// The rules of each file that has rules.
#[rustfmt::skip] // several in a line
pub const RULE_LISTS: &[&[&Rule]] = &[
    chassis::context_teardown::RULES, chassis::double_close::RULES, object_tracker::array_desc_problems::RULES,
    object_tracker::handle_checks::RULES, object_tracker::import_arguments::RULES,
    vulkan::export_mismatch::RULES, vulkan::hand_over_rules::RULES, vulkan::import_facts::RULES,
    vulkan::semaphore_order::RULES, sync::enqueue::RULES, core_checks::import_checks::RULES,
    core_checks::mapping_checks::RULES, core_checks::semaphore_checks::RULES, core_checks::use_after_end::RULES,
];

pub use host_process::fd_info::filters_that_allow_marks;
pub use vulkan::vkNegotiateLoaderLayerInterfaceVersion;
