//! What the program `cuda-external-check` and its layer share. The layer is this library too, built as libcuda.so.1 by
//! build.rs: it stands before the driver in the programs that are checked. There is nothing here for other crates.

#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod rules;

#[cfg(supported)]
#[doc(hidden)]
pub mod about;
#[cfg(supported)]
#[doc(hidden)]
pub mod addresses;
#[cfg(supported)]
#[doc(hidden)]
pub mod journal;
#[cfg(supported)]
#[doc(hidden)]
pub mod layer;
#[cfg(supported)]
#[doc(hidden)]
pub mod message;
#[cfg(supported)]
#[doc(hidden)]
pub mod stack;
#[cfg(supported)]
#[doc(hidden)]
pub mod sys;
#[cfg(supported)]
#[doc(hidden)]
pub mod watch;
