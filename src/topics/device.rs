#![doc = page!("device.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A device, as [`cuDeviceGet`] returns it: a number, valid in the whole process and never freed.
pub use crate::bindings::CUdevice;

/// An attribute of a device, for [`cuDeviceGetAttribute`].
///
/// The constants are in the module [`constants`]. A driver that does not know an attribute returns
/// [`CUDA_ERROR_INVALID_VALUE`].
#[doc(alias = "cudaDeviceAttr")]
pub use crate::bindings::CUdevice_attribute;

/// A device's UUID, as [`cuDeviceGetUuid_v2`] returns it.
///
/// It can be compared with Vulkan's `deviceUUID` and used as a key of a map. It prints as nvidia-smi writes it, in the
/// form that `CUDA_VISIBLE_DEVICES` accepts. The prefix is always `GPU`; nvidia-smi writes the UUID of a MIG instance
/// with the prefix `MIG`.
///
/// ```
/// use cuda_external_sys::CUuuid;
///
/// // VkPhysicalDeviceIDProperties::deviceUUID
/// let of_vulkan = [0x9c, 0x01, 0xff, 0x3e, 0x80, 0x7f, 0x4b, 0x2d, 0xa5, 0x66, 0x00, 0x12, 0xe4, 0xd7, 0xb8, 0xc9];
/// let of_cuda = CUuuid::from(of_vulkan); // by cuDeviceGetUuid
/// assert!(of_cuda.to_bytes() == of_vulkan);
/// assert_eq!(of_cuda.to_string(), "GPU-9c01ff3e-807f-4b2d-a566-0012e4d7b8c9");
///
/// let seen = std::collections::HashSet::from([of_cuda]);
/// assert!(seen.contains(&CUuuid::from(of_vulkan)) && !seen.contains(&CUuuid::default()));
/// ```
#[doc(alias = "cudaUUID_t")]
pub use crate::bindings::CUuuid;
