//! Facts about handles, stages and formats of Vulkan.

pub mod stage_work_kinds;
pub mod texel_blocks;
pub mod vulkan_handles;
