#![doc = include_str!("../docs/context.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A context: the address space and the state of one process on one device.
///
/// An opaque handle of the driver, never dereferenced. [Any thread](crate::context#contexts-and-threads) may
/// use it. Other CUDA crates have the same type under the same name; a pointer cast converts.
pub use crate::bindings::CUcontext;

/// The driver's private type behind [`CUcontext`].
pub use crate::bindings::CUctx_st;
