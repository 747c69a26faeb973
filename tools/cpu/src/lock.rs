//! How every file locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whether or not a thread has panicked meanwhile: no invariant spans two steps.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
