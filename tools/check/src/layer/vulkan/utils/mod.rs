//! Facts about Vulkan's handles and formats.

pub mod object_key;
pub mod resource_part;
pub mod stage_scope;
pub mod texel_blocks;
