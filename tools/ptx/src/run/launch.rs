//! What a launch is given.

use std::ops::Range;
use std::sync::Arc;

use crate::image::Image;
use crate::program::Kernel;

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

/// A launch that runs.
pub struct Run<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a Launch<'a>,
    pub memory: &'a dyn Memory,
    pub parameters: Vec<u64>,
}
