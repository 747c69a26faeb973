//! Allocating and freeing device memory, pinning host memory, and freeing mapped buffers.
//!
//! [`cuMemExportToShareableHandle`] exports memory of [`cuMemCreate`] ([`vmm`]) only, not memory of [`cuMemAlloc_v2`].

#[cfg(doc)]
use crate::*; // for the links

/// A device address, as a 64-bit number. In general the host cannot read the memory there. Offsets are added in bytes.
pub use crate::bindings::CUdeviceptr;

/// A flag of [`cuMemHostRegister_v2`]: the memory is pinned for every context, not for the current one alone.
#[doc(alias = "cudaHostRegisterPortable")]
pub use crate::bindings::CU_MEMHOSTREGISTER_PORTABLE;

/// A flag of [`cuMemHostRegister_v2`]: kernels may access the memory. If every visible device has
/// [`CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM`], kernels use the host's address; otherwise
/// `cuMemHostGetDevicePointer`, which this crate does not bind, returns the address for kernels.
#[doc(alias = "cudaHostRegisterMapped")]
pub use crate::bindings::CU_MEMHOSTREGISTER_DEVICEMAP;

/// A flag of [`cuMemHostRegister_v2`]: the memory is I/O memory, for example that of another vendor's PCI device.
#[doc(alias = "cudaHostRegisterIoMemory")]
pub use crate::bindings::CU_MEMHOSTREGISTER_IOMEMORY;

/// A flag of [`cuMemHostRegister_v2`]: the device only reads the memory. The flag needs
/// [`CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED`].
#[doc(alias = "cudaHostRegisterReadOnly")]
pub use crate::bindings::CU_MEMHOSTREGISTER_READ_ONLY;

