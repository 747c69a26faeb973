//! The code that `cuda-external-check` and `cuda-external-cpu` share. Any version may change the API.
//!
//! In this crate only macros and generic functions call foreign code (callbacks, a next layer's functions). A crate
//! that uses these macros and functions compiles the calls, and can add the unwind tables that a canceled thread needs.
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
