//! The Vulkan layer's functions, one file for each topic.

mod barrier_commands;
mod command_buffers;
mod copy_commands;
mod host_waits;
mod queue_submissions;
mod record_on_success;
mod render_passes;
mod shared_objects;

use crate::layer::vulkan::chassis::InterceptTable;

/// The function tables of these files.
pub const TABLES: [InterceptTable; 7] = [
    shared_objects::TABLE,
    host_waits::TABLE,
    copy_commands::TABLE,
    barrier_commands::TABLE,
    command_buffers::TABLE,
    render_passes::TABLE,
    queue_submissions::TABLE,
];
