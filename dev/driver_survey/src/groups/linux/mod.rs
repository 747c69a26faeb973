//! The groups that share file descriptors.

mod egl_images;
mod egl_orders;
mod fork;
mod formats;
mod graph_objects;
mod hand_over;
mod handle_types;
mod images;
mod import;
mod invalid;
mod invalid_graphs;
mod invalid_node_params;
mod invalid_semaphores;
mod kept_memory;
mod large_memory;
mod no_context;
mod object;
mod passed;
mod planar_image;
mod planes;
mod retry;
pub mod shared;
mod sizes;
mod streams;
mod teardown;
mod timelines;
mod two_gpus;

use super::attributes;
use crate::case::Group;

pub fn all() -> Vec<Group> {
    let [memory, semaphores] = import::groups();
    vec![
        memory,
        semaphores,
        teardown::group(),
        handle_types::group(),
        attributes::group(),
        sizes::group(),
        large_memory::group(),
        images::group(),
        formats::group(),
        planes::group(),
        two_gpus::group(),
        hand_over::group(),
        hand_over::interrupts(),
        egl_images::group(),
        egl_orders::group(),
        fork::group(),
        kept_memory::group(),
        timelines::group(),
        streams::group(),
        passed::group(),
        retry::group(),
        two_gpus::other_gpu(),
        invalid::group(),
        invalid_semaphores::group(),
        invalid_graphs::group(),
        no_context::group(),
    ]
}
