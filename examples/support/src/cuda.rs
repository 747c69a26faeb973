//! CUDA's side: a device with its context, imports that are destroyed with their scope, streams and copies.

mod array;
mod device;
mod memory;
mod ptx;
mod semaphore;
mod stream;
#[cfg(unix)]
mod virtual_memory;

pub use array::{level_array, map_mipmapped_array, read_level, write_level};
pub use device::{Cuda, device_count};
#[cfg(unix)]
pub use memory::import_memory;
pub use memory::{DeviceMemory, ImportedMemory, free_memory, read, write};
pub use ptx::INCREASE_PTX;
#[cfg(unix)]
pub use semaphore::import_semaphore;
pub use semaphore::{ImportedSemaphore, SemaphoreValues};
pub use stream::Stream;
#[cfg(unix)]
pub use virtual_memory::{Allocation, MappedAllocation};
