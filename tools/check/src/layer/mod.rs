//! The layer: the functions that it exports in the driver's place, and what it knows of the program. A file uses only
//! the files above it:
//!
//! ```text
//! checked, codes, images            the check; what codes and descriptions of images say by themselves
//! driver, site, preloaded           the driver's functions; where the program calls; the preloaded library
//! own_stack                         a stack for calls in signal handlers
//! streams, turns, descriptors       streams by their numbers; whose work comes between; file descriptors
//! events, graphs, objects           data
//! vulkan: formats to records        data of the other side
//! report                            findings
//! closes, state                     what a process knows, each behind a lock
//! visit, contexts, call             what the layer does in a call of the program
//! handles, touched, description     what calls are given
//! vulkan: pairs to hand_over        rules of both sides
//! queue, ordering                   work in streams
//! imports, mappings, transfers, kernels   rules, one file for each part of the family
//! semaphores, graph
//! vulkan: tables to loader          Vulkan's functions
//! exports                           the driver's functions
//! process                           load, fork and end
//! ```
//!
//! The library has two locks, for the state and for the closed numbers. The compiler checks their rules
//! (`cuda_external_in_process::Section`): a thread that holds one of them is quiet and runs no code of others. Such a
//! thread also opens, reads and writes no file, and waits for nothing. No thread holds both. The tables of Vulkan's
//! functions have a lock of their own, which is taken outside of visits.

mod call;
mod checked;
mod closes;
mod codes;
mod contexts;
mod description;
mod descriptors;
mod driver;
mod events;
mod exports;
mod graph;
mod graphs;
mod handles;
mod images;
mod imports;
mod kernels;
mod mappings;
mod objects;
mod ordering;
mod own_stack;
mod preloaded;
mod process;
mod queue;
mod report;
mod semaphores;
mod site;
mod state;
mod streams;
mod touched;
mod transfers;
mod turns;
mod visit;
mod vulkan;

/// The names of the driver's functions that the layer wraps.
pub fn functions() -> Vec<&'static str> {
    exports::wrapped().filter_map(|wrapped| wrapped.real.name.to_str().ok()).collect()
}

pub use vulkan::{functions as vulkan_functions, vkNegotiateLoaderLayerInterfaceVersion};
