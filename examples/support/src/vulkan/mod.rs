//! What the examples need of Vulkan: a device found by its UUID, and exportable memory, buffers, images and semaphores.

mod exported_buffer;
mod exported_image;
mod exported_memory;
mod exported_semaphore;
mod image_shape;
mod logical_device;
mod physical_devices;
mod submission;

pub use exported_buffer::{ExportableBuffer, HostBuffer};
pub use exported_image::{ExportableImage, require_exportable};
pub use exported_memory::{DedicatedTo, HANDLE_TYPE, VulkanMemory};
pub use exported_semaphore::{ExportableSemaphore, SemaphoreKind};
pub use image_shape::ImageShape;
pub use logical_device::{Queue, TIMEOUT, Vulkan};
pub use physical_devices::{Instance, PhysicalDevice, device_with_uuid};
pub use submission::Submission;
