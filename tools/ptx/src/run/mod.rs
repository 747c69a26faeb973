//! The interpreter: runs a kernel's blocks in one or more threads of the host.

mod atomic_operations;
mod block_scheduler;
mod call_stack;
mod image_access;
mod kernel_fault;
mod kernel_launch;
mod memory_access;
mod printf_and_assert;
mod printf_format;
mod thread_block;
mod warp_collectives;
mod warp_execution;

pub use kernel_fault::{FaultKind, KernelFault};
pub use kernel_launch::{DeviceMemory, LaunchParams};
