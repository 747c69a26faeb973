//! Vulkan's side: a device found by its UUID, memory, buffers, images and semaphores that can be exported.

mod buffer;
mod device;
mod image;
mod instance;
mod memory;
mod semaphore;
mod shape;
mod submission;

pub use buffer::{Buffer, HostBuffer, Scope};
pub use device::{Queue, TIMEOUT, Vulkan};
pub use image::{Image, create_image, image_needs};
pub use instance::{Instance, PhysicalDevice, Uuid, find};
pub use memory::{DedicatedTo, HANDLE_TYPE, Memory};
pub use semaphore::{Kind, Semaphore};
pub use shape::{Part, Shape};
pub use submission::Submission;
