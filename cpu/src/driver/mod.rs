//! The driver: one file for each topic of the manual, and one table of all functions.
//!
//! Locks, in the order in which they are taken: `ORDER` in stream.rs for everything that is enqueued, then one stream's queue or a
//! semaphore's page. The registries' and the ranges' locks are held for a lookup alone. No lock is held while work runs, while a
//! thread waits, or while a function of the program is called.

use crate::lock;

mod array;
mod call;
mod capture;
mod context;
mod copy;
pub mod device;
mod event;
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
mod ranges;
mod stream;
pub mod table;
mod unsupported;
mod virtual_memory;
mod work;
