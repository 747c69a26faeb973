//! Facts about handles, stages and formats of Vulkan.

pub mod handle_keys;
pub mod stage_work_kinds;
pub mod texel_blocks;
