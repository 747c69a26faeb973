//! The interpreter. Blocks run on every core, and take turns: one that waits for a later one does not keep it from running.
//! A file sees the floors below its own alone:
//!
//! ```text
//! turns                                  which block runs next
//! output step                            `printf`; one operation of a warp
//! access calls images together           memory, calls, images; what the threads of a warp do with one another
//! block                                  warps, shared memory, barriers
//! atomics fault format launch warp       what a launch is given; the registers of 32 threads
//! ```

mod access;
mod atomics;
mod block;
mod calls;
mod fault;
mod format;
mod images;
mod launch;
mod output;
mod step;
mod together;
mod turns;
mod warp;

pub use fault::{Fault, FaultKind};
pub use launch::{Launch, Memory};

use crate::program::Kernel;
use launch::Run;

impl Kernel {
    /// Runs the kernel to its end.
    ///
    /// # Panics
    ///
    /// Panics if the arguments do not have the sizes of the parameters, or if a block has no thread or more than 1,024.
    pub fn run(&self, launch: &Launch, memory: &dyn Memory) -> Result<(), Fault> {
        let threads = launch.block.iter().fold(1_u64, |product, size| product.saturating_mul((*size).into()));
        assert!((1..=1024).contains(&threads), "a block of {threads} threads");
        let blocks = launch.grid.iter().try_fold(1_u64, |product, size| product.checked_mul((*size).into()));
        let blocks = blocks.expect("a grid of so many blocks");
        turns::run(&Run { kernel: self, launch, memory, parameters: self.lay_out(launch.arguments) }, blocks)
    }

    /// The parameters as PTX lays them out, in words.
    fn lay_out(&self, arguments: &[&[u8]]) -> Vec<u64> {
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
