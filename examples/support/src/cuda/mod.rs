//! What the examples need of CUDA: a device with its context, allocations, imports and their mappings, streams, copies.

#[cfg(unix)]
mod exported_allocation;
mod imported_memory;
mod imported_semaphore;
#[cfg(all(unix, feature = "vulkan"))]
mod imports_from_vulkan;
#[cfg(feature = "vulkan")]
mod level_copies;
mod mipmapped_arrays;
mod primary_context;
mod stream;

#[cfg(unix)]
pub use exported_allocation::{AllocationMapping, CuMemAllocation};
#[cfg(unix)]
pub use imported_memory::import_memory;
pub use imported_memory::{DeviceMemory, ImportedMemory, count_free_device_bytes, read, write};
#[cfg(unix)]
pub use imported_semaphore::import_semaphore;
pub use imported_semaphore::{ImportedSemaphore, SignalWaitArrays};
#[cfg(feature = "vulkan")]
pub use level_copies::{read_level, write_level};
pub use mipmapped_arrays::{level_array, map_mipmapped_array};
pub use primary_context::{Cuda, device_count};
pub use stream::Stream;
