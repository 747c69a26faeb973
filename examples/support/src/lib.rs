//! The other APIs' side of `cuda-external-sys`: what its examples, GPU tests and survey share.
//!
//! | module | contents |
//! |---|---|
//! | [`cuda`] | a device and its context, imports that are destroyed with their scope, streams, copies |
//! | [`vulkan`] | a device by UUID, memory, buffers, images and semaphores that can be exported |
//! | `shared` | a buffer, an image and a semaphore with both sides' handles |
//! | [`formats`] | Vulkan's description of an image as CUDA's array descriptor |
//! | `egl`, `gl` | OpenGL without a window, its imports, EGL images |
//! | `nvsci` | NvSciBuf and NvSciSync |
//! | [`win32`] | CUDA's imports of what Windows shares |
//! | `direct3d` | Direct3D's side of the same |
//! | `pass_fd` | file descriptors to another process |
//! | `keep_fd` | a descriptor that is kept when an import fails |
//! | [`bytes`] | bytes to send, and their comparison |
//! | [`example`] | how an example starts and ends |
//!
//! This package is not published. It is written to be read, and copied from. A function that takes a raw handle is
//! `unsafe`: the caller guarantees that it lives. The other functions take objects that own their handles. `raw` is a
//! handle of the other API.

#![cfg(loads_the_driver)]

pub mod bytes;
#[cfg(unix)]
mod c_library;
pub mod cuda;
#[cfg(windows)]
pub mod direct3d;
#[cfg(unix)]
pub mod egl;
mod error;
pub mod example;
pub mod formats;
#[cfg(unix)]
pub mod gl;
#[cfg(target_os = "linux")]
pub mod keep_fd;
#[cfg(unix)]
pub mod nvsci;
#[cfg(target_os = "linux")]
pub mod pass_fd;
#[cfg(unix)]
pub mod shared;
pub mod vulkan;
pub mod win32;

pub use error::{Error, Result};
