use std::fmt;
use std::panic::Location;

use cuda_external_sys::CUresult;

/// The reason why a program cannot continue.
#[derive(Debug)]
pub enum Error {
    /// The machine lacks something that the program needs. The program is not at fault.
    Missing(String),
    /// A call failed, or bytes are wrong.
    Failed(String),
}

pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(text) | Self::Failed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}

// An error code does not name the call that failed, so the message gives the location of the `?`.
impl From<CUresult> for Error {
    #[track_caller]
    fn from(code: CUresult) -> Self {
        Self::Failed(format!("CUDA: {code} at {}", Location::caller()))
    }
}

#[cfg(feature = "vulkan")]
impl From<ash::vk::Result> for Error {
    #[track_caller]
    fn from(code: ash::vk::Result) -> Self {
        Self::Failed(format!("Vulkan: {code:?} at {}", Location::caller()))
    }
}

impl From<std::io::Error> for Error {
    #[track_caller]
    fn from(error: std::io::Error) -> Self {
        Self::Failed(format!("{error} at {}", Location::caller()))
    }
}

#[cfg(windows)]
impl From<windows::core::Error> for Error {
    #[track_caller]
    fn from(error: windows::core::Error) -> Self {
        Self::Failed(format!("Windows: {error} at {}", Location::caller()))
    }
}
