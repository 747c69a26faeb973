//! The parameters of a launch.

use super::device_memory::DeviceMemory;
use crate::program::operations::Kernel;

/// How a kernel is run.
#[derive(Clone, Copy, Debug)]
pub struct LaunchParams<'a> {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The bytes of shared memory, besides those that the kernel declares.
    pub shared_bytes: u32,
    /// The bytes of each argument.
    pub arguments: &'a [&'a [u8]],
    /// How many threads of this process run it: 0 for one on each core.
    pub workers: usize,
}

pub struct RunningLaunch<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a LaunchParams<'a>,
    pub memory: &'a dyn DeviceMemory,
    pub parameters: Vec<u64>,
}
