//! Facts about handles, stages and formats of Vulkan.

pub mod stage_scope;
pub mod texel_blocks;
pub mod vulkan_handles;
