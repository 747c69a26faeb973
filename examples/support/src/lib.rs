//! The other APIs' side of `cuda-external-sys`: what its examples, GPU tests and survey share.
//!
//! | module | contents |
//! |---|---|
//! | [`cuda`] | a device and its context, imports that are destroyed with their scope, streams, copies |
//! | [`vulkan`] | a device by UUID, memory, buffers, images and semaphores that can be exported |
//! | `shared_resources` | a buffer, an image and a semaphore with both sides' handles |
//! | [`array_descriptors`] | Vulkan's description of an image as CUDA's array descriptor |
//! | `egl_context`, `opengl_context` | OpenGL without a window, its imports, EGL images |
//! | `nvsci_functions` | NvSciBuf and NvSciSync |
//! | [`import_win32_handle`] | CUDA's imports of what Windows shares |
//! | `direct3d_common` | Direct3D's side of the same |
//! | `pass_fd` | file descriptors to another process |
//! | `fd_after_failed_import` | a descriptor that is kept when an import fails |
//! | [`test_bytes`] | bytes to send, and their comparison |
//! | [`example_main`] | how an example starts and ends |
//!
//! This package is not published. It is written to be read, and copied from. A function that takes a raw handle is
//! `unsafe`: the caller guarantees that it lives. The other functions take objects that own their handles. `raw` is a
//! handle of the other API.

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
