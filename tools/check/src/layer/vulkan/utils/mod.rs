//! Facts about Vulkan's handles and formats.

pub mod object_key;
pub mod subresource;
pub mod texel_blocks;
