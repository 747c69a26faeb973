//! CUDA's devices and the same ones in Vulkan, for the cases.

use std::sync::OnceLock;

use example_support::cuda::Cuda;
use example_support::vulkan::Vulkan;
use example_support::{Error, Result};

type Opened<T> = OnceLock<std::result::Result<T, String>>;

fn opened<T>(once: &'static Opened<T>, open: impl FnOnce() -> Result<T>) -> Result<&'static T> {
    let opened = once.get_or_init(|| open().map_err(|error| error.to_string()));
    opened.as_ref().map_err(|error| Error::Missing(error.clone()))
}

/// A device, with its context current in this thread.
pub fn cuda(ordinal: usize) -> Result<&'static Cuda> {
    static CUDA: [Opened<Cuda>; 2] = [const { OnceLock::new() }; 2];
    let cuda = opened(&CUDA[ordinal], || Cuda::open(ordinal as i32))?;
    cuda.make_current()?;
    Ok(cuda)
}

/// The same device in Vulkan. CUDA's context becomes current too.
pub fn vulkan(ordinal: usize) -> Result<&'static Vulkan> {
    static VULKAN: [Opened<Vulkan>; 2] = [const { OnceLock::new() }; 2];
    let cuda = cuda(ordinal)?;
    opened(&VULKAN[ordinal], || Vulkan::open(&cuda.uuid))
}
