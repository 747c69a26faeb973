//! All groups of cases, in the order of the documents.

mod attributes;
mod formats;
mod hand_over;
mod handle_types;
mod images;
mod import;
mod invalid;
mod invalid_graphs;
mod invalid_semaphores;
mod large_memory;
mod object;
mod planar_formats;
mod planes;
mod sizes;
mod teardown;
mod two_gpus;

use crate::case::{Document, Group};

/// The pages, and on each its groups.
pub fn documents() -> Vec<Document> {
    vec![
        Document { path: "docs/fd-ownership.md", groups: import::groups().into() },
        Document { path: "docs/teardown.md", groups: vec![teardown::group()] },
        Document {
            path: "docs/measured.md",
            groups: vec![
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
            ],
        },
    ]
}

pub fn all() -> Vec<Group> {
    documents().into_iter().flat_map(|document| document.groups).collect()
}
