//! The objects that the program made with Vulkan, and the accesses of its command buffers.

pub mod cmd_buffer_state;
pub mod exportable_objects;
pub mod vulkan_state;
