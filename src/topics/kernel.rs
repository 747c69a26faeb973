//! Kernels: loading a module of code, finding a kernel in it, and launching it.
//!
//! A mapped buffer is passed to a kernel as its address, a `u64`. A mapped image is passed as a [texture or surface
//! object](crate::texture), which is a `u64` too. The example `kernel` runs a kernel on a Vulkan buffer, and the
//! example `image_in_place` runs one on a Vulkan image.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A module: code that is loaded into a context. An opaque handle of the driver, never dereferenced.
///
/// [Any thread](crate::context#contexts-and-threads) may use it. `.cast()` converts another crate's `CUmodule`, which is the same pointer.
pub use crate::bindings::CUmodule;

/// The driver's private type behind [`CUmodule`].
pub use crate::bindings::CUmod_st;

/// A kernel of a module, from [`cuModuleGetFunction`]. An opaque handle of the driver, never dereferenced.
///
/// It belongs to its module. Unloading the module frees it.
#[doc(alias = "cudaFunction_t")]
pub use crate::bindings::CUfunction;

/// The driver's private type behind [`CUfunction`].
pub use crate::bindings::CUfunc_st;
