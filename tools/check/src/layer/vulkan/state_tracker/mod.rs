//! What the program made by Vulkan, and what its command buffers do to it.

pub mod cmd_buffer_state;
pub mod derived_objects;
mod descriptor_sets;
pub mod shader_accesses;
pub mod vulkan_state;
