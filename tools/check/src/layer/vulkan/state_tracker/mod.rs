//! What the program made by Vulkan, and what its command buffers do to it.

pub mod cmd_buffer_state;
pub mod exportable_objects;
pub mod vulkan_state;
