#![doc = include_str!("../docs/context.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A context: the address space and the state of one process on one device.
///
/// A pointer of the driver's own. Other CUDA crates have the same type under the same name; a pointer cast
/// converts.
pub use crate::bindings::CUcontext;

/// What [`CUcontext`] points to: known to the driver alone.
pub use crate::bindings::CUctx_st;
