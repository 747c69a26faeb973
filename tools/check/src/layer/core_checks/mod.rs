//! The checks of CUDA's calls, one file for each kind of call.

pub mod graph_node_checks;
pub mod import_checks;
pub mod kernel_arguments;
pub mod mapping_checks;
pub mod semaphore_checks;
pub mod use_after_end;
