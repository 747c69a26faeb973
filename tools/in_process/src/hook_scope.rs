//! The library's own part of a call of the program, and the locks that it may take there.
//!
//! A thread that holds a lock has its signals blocked ([`SignalsBlocked`]), and runs no code of others. Types check both
//! rules. A lock is taken with a `&SignalsBlocked`, which a scope lends. Code of others runs by
//! [`HookScope::run_outside`], which needs the whole scope, so that no guard is alive then:
//!
//! ```compile_fail,E0502
//! # use cuda_external_in_process::{Lock, HookScope};
//! let (lock, mut scope) = (Lock::new(1), HookScope::new());
//! let guard = lock.lock(scope.block_signals());
//! scope.run_outside(|| println!("the driver's function"));
//! drop(guard);
//! ```
//!
//! ```
//! # use cuda_external_in_process::{Lock, HookScope};
//! let (lock, mut scope) = (Lock::new(1), HookScope::new());
//! let guard = lock.lock(scope.block_signals());
//! drop(guard);
//! scope.run_outside(|| println!("the driver's function"));
//! ```

use std::cell::OnceCell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;

use crate::SignalsBlocked;

/// A scope lasts from the program's call until that call returns. Signals are blocked from the first lock until code of
/// others runs, and again from the next lock on.
#[derive(Default)]
pub struct HookScope(OnceCell<SignalsBlocked>);

impl HookScope {
    pub fn new() -> Self {
        Self::default()
    }

    /// Blocks the thread's signals from here on.
    pub fn block_signals(&self) -> &SignalsBlocked {
        self.0.get_or_init(SignalsBlocked::begin)
    }

    /// Runs code of others as it would run without the scope.
    pub fn run_outside<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.0.take();
        run()
    }
}

/// Locks, whether or not a thread has panicked meanwhile.
pub fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value behind a mutex.
#[derive(Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub fn lock<'a>(&'a self, _: &'a SignalsBlocked) -> MutexGuard<'a, T> {
        lock_ignoring_poison(&self.0)
    }

    /// `None` if another thread holds the lock for long, or that thread no longer runs.
    pub fn try_lock<'a>(&'a self, _: &'a SignalsBlocked) -> Option<MutexGuard<'a, T>> {
        const TRIES: u32 = 1000;
        (0..TRIES).find_map(|_| self.0.try_lock().map_err(|_| yield_now()).ok())
    }
}
