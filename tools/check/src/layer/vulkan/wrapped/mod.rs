//! The layer's functions, one file for each topic.

mod binding_commands;
mod command_pools;
mod copy_commands;
mod draw_commands;
mod host_waits;
mod pipeline_objects;
mod shared_objects;

use crate::layer::vulkan::chassis::device_record::InterceptTable;

/// Every function that precedes the next layer's. Each file has its place.
pub const TABLES: [InterceptTable; 7] = [
    shared_objects::TABLE,
    host_waits::TABLE,
    copy_commands::TABLE,
    pipeline_objects::TABLE,
    binding_commands::TABLE,
    draw_commands::TABLE,
    command_pools::TABLE,
];
