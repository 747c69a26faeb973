//! CUDA's side: a device with its context, imports that are destroyed with their scope, streams and copies.

mod array;
mod device;
mod memory;
mod ptx;
mod semaphore;
mod stream;
#[cfg(unix)]
mod virtual_memory;

use cuda_external_sys::*;

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

/// For guards: a failed teardown is a bug of the program. During a panic the first error counts.
#[track_caller]
fn assert_torn_down(codes: &[CUresult]) {
    if !std::thread::panicking() {
        assert!(codes.iter().all(|&code| code == CUDA_SUCCESS), "the teardown returned {codes:?}");
    }
}
