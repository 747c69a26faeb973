#![doc = page!("device.md")]

#[cfg(doc)]
use crate::*; // for the links

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
/// The UUID can be compared with Vulkan's `deviceUUID` and used as a key of a map. `{}` prints the UUID of a GPU in
/// nvidia-smi's form, which `CUDA_VISIBLE_DEVICES` accepts. The UUID of a MIG instance is printed with the prefix `GPU`
/// too, although nvidia-smi writes `MIG`.
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

export_functions! {
    /// Returns the number of GPUs that CUDA can use.
    ///
    /// # Safety
    ///
    /// `count` must be valid for writing an `int`.
    #[doc(alias = "cudaGetDeviceCount")]
    pub use crate::bindings::cuDeviceGetCount;

    /// Returns the device with the given ordinal.
    ///
    /// CUDA orders the devices, by default with the fastest one first. Vulkan and Direct3D may have other orders:
    /// [match devices](crate::device#matching-devices).
    ///
    /// # Parameters
    ///
    /// - `ordinal`: from 0 to the number that [`cuDeviceGetCount`] returns, less 1.
    ///
    /// # Safety
    ///
    /// `device` must be valid for writing a [`CUdevice`].
    pub use crate::bindings::cuDeviceGet;

    /// Returns a device's name, NUL-terminated, for display. Two devices may have the same name.
    ///
    /// # Safety
    ///
    /// `name` must be valid for writing `len` bytes.
    #[doc(alias = "cudaDeviceProp::name")]
    pub use crate::bindings::cuDeviceGetName;

    /// Returns a device's UUID. Vulkan's `VkPhysicalDeviceIDProperties::deviceUUID` has the same bytes.
    ///
    /// For a GPU in MIG mode, the function returns the UUID of the [MIG instance](crate::device#mig) that CUDA uses.
    ///
    /// # Safety
    ///
    /// `uuid` must be valid for writing a [`CUuuid`].
    #[doc(alias = "cudaDeviceProp::uuid")]
    pub use crate::bindings::cuDeviceGetUuid_v2;

    /// Returns a device's LUID and node mask, which identify the device in Direct3D. Devices have LUIDs on Windows
    /// only. Match Vulkan's devices by [UUID](cuDeviceGetUuid_v2), also on Windows.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the system is not Windows (*measured* on Linux, driver 580.159.04).
    ///
    /// # Safety
    ///
    /// `luid` must be valid for writing 8 bytes, and `deviceNodeMask` must be valid for writing an `unsigned int`.
    #[doc(alias = "cudaDeviceProp::luid")]
    pub use crate::bindings::cuDeviceGetLuid;

    /// Returns an attribute of a device.
    ///
    /// | attribute | meaning |
    /// |---|---|
    /// | [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`] | timeline semaphores can be imported |
    /// | [`CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`] | [`cuMemCreate`] and [`cuMemMap`] work |
    /// | [`CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED`] | [`cuMemExportToShareableHandle`] can export memory of [`cuMemCreate`] as a file descriptor |
    /// | [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] | [`cuMemGetHandleForAddressRange`] can export memory as a dma-buf; the attribute is not about imports |
    /// | [`CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED`], [`CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED`] | a context for [CUDA in Graphics](crate::cig) can be created, with Vulkan or with Direct3D 12 |
    ///
    /// # Parameters
    ///
    /// - `pi`: receives the value. Boolean attributes are 0 or 1.
    ///
    /// # Safety
    ///
    /// `pi` must be valid for writing an `int`.
    #[doc(alias = "cudaDeviceGetAttribute")]
    pub use crate::bindings::cuDeviceGetAttribute;

    /// Returns the address of a device on the PCI bus, as text: `0000:17:00.0`.
    ///
    /// nvidia-smi, `/sys/bus/pci/devices` and `VkPhysicalDevicePCIBusInfoPropertiesEXT` have the same numbers. To
    /// match another API's device, [compare UUIDs or LUIDs](crate::device#matching-devices).
    ///
    /// # Parameters
    ///
    /// - `pciBusId`: receives domain, bus, device and function in hexadecimal, NUL-terminated.
    /// - `len`: the number of bytes of `pciBusId`; 13 are enough.
    ///
    /// # Safety
    ///
    /// `pciBusId` must be valid for writing `len` bytes.
    #[doc(alias = "cudaDeviceGetPCIBusId")]
    pub use crate::bindings::cuDeviceGetPCIBusId;

    /// Returns the device with the given address on the PCI bus.
    ///
    /// # Parameters
    ///
    /// - `pciBusId`: the address, NUL-terminated: `0000:17:00.0`, `0000:17:00` or `17:00.0`.
    ///
    /// # Safety
    ///
    /// `dev` must be valid for writing a [`CUdevice`], and `pciBusId` must be a C string.
    #[doc(alias = "cudaDeviceGetByPCIBusId")]
    pub use crate::bindings::cuDeviceGetByPCIBusId;

    // cuda.h defines this name as a macro for the versioned function.
    pub use crate::bindings::cuDeviceGetUuid;
}
