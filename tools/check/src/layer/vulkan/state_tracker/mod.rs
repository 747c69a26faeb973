//! The objects that both APIs may share, and the accesses of command buffers.

pub mod cmd_buffer_state;
pub mod exportable_objects;
pub mod vulkan_state;
