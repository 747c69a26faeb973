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
    /// The largest number of this process's threads that run the kernel. 0 means one thread for each core.
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
/// provenance. The memory must be valid for reads and, unless `is_read_only` returns true, for writes. Other code must
/// access the memory only atomically.
pub unsafe trait DeviceMemory: Sync {
    /// Returns the range of memory that contains an address, or `None` if kernels may not access the address.
    fn accessible_range(&self, address: u64) -> Option<Range<u64>>;

    /// Returns whether kernels may only read the range that contains an address. The default is false.
    fn is_read_only(&self, _address: u64) -> bool {
        false
    }

    fn find_surface_image(&self, _object: u64) -> Option<Arc<Image>> {
        None
    }

    fn find_texture_image(&self, _object: u64) -> Option<Arc<Image>> {
        None
    }

    /// Prints the output of a kernel's `printf`. By default, writes to stdout and ignores errors.
    fn print_output(&self, bytes: &[u8]) {
        let mut stdout = std::io::stdout();
        _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
}
