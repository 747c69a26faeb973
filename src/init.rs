//! Initialization of the driver, and versions.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// The release of the cuda.h that these bindings are of: 13050 is 13.5.
///
/// It says what this program was built with. What the machine's driver serves is another number:
/// [`cuDriverGetVersion`].
pub use crate::bindings::CUDA_VERSION;
