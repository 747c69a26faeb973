//! The driver: one file for each topic of the manual, and one table of all functions.
//!
//! Locks, in the order in which they are taken: [`stream::ORDER`] for everything that is enqueued, then one stream's queue or a
//! semaphore's page. The registries' and the maps' locks are held for a lookup alone. No lock is held while work runs, while a
//! thread waits, or while a function of the program is called.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub mod array;
pub mod call;
pub mod capture;
pub mod context;
pub mod copy;
pub mod device;
pub mod event;
pub mod external_memory;
pub mod external_semaphore;
pub mod faults;
pub mod fill;
pub mod graph;
pub mod graph_launch;
pub mod graph_nodes;
pub mod handle;
pub mod ipc;
pub mod kernel;
pub mod memory;
pub mod ranges;
pub mod stream;
pub mod table;
pub mod unsupported;
pub mod virtual_memory;
pub mod work;

/// Locks, whether or not a thread has panicked meanwhile: no invariant spans two steps.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
