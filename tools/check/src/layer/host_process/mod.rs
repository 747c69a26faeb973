//! The process that the layer runs in: the options of the check, the driver, call stacks, file descriptors.

pub mod current_process;
pub mod driver_functions;
pub mod fd_info;
