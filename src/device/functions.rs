//! The functions of [`crate::device`].

#[cfg(doc)]
use crate::*; // for the links

/// Counts the GPUs that CUDA can use.
///
/// # Parameters
///
/// - `count`: where the number is put.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
#[doc(alias = "cudaGetDeviceCount")]
pub use crate::bindings::cuDeviceGetCount;

/// Gives the device with an ordinal.
///
/// The order is CUDA's own, by default the fastest first, and not that of Vulkan or Direct3D: [match
/// devices](crate::device#matching-devices).
///
/// # Parameters
///
/// - `device`: where the device is put.
/// - `ordinal`: 0 to one less than [`cuDeviceGetCount`] says.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
pub use crate::bindings::cuDeviceGet;

/// Gives a device's name, for people: two devices may have the same.
///
/// # Parameters
///
/// - `name`: where the text is put, with a zero at its end.
/// - `len`: how many bytes there are at `name`. A longer name is cut off.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `name` must be valid for `len` bytes.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
pub use crate::bindings::cuDeviceGetName;

/// Gives a device's UUID, which Vulkan's `VkPhysicalDeviceIDProperties::deviceUUID` is equal to.
///
/// What cuda.h calls cuDeviceGetUuid since CUDA 11.4. For a MIG instance it is the instance's UUID.
///
/// # Parameters
///
/// - `uuid`: where the 16 bytes are put.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 11.4. Source: driver API manual, "Device Management".
#[doc(alias = "cuDeviceGetUuid")]
#[doc(alias = "cudaDeviceProp::uuid")]
pub use crate::bindings::cuDeviceGetUuid_v2;

/// Gives a device's LUID, which Direct3D's adapter and Vulkan's `deviceLUID` are equal to. Windows only.
///
/// # Parameters
///
/// - `luid`: where the 8 bytes are put: `LowPart`, then `HighPart`.
/// - `deviceNodeMask`: where the bit of this device in a linked adapter is put.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: not Windows (driver 580.159 on Linux).
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `luid` must be valid for 8 bytes, `deviceNodeMask` for its type.
///
/// Since CUDA 10.0. Source: driver API manual, "Device Management".
#[doc(alias = "cudaDeviceProp::luid")]
pub use crate::bindings::cuDeviceGetLuid;

/// Tells a property of a device.
///
/// For this family: [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`],
/// [`CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`] and
/// [`CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED`].
///
/// # Parameters
///
/// - `pi`: where the value is put; for questions 0 is no and 1 is yes.
/// - `attrib`: which property.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or a property that this driver does not know.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
#[doc(alias = "cudaDeviceGetAttribute")]
pub use crate::bindings::cuDeviceGetAttribute;

pub use crate::bindings::cuDeviceGetUuid;
