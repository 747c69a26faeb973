//! A launch of a kernel, and the memory that the kernel may use.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use crate::program::image_sampling::Image;
use crate::program::operations::Kernel;

#[derive(Clone, Copy, Debug)]
pub struct LaunchParams<'a> {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The bytes of shared memory that the launch adds to those that the kernel declares.
    pub shared_bytes: u32,
    pub arguments: &'a [&'a [u8]],
    /// How many threads of this process run the kernel at most; 0 for one on each core.
    pub workers: usize,
}

pub struct RunningLaunch<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a LaunchParams<'a>,
    pub memory: &'a dyn DeviceMemory,
    pub parameters: Vec<u64>,
}

/// The memory and the images that a kernel may use.
///
/// # Safety
///
/// During a launch, each returned range and each level of a returned image must be memory of this process, with exposed
/// provenance. The memory must be valid for reads and, unless read-only, for writes. Other code must access the memory
/// only atomically.
pub unsafe trait DeviceMemory: Sync {
    /// Returns the range that an address is in, or `None` for an address that no kernel may use.
    fn accessible_range(&self, address: u64) -> Option<Range<u64>>;

    /// Returns whether the range that contains an address is read-only.
    fn is_read_only(&self, _address: u64) -> bool {
        false
    }

    fn find_surface_image(&self, _object: u64) -> Option<Arc<Image>> {
        None
    }

    fn find_texture_image(&self, _object: u64) -> Option<Arc<Image>> {
        None
    }

    /// Prints the output of a kernel's `printf`, by default to stdout. Output that cannot be written is dropped.
    fn print_output(&self, bytes: &[u8]) {
        let mut stdout = std::io::stdout();
        _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
}
