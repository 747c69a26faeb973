#![doc = include_str!("../docs/device.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A device: its ordinal, as [`cuDeviceGet`] gives it.
pub use crate::bindings::CUdevice;

/// A property of a device, for [`cuDeviceGetAttribute`].
///
/// The constants are those of the cuda.h that the bindings are of, under its names. A driver that does not
/// know one answers [`CUDA_ERROR_INVALID_VALUE`].
#[doc(alias = "cudaDeviceAttr")]
pub use crate::bindings::CUdevice_attribute;

/// A device's UUID, from [`cuDeviceGetUuid_v2`].
#[doc(alias = "cudaUUID_t")]
pub use crate::bindings::CUuuid;
