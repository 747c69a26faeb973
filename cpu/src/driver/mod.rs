//! The driver: one file for each topic of the manual, and one table of all functions.
//!
//! Locks, in the order in which they are taken: `ORDER` in stream.rs for everything that is enqueued, then one stream's queue or a
//! semaphore's page. The registries' and the ranges' locks are held for a lookup alone. No lock is held while work runs, while a
//! thread waits, or while a function of the program is called.

mod answer;
mod array;
mod call;
mod capture;
mod context;
mod copies;
mod copy;
pub mod device;
mod event;
mod every_name;
mod external_memory;
mod external_semaphore;
pub mod faults;
mod fill;
mod graph;
mod graph_nodes;
mod handle;
mod ipc;
pub mod kernel;
mod memory;
mod process;
mod ranges;
mod span;
mod stream;
pub mod table;
mod unsupported;
mod virtual_memory;
mod work;

/// What every topic uses.
mod prelude {
    pub use std::ffi::{c_char, c_int, c_uint, c_void};
    pub use std::sync::{Arc, Mutex};

    pub use cuda_external_sys::*;

    pub use super::answer::{Answer, check, crash, given, list, put, put_if_wanted, require, text};
    pub use super::handle::{Handle, Lookup, Registry};
    pub(crate) use crate::driver::call::functions;
    pub(crate) use crate::lock;
}
