//! Device memory: allocating it, freeing it, and freeing mapped buffers.
//!
//! Memory of [`cuMemAlloc_v2`] cannot be exported. [`vmm`] allocates memory that can.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A device address: a number of 64 bits, not a pointer that the host can read.
///
/// Offsets are added to it in bytes.
pub use crate::bindings::CUdeviceptr;
