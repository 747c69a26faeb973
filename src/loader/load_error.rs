//! The error of loading a driver, with each library that was tried.

use core::error::Error;
use core::fmt;
use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::string::String;
use std::vec::Vec;

use crate::bindings::{CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, CUDA_ERROR_STUB_LIBRARY, CUresult};

/// The error of a call of [`load`](crate::load), [`load_from`](crate::load_from) or [`load_with`](crate::load_with).
///
/// `{}` prints one line. For [`NoDriver`](Self::NoDriver) the line names the first library that was opened, or the
/// first one that was tried if none was opened. `{:#}` of `NoDriver` prints a heading, then a line for each library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// None of the libraries that were tried is a driver.
    NoDriver(Vec<Attempt>),
    /// No library was tried. Either the target has no driver for these bindings (only 64-bit Linux and 64-bit Windows
    /// have one), or this program has a static glibc (`crt-static`): opening the driver would crash such a program.
    UnsupportedTarget,
    /// [`load_from`](crate::load_from) or [`load_with`](crate::load_with) did not load a driver, since a driver is
    /// loaded already. The string is the name of the loaded driver.
    AlreadyLoaded(OsString),
}

/// A library that was tried, or a call of [`load_with`](crate::load_with), and why it provided no driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The name or path that was passed to the system's loader, or the name that was passed to `load_with`.
    pub name: OsString,
    /// Why the library or the call provided no driver.
    pub error: AttemptError,
}

/// Why an [`Attempt`] provided no driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttemptError {
    /// The system's loader could not open the library. The string is the loader's message.
    NotOpened(String),
    /// `cuDriverGetVersion` is missing: the opened library does not export this name, or the function that was
    /// passed to [`load_with`](crate::load_with) returned `None` for it.
    NotADriver,
    /// `cuDriverGetVersion` returned [`CUDA_ERROR_STUB_LIBRARY`], as in a toolkit's stub library.
    Stub,
}

impl LoadError {
    /// Returns the code that CUDA functions return after [`load`](crate::load) has returned this error:
    /// [`CUDA_ERROR_STUB_LIBRARY`] if a stub was found and no driver, and otherwise
    /// [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`].
    pub fn code(&self) -> CUresult {
        match self {
            Self::NoDriver(attempts)
                if attempts.iter().any(|attempt| attempt.error == AttemptError::Stub) =>
            {
                CUDA_ERROR_STUB_LIBRARY
            }
            _ => CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver(attempts) if f.alternate() => {
                f.write_str("no CUDA driver library could be loaded; tried")?;
                attempts.iter().try_for_each(|attempt| write!(f, "\n  {attempt}"))
            }
            Self::NoDriver(attempts) => {
                f.write_str("no CUDA driver library could be loaded")?;
                let opened =
                    attempts.iter().find(|attempt| !matches!(attempt.error, AttemptError::NotOpened(_)));
                opened.or(attempts.first()).map_or(Ok(()), |attempt| write!(f, ": {attempt}"))
            }
            Self::UnsupportedTarget => {
                let why = if cfg!(not(any(target_os = "linux", windows))) {
                    "NVIDIA makes none for this target"
                } else if cfg!(target_pointer_width = "64") {
                    "a program with a static C library cannot run it; leave out `-C target-feature=+crt-static`"
                } else {
                    "these bindings are for 64-bit targets only"
                };
                let system = if OS.is_empty() { "no operating system" } else { OS };
                write!(
                    f,
                    "no CUDA driver library could be loaded: {why} (this program is for {ARCH}, {system})"
                )
            }
            Self::AlreadyLoaded(name) => {
                write!(f, "a CUDA driver library is loaded already: {}", name.to_string_lossy())
            }
        }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_string_lossy();
        match &self.error {
            // The message of the system's loader often begins with the name, which must not be printed twice.
            AttemptError::NotOpened(message) if message.starts_with(&*name) => f.write_str(message),
            AttemptError::NotOpened(message) => write!(f, "{name}: {message}"),
            AttemptError::NotADriver => {
                write!(f, "{name}: opened, but it has no cuDriverGetVersion: not a CUDA driver")
            }
            AttemptError::Stub => {
                write!(f, "{name}: a toolkit's stub library, which is for linking only")
            }
        }
    }
}

impl Error for LoadError {}

/// Returns the error's [code](LoadError::code), so that the operator `?` converts a [`LoadError`] to a [`CUresult`].
impl From<LoadError> for CUresult {
    fn from(error: LoadError) -> Self {
        error.code()
    }
}
