//! The interpreter. Several threads of the host run the blocks in turns, since a block may wait for a later block.
//! `block_scheduler` chooses the block that runs, `thread_block` chooses the warp, and `warp_execution` runs the warp's
//! threads.

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
mod warp_registers;

pub use kernel_fault::{FaultKind, KernelFault};
pub use kernel_launch::{DeviceMemory, LaunchParams};

use crate::program::operations::Kernel;
use kernel_launch::RunningLaunch;

impl Kernel {
    /// Runs the kernel until it ends or has a fault.
    ///
    /// # Panics
    ///
    /// Panics if the number or the sizes of the arguments are not those of the parameters, if a block has no thread or
    /// more than 1,024, or if the number of blocks does not fit 64 bits.
    pub fn run(&self, launch: &LaunchParams, memory: &dyn DeviceMemory) -> Result<(), KernelFault> {
        let threads = launch.block.iter().fold(1_u64, |product, size| product.saturating_mul((*size).into()));
        assert!((1..=1024).contains(&threads), "a block of {threads} threads");
        let blocks = launch.grid.iter().try_fold(1_u64, |product, size| product.checked_mul((*size).into()));
        let blocks = blocks.expect("a grid of so many blocks");
        let parameters = self.lay_out_arguments(launch.arguments);
        block_scheduler::run_blocks(&RunningLaunch { kernel: self, launch, memory, parameters }, blocks)
    }

    fn lay_out_arguments(&self, arguments: &[&[u8]]) -> Vec<u64> {
        assert_eq!(arguments.len(), self.parameters.len(), "arguments");
        let mut bytes = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&self.parameters) {
            assert_eq!(argument.len(), parameter.size, "the bytes of an argument");
            bytes.resize(bytes.len().next_multiple_of(parameter.alignment), 0);
            bytes.extend_from_slice(argument);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let words = bytes.chunks_exact(8);
        words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect()
    }
}
