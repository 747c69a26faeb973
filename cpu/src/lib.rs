//! A CUDA driver in software for tests without a GPU: the functions of [`cuda_external_sys`], on the CPU.
//!
//! Memory is shared by file descriptors, streams run in threads, and waits wait. Nothing here is fast, and PTX is not run.
#![cfg(target_os = "linux")]

pub mod shared;
#[cfg(feature = "library")]
mod vulkan;
