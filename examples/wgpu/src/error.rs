//! Why the example cannot go on.

use std::fmt;
use std::panic::Location;

use ash::vk;
use cuda_external_sys::CUresult;

pub enum Error {
    /// The machine lacks something: the example says so and ends with 0.
    Missing(String),
    /// A call failed, or a byte was wrong.
    Failed(String),
}

pub type Result<T> = std::result::Result<T, Error>;

// A code does not say which call returned it. The place where `?` stands does.
impl From<CUresult> for Error {
    #[track_caller]
    fn from(code: CUresult) -> Self {
        Self::Failed(format!("CUDA returned {code} at {}", Location::caller()))
    }
}

impl From<vk::Result> for Error {
    #[track_caller]
    fn from(code: vk::Result) -> Self {
        Self::Failed(format!("Vulkan returned {code:?} at {}", Location::caller()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(text) | Self::Failed(text) => f.write_str(text),
        }
    }
}
