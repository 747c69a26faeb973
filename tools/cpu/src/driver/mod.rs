//! The driver. A file sees the floors below its own alone:
//!
//! ```text
//! faults                                      what a program injects, by the functions' names
//! table                                       all functions by name
//! graph_nodes ipc pointers pools              topics of the manual: each declares its functions
//! kernel                                      modules and kernels
//! captures contexts copy event external_semaphore fill graph images link mapped memory settings stream_info
//! stream virtual_memory                       queues, and the threads that do their work
//! external_memory                             imports
//! array                                       images
//! capture                                     what a stream records into
//! nodes devices every_name unsupported        graphs
//! call copies work span                       how a function is declared; what a thread does; the only way to bytes
//! due ranges semaphores                       faults, known addresses, imported semaphores
//! context device                              what is current, and what there is
//! base                                        what all files above use
//! handle process                              handles; the state at a fork and at the end
//! answer                                      what a function returns
//! ```
//!
//! Locks, in the order in which they are taken: `ORDER` in stream.rs for everything that is enqueued, then one
//! stream's queue or a semaphore's page. The locks of the registries, of the ranges and of the list of streams are
//! held only during a lookup. No lock is held while work runs, while a thread waits, or while a function of the
//! program is called.

mod answer;
mod array;
mod base;
mod call;
mod capture;
mod captures;
mod context;
mod contexts;
mod copies;
mod copy;
pub mod device;
mod devices;
mod due;
mod event;
mod every_name;
mod external_memory;
mod external_semaphore;
pub mod faults;
mod fill;
mod graph;
mod graph_nodes;
mod handle;
#[cfg(feature = "kernels")]
mod images;
mod ipc;
#[cfg(feature = "kernels")]
mod kernel;
#[cfg(feature = "kernels")]
mod link;
mod mapped;
mod memory;
mod nodes;
mod pointers;
mod pools;
mod process;
mod ranges;
mod semaphores;
mod settings;
mod span;
mod stream;
mod stream_info;
pub mod table;
mod unsupported;
mod virtual_memory;
mod work;

/// Names that every topic uses.
mod prelude {
    pub use std::ffi::{c_char, c_int};

    pub use super::answer::{read_param, text, write_if_wanted, write_made};
    pub use super::base::*;
    pub(crate) use crate::driver::call::functions;
    pub(super) use crate::lock::lock;
}
