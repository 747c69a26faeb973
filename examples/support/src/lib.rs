//! What the examples, GPU tests and survey of `cuda-external-sys` share: the calls of the other APIs, and guards that
//! destroy CUDA's objects.
//!
//! This package is not published. It is written to be read, and copied from. A function that takes one of CUDA's raw
//! handles is `unsafe`: the handle's object must live. A field `raw` is the API's own handle. A caller must pass valid
//! handles of the other APIs to all functions.

#![cfg(loads_the_driver)]

pub mod array_descriptors;
pub mod cuda;
#[cfg(windows)]
pub mod direct3d_common;
#[cfg(unix)]
mod dynamic_library;
#[cfg(unix)]
pub mod egl_context;
mod error;
pub mod example_main;
#[cfg(target_os = "linux")]
pub mod fd_after_failed_import;
pub mod import_win32_handle;
#[cfg(unix)]
pub mod nvsci_functions;
#[cfg(unix)]
pub mod opengl_context;
#[cfg(target_os = "linux")]
pub mod pass_fd;
#[cfg(unix)]
pub mod shared_resources;
pub mod test_bytes;
pub mod vulkan;

pub use error::{Error, Result};
