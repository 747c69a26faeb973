//! The interpreter. One or more threads of the host run the blocks. The blocks take turns, since a block may wait for a
//! later block. `block_scheduler` chooses the block that runs, `thread_block` chooses the block's warp that runs, and
//! `warp_execution` runs the warp's threads.

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
