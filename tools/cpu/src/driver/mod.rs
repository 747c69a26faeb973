//! The driver. A directory is a floor: its files use one another and the directories below theirs in this list alone.
//!
//! | directory | content |
//! |---|---|
//! | faults | what a program injects, by the functions' names; symbol_table.rs, all functions by name |
//! | not_implemented | names of the headers whose functions return an error |
//! | contexts | contexts and devices |
//! | graphs | nodes, and instantiated graphs |
//! | modules | PTX, kernels and launches |
//! | external | imports of memory and semaphores, also from another process |
//! | memory | allocations, copies and fills |
//! | images | arrays, textures and surfaces |
//! | streams | queues and the threads that do their work, events, captures |
//! | addresses | known addresses, and the only way from them to bytes |
//! | base | what every function uses |
//!
//! Locks, in the order in which they are taken: `ORDER` in stream_queue.rs for everything that is enqueued, then one
//! stream's queue or a semaphore's page. The locks of the registries, of the ranges and of the list of streams are
//! held only during a lookup. No lock is held while work runs, while a thread waits, or while a function of the
//! program is called.

mod addresses;
#[macro_use]
pub mod base;
mod contexts;
mod external;
pub mod faults;
mod graphs;
mod images;
mod memory;
#[cfg(feature = "kernels")]
mod modules;
mod not_implemented;
mod streams;
pub mod symbol_table;
