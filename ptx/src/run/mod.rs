//! The interpreter. Blocks run on every core, and take turns: one that waits for a later one does not keep it from running.

mod access;
mod atomics;
mod block;
mod calls;
mod fault;
mod format;
mod images;
mod output;
mod step;
mod together;
mod turns;
mod warp;

use std::ops::Range;
use std::sync::Arc;

pub use fault::{Fault, FaultKind};

use crate::image::Image;
use crate::module::Kernel;
use crate::values::WARP;

/// The memory and the images that a kernel may use.
///
/// # Safety
///
/// Each range consists of addresses of this process, exposed, that are valid for reads and writes until the launch
/// ends. The same is true of an image's levels. During the launch, other code accesses them atomically or not at all.
pub unsafe trait Memory: Sync {
    /// Returns the range that an address is in, or `None` for an address that no kernel may use.
    fn range(&self, address: u64) -> Option<Range<u64>>;

    /// Returns the image of a surface object.
    fn surface(&self, _object: u64) -> Option<Arc<Image>> {
        None
    }

    /// Returns the image of a texture object.
    fn texture(&self, _object: u64) -> Option<Arc<Image>> {
        None
    }

    /// Prints what a kernel's `printf` makes.
    fn print(&self, text: &str) {
        print!("{text}");
    }
}

/// How a kernel is run.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The bytes of shared memory, besides those that the kernel declares.
    pub shared_bytes: u32,
    /// The bytes of each argument.
    pub arguments: &'a [&'a [u8]],
    /// How many threads of this process run it: 0 for one on each core.
    pub workers: usize,
}

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

/// A launch that runs.
struct Run<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch<'a>,
    memory: &'a dyn Memory,
    parameters: Vec<u64>,
}

/// The lanes of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

/// Does something for each lane of a mask.
#[inline(always)]
fn each(mask: u32, one: impl FnMut(usize)) {
    if mask == !0 { (0..WARP).for_each(one) } else { lanes(mask).for_each(one) }
}

/// The mask of the lanes for which something is true.
fn mask_of(lanes: impl Iterator<Item = usize>) -> u32 {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}
