//! What the examples, the GPU tests and the benches share: how an example starts and ends, CUDA's
//! device, and objects of other APIs that can be exported to it.

#![cfg(feature = "load")]

#[cfg(unix)]
pub mod array;
#[cfg(unix)]
pub mod buffer;
pub mod cuda;
#[cfg(windows)]
pub mod direct3d;
#[cfg(windows)]
pub mod direct3d12;
pub mod dxgi;
#[cfg(unix)]
pub mod egl;
pub mod formats;
#[cfg(unix)]
pub mod gl;
#[cfg(unix)]
pub mod image;
pub mod matching;
#[cfg(unix)]
pub mod nvsci;
#[cfg(target_os = "linux")]
pub mod pass_fd;
#[cfg(unix)]
pub mod semaphore;
#[cfg(unix)]
pub mod vulkan;
#[cfg(windows)]
pub mod vulkan_win32;
pub mod win32;

use std::fmt;
use std::panic::Location;
use std::process::ExitCode;

use ash::vk;

/// Why a program cannot go on.
#[derive(Debug)]
pub enum Error {
    /// The machine lacks something: no fault of the program's.
    Missing(String),
    /// A call failed.
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

impl From<vk::Result> for Error {
    // Vulkan's codes do not say which call they came from; the place where `?` stands does.
    #[track_caller]
    fn from(code: vk::Result) -> Self {
        Self::Failed(format!("Vulkan says {code:?} at {}", Location::caller()))
    }
}

#[cfg(windows)]
impl From<windows::core::Error> for Error {
    #[track_caller]
    fn from(error: windows::core::Error) -> Self {
        Self::Failed(format!("Windows says {error} at {}", Location::caller()))
    }
}

/// Runs an example. Its header comment (`source` is its own text) is what `--help` prints. Where
/// the machine lacks something the example says so and ends well; only a failure is a failure.
pub fn main(source: &str, example: fn() -> Result<()>) -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--help" | "-h") => {
            for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
                println!("{}", line.strip_prefix(' ').unwrap_or(line));
            }
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!("`{other}` means nothing here: the example takes no argument but --help");
            return ExitCode::from(2);
        }
    }
    end(example())
}

/// How an example ends.
pub fn end(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Missing(what)) => {
            println!("This machine lacks what the example needs.\n{what}");
            ExitCode::SUCCESS
        }
        Err(Error::Failed(what)) => {
            eprintln!("Failed: {what}");
            ExitCode::FAILURE
        }
    }
}
