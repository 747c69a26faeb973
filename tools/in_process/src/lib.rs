//! The code that `cuda-external-check` and `cuda-external-cpu` share. Their libraries run in other programs' processes,
//! and so must survive, for example, a fork or a canceled thread. Any version may change the API.
//!
//! Foreign code (a callback, a next layer's function) is called by macros and generic functions only: they are compiled
//! with the options of the library that uses them, and so have the unwind tables that a canceled thread needs.
#![cfg_attr(not(feature = "std"), no_std)]

#[cfg(feature = "formats")]
pub mod array_formats;
mod export_macro;
#[cfg(feature = "std")]
mod fork_state;
#[cfg(all(feature = "std", target_os = "linux"))]
mod hook_scope;
mod lazy_word;
#[cfg(feature = "std")]
pub mod nested_cargo;
pub mod newest_release_constants;
#[cfg(feature = "std")]
pub mod path_variables;
#[cfg(target_os = "linux")]
mod signals_blocked;
#[cfg(all(feature = "vulkan", target_os = "linux"))]
pub mod vulkan;

pub use export_macro::{PfnParameter, PfnResult};
#[cfg(feature = "std")]
pub use fork_state::{AtomicProcessStage, PerProcess, ProcessStage};
#[cfg(all(feature = "std", target_os = "linux"))]
pub use hook_scope::{HookScope, SignalSafeMutex, lock_ignoring_poison};
pub use lazy_word::LazyWord;
#[cfg(target_os = "linux")]
pub use signals_blocked::{CancellationDisabled, KernelSignalSet, SignalsBlocked, change_signal_mask};
