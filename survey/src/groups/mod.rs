//! All groups of cases, in the order of the documents.

mod attributes;
#[cfg(target_os = "linux")]
mod egl_images;
#[cfg(target_os = "linux")]
mod egl_orders;
#[cfg(target_os = "linux")]
mod fork;
#[cfg(target_os = "linux")]
mod formats;
#[cfg(target_os = "linux")]
mod graph_objects;
#[cfg(target_os = "linux")]
mod hand_over;
#[cfg(target_os = "linux")]
mod handle_types;
#[cfg(target_os = "linux")]
mod images;
#[cfg(target_os = "linux")]
mod import;
#[cfg(target_os = "linux")]
mod invalid;
#[cfg(target_os = "linux")]
mod invalid_graphs;
#[cfg(target_os = "linux")]
mod invalid_node_params;
#[cfg(target_os = "linux")]
mod invalid_semaphores;
#[cfg(target_os = "linux")]
mod kept_memory;
#[cfg(target_os = "linux")]
mod large_memory;
#[cfg(target_os = "linux")]
mod object;
#[cfg(target_os = "linux")]
mod other_gpu;
#[cfg(target_os = "linux")]
mod passed;
#[cfg(target_os = "linux")]
mod planar_formats;
#[cfg(target_os = "linux")]
mod planes;
#[cfg(target_os = "linux")]
mod retry;
#[cfg(target_os = "linux")]
mod sizes;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(target_os = "linux")]
mod teardown;
#[cfg(target_os = "linux")]
mod timelines;
#[cfg(target_os = "linux")]
mod two_gpus;

use crate::case::Group;

#[cfg(target_os = "linux")]
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
        other_gpu::group(),
        invalid::group(),
        invalid_semaphores::group(),
        invalid_graphs::group(),
    ]
}

/// What shares no file descriptors; each other group as one case that says so.
#[cfg(not(target_os = "linux"))]
pub fn all() -> Vec<Group> {
    use crate::case::Case;
    use interop::Error;

    let others = [
        "import-memory",
        "import-semaphore",
        "teardown",
        "handle-types",
        "sizes",
        "large-memory",
        "images",
        "formats",
        "planes",
        "two-gpus",
        "hand-over",
        "interrupts",
        "egl-images",
        "egl-orders",
        "fork",
        "kept-memory",
        "timelines",
        "streams",
        "passed-descriptors",
        "retry",
        "other-gpu",
        "invalid-memory",
        "invalid-semaphores",
        "invalid-graphs",
    ];
    let not_here = || Err(Error::Missing("not measured on this system".to_owned()));
    let others = others.map(|name| Group::new(name, [Case::new("all cases", not_here)]));
    std::iter::once(attributes::group()).chain(others).collect()
}
