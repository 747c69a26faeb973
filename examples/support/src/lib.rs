//! Code that the examples, the tests and the driver survey of `cuda-external-sys` share.
//!
//! This package is not published: copy from it. Even a safe function may require a valid handle of Vulkan.

#[cfg(feature = "vulkan")]
pub mod array_descriptors;
pub mod cuda;
#[cfg(all(windows, feature = "vulkan"))]
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
#[cfg(all(unix, feature = "vulkan"))]
pub mod opengl_context;
#[cfg(target_os = "linux")]
pub mod pass_fd;
#[cfg(all(unix, feature = "vulkan"))]
pub mod shared_resources;
pub mod test_bytes;
#[cfg(feature = "vulkan")]
pub mod vulkan;

pub use error::{Error, Result};
