//! Initialization of the driver, and the versions of the driver and of these bindings.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// The release of the cuda.h that these bindings were made from: 13050 is 13.5.
///
/// It describes the build. [`cuDriverGetVersion`] returns the release that the machine's driver supports.
pub use crate::bindings::CUDA_VERSION;