export_functions! {
    /// Allocates device memory. To export memory by [`cuMemExportToShareableHandle`], allocate it with [`cuMemCreate`].
    ///
    /// # Parameters
    ///
    /// - `dptr`: receives the address, aligned to at least 256 bytes (NVIDIA's programming guide). The memory is not
    ///   cleared.
    /// - `bytesize`: the number of bytes; not 0.
    ///
    /// # Safety
    ///
    /// `dptr` must be valid for writing a [`CUdeviceptr`].
    ///
    /// Free the memory with [`cuMemFree_v2`].
    #[doc(alias = "cudaMalloc")]
    pub use crate::bindings::cuMemAlloc_v2;

    /// Allocates device memory for rows, and chooses a pitch that aligns each row well.
    ///
    /// The call returns an address and a pitch. The element in column `c` of row `r` is at
    /// `address + r * pitch + c * size_of_element`. [`cuMemcpy2D_v2`] accepts every pitch that this call returns.
    ///
    /// # Parameters
    ///
    /// - `dptr`, `pPitch`: receive the address and the pitch (in bytes). The memory is not cleared.
    /// - `WidthInBytes`: the number of used bytes in a row.
    /// - `Height`: the number of rows.
    /// - `ElementSizeBytes`: 4, 8 or 16, the size of the largest access of a kernel to the memory.
    ///
    /// # Safety
    ///
    /// `dptr` must be valid for writing a [`CUdeviceptr`], and `pPitch` must be valid for writing a `size_t`.
    ///
    /// Free the memory with [`cuMemFree_v2`].
    #[doc(alias = "cudaMallocPitch")]
    pub use crate::bindings::cuMemAllocPitch_v2;

    /// Frees device memory, or a mapping of [`cuExternalMemoryGetMappedBuffer`].
    ///
    /// Free every mapping by a separate call, before [`cuDestroyExternalMemory`]. The exporter's memory is not freed.
    /// `cuMemFree_v2` may wait for work of the device; do not rely on that.
    ///
    /// # Parameters
    ///
    /// - `dptr`: the first address of the allocation or mapping. 0 is not an error (*measured* on driver 580.159.04).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: neither an allocation nor a mapping begins at this address.
    ///
    /// # Safety
    ///
    /// No work in flight may use the memory: synchronize first.
    #[doc(alias = "cudaFree")]
    pub use crate::bindings::cuMemFree_v2;

    /// Returns the number of free bytes of device memory, and the number of all bytes.
    ///
    /// Other processes and threads allocate and free memory too, so the number of free bytes may soon be out of date.
    ///
    /// # Safety
    ///
    /// Both pointers must be valid for writing a `size_t`.
    #[doc(alias = "cudaMemGetInfo")]
    pub use crate::bindings::cuMemGetInfo_v2;

    /// Returns the start and the size of the allocation or mapped buffer that contains an address.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_FOUND`]: no allocation or mapping contains the address.
    ///
    /// # Safety
    ///
    /// `pbase` must be null or valid for writing a `CUdeviceptr`. `psize` must be null or valid for writing a `size_t`.
    pub use crate::bindings::cuMemGetAddressRange_v2;

    /// Allocates pinned (page-locked) host memory, which the device can access at the address that the host uses.
    ///
    /// A copy by an `Async` function may be synchronous if its host memory is not pinned. A large amount of pinned
    /// memory may slow the system down. If [`CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES`] is 1,
    /// `cuMemAllocHost_v2` might not pin the memory.
    ///
    /// # Parameters
    ///
    /// - `pp`: receives the address. The manual does not say whether the memory is cleared.
    /// - `bytesize`: the number of bytes. For 0, the address is null (*measured* on driver 580.159.04).
    ///
    /// # Safety
    ///
    /// `pp` must be valid for writing a pointer.
    ///
    /// Free the memory with [`cuMemFreeHost`].
    #[doc(alias = "cudaMallocHost")]
    #[doc(alias = "cudaHostAlloc")]
    pub use crate::bindings::cuMemAllocHost_v2;

    /// Frees host memory of [`cuMemAllocHost_v2`].
    ///
    /// # Safety
    ///
    /// Nothing may use the memory any more, the device included: synchronize first.
    #[doc(alias = "cudaFreeHost")]
    pub use crate::bindings::cuMemFreeHost;

    /// Pins existing host memory, so that the device can access it.
    ///
    /// Use this function for host memory that another API allocated, for example a staging buffer that Vulkan mapped.
    /// If [`CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES`] is 1, the memory might stay unpinned.
    ///
    /// # Parameters
    ///
    /// - `Flags`: 0, or flags combined by `|`: [`CU_MEMHOSTREGISTER_PORTABLE`], [`CU_MEMHOSTREGISTER_DEVICEMAP`],
    ///   [`CU_MEMHOSTREGISTER_IOMEMORY`], [`CU_MEMHOSTREGISTER_READ_ONLY`].
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED`]: the memory is registered already.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the device does not support [`CU_MEMHOSTREGISTER_READ_ONLY`], or the system does
    ///   not support [`CU_MEMHOSTREGISTER_IOMEMORY`].
    /// - [`CUDA_ERROR_NOT_PERMITTED`]: on Linux, an unprivileged user passed [`CU_MEMHOSTREGISTER_IOMEMORY`].
    ///
    /// # Safety
    ///
    /// The memory must stay mapped until it is unregistered.
    ///
    /// Unregister the memory with [`cuMemHostUnregister`].
    #[doc(alias = "cudaHostRegister")]
    pub use crate::bindings::cuMemHostRegister_v2;

    /// Unpins host memory of [`cuMemHostRegister_v2`].
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED`]: no registered memory begins at this address.
    ///
    /// # Safety
    ///
    /// No work may use the memory any more: synchronize first.
    #[doc(alias = "cudaHostUnregister")]
    pub use crate::bindings::cuMemHostUnregister;

    // cuda.h defines these names as macros for the versioned functions.
    pub use crate::bindings::{
        cuMemAlloc, cuMemAllocHost, cuMemAllocPitch, cuMemFree, cuMemGetAddressRange, cuMemGetInfo,
        cuMemHostRegister,
    };
}
