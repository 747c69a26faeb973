//! The layer, the preloaded library, and the code that they share with `cuda-external-check`. build.rs builds this
//! crate twice more: as the layer, which is a `libcuda.so.1` between a checked program and the driver, and as the
//! preloaded library. There is no API for other crates.
//!
//! From a mistake to a finding: `layer/wrapped` exports functions in place of the driver's. `layer/object_tracker`,
//! `layer/core_checks`, `layer/sync` and `layer/vulkan` compare a call with the state that `layer/chassis` keeps.
//! `layer/error_messages` sends the finding through `shared_file`, and `command` prints the finding. `doctor`
//! implements `--machine`. The mod.rs of each directory describes the directory.

// The preloaded library has only the modules that need no `std`: `close_watch`, `preload_library` and `shared_file`.
#![cfg_attr(preload, no_std)]
#![doc(hidden)]

#[cfg(not(preload))]
pub mod layer_options;
#[cfg(not(preload))]
pub mod machine_remedies;
#[cfg(not(preload))]
pub mod rules;

#[cfg(supported)]
pub mod call_stack;
#[cfg(any(supported, preload))]
pub mod close_watch;
#[cfg(supported)]
pub mod finding_encoding;
#[cfg(supported)]
pub mod layer;
#[cfg(supported)]
pub mod object_description;
#[cfg(preload)]
mod preload_library;
#[cfg(supported)]
mod python_frames;
#[cfg(any(supported, preload))]
pub mod shared_file;
