//! All groups of cases, in the order of the documents.

mod attributes;
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
mod large_memory;
mod object;
mod planar_formats;
mod planes;
mod sizes;
mod teardown;
mod two_gpus;

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
        invalid::group(),
        invalid_semaphores::group(),
        invalid_graphs::group(),
    ]
}
