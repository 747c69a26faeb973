//! The layer, the preloaded library, and code that `cuda-external-check` uses too. There is no API for other crates.
//!
//! build.rs builds this crate twice more: as the layer (`libcuda.so.1`), and as the preloaded `libcuda_preload.so`.
//!
//! `layer/wrapped` replaces the driver's functions. The checks in `layer` send findings through `shared_file`. Of the
//! modules of main.rs, `command` prints the findings, and `doctor` implements `--machine`.

// The preloaded library has only the modules that need no `std`: `close_watch`, `preload_library` and `shared_file`.
#![cfg_attr(preload, no_std)]
#![doc(hidden)]

#[cfg(not(preload))]
pub mod layer_options;
#[cfg(not(preload))]
pub mod machine_remedies;
#[cfg(not(preload))]
pub mod rule_table;
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
