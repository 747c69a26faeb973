//! The code that the libraries of `cuda-external-check` and `cuda-external-cpu` share to live in other people's
//! processes. Its rules are types. It has no API for other crates: any version may change all of it.
//!
//! A file uses only the files above it:
//!
//! ```text
//! export      functions in place of C's, by their types
//! formats     the formats of CUDA's arrays
//! newest      what the newest release of CUDA has
//! quiet       no signal handler runs and no cancellation acts
//! inner       libraries that build scripts of programs have cargo build
//! loader      what programs that start others tell the dynamic loader
//! found_once  what is looked up once, and waited for by nobody
//! thread      threads that take no signal of the program, and values of threads that are there at the end of a process
//! section     the library's own part of a call, and its locks
//! life        what becomes of the library when its process forks
//! vulkan      a Vulkan layer's chassis
//! ```
//!
//! A function that runs code of others (a callback, a next layer's function) is a macro or generic. It is then
//! compiled with the library that uses it, in a way that lets a thread unwind through it.
#![cfg_attr(not(feature = "std"), no_std)]

mod export;
#[cfg(feature = "formats")]
pub mod formats;
mod found_once;
#[cfg(feature = "std")]
pub mod inner;
#[cfg(feature = "std")]
mod life;
#[cfg(feature = "std")]
pub mod loader;
pub mod newest;
#[cfg(target_os = "linux")]
mod quiet;
#[cfg(all(feature = "std", target_os = "linux"))]
mod section;
#[cfg(all(feature = "std", target_os = "linux"))]
mod thread;
#[cfg(all(feature = "vulkan", target_os = "linux"))]
pub mod vulkan;

pub use export::{Parameter, Returns};
pub use found_once::FoundOnce;
#[cfg(feature = "std")]
pub use life::{Life, OfProcess, Stage};
#[cfg(target_os = "linux")]
pub use quiet::Quiet;
#[cfg(all(feature = "std", target_os = "linux"))]
pub use section::{Lock, Section};
#[cfg(all(feature = "std", target_os = "linux"))]
pub use thread::{Local, as_started, spawn};
