//! Memory: allocating and freeing it on the device, pinning it on the host, and freeing mapped buffers.
//!
//! Memory of [`cuMemAlloc_v2`] cannot be exported. [`vmm`] allocates memory that can.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A device address: a number of 64 bits, not a pointer that the host can read. Offsets are added in bytes.
pub use crate::bindings::CUdeviceptr;

/// For [`cuMemHostRegister_v2`]: the memory is pinned for every context, not for the current one alone.
#[doc(alias = "cudaHostRegisterPortable")]
pub use crate::bindings::CU_MEMHOSTREGISTER_PORTABLE;

/// For [`cuMemHostRegister_v2`]: kernels may access the memory. If every device has
/// [`CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM`], kernels use the host's address; otherwise
/// `cuMemHostGetDevicePointer`, which this crate does not bind, returns the address.
#[doc(alias = "cudaHostRegisterMapped")]
pub use crate::bindings::CU_MEMHOSTREGISTER_DEVICEMAP;

/// For [`cuMemHostRegister_v2`]: the memory is a device's, on the PCI bus for example.
#[doc(alias = "cudaHostRegisterIoMemory")]
pub use crate::bindings::CU_MEMHOSTREGISTER_IOMEMORY;

/// For [`cuMemHostRegister_v2`]: the device only reads the memory. It needs
/// [`CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED`].
#[doc(alias = "cudaHostRegisterReadOnly")]
pub use crate::bindings::CU_MEMHOSTREGISTER_READ_ONLY;
