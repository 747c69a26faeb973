//! A scope for the library's code in a call that the program makes, and the locks that this code may take.
//!
//! A thread that holds a [`SignalSafeMutex`] must not run foreign code (callbacks, driver functions). The mutex's guard
//! borrows the [`HookScope`] through `&SignalsBlocked`, so rustc refuses this call of [`HookScope::run_foreign_code`]:
//!
//! ```compile_fail,E0502
//! # use cuda_external_in_process::{SignalSafeMutex, HookScope};
//! let (lock, mut scope) = (SignalSafeMutex::new(1), HookScope::new());
//! let guard = lock.lock(scope.block_signals());
//! scope.run_foreign_code(|| println!("the driver's function"));
//! drop(guard);
//! ```
//!
//! rustc accepts the call after the guard's drop:
//!
//! ```
//! # use cuda_external_in_process::{SignalSafeMutex, HookScope};
//! let (lock, mut scope) = (SignalSafeMutex::new(1), HookScope::new());
//! let guard = lock.lock(scope.block_signals());
//! drop(guard);
//! scope.run_foreign_code(|| println!("the driver's function"));
//! ```

use std::cell::OnceCell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;

use crate::SignalsBlocked;

/// The scope of the library's code in one call that the program makes. Its drop restores the thread's signal mask.
#[derive(Default)]
pub struct HookScope(OnceCell<SignalsBlocked>);

impl HookScope {
    pub fn new() -> Self {
        Self::default()
    }

    /// Blocks this thread's signals, as [`SignalsBlocked`] does, until [`Self::run_foreign_code`] or the scope's end.
    pub fn block_signals(&self) -> &SignalsBlocked {
        self.0.get_or_init(SignalsBlocked::block_signals)
    }

    /// Runs foreign code with the signal mask that the thread had before the scope.
    pub fn run_foreign_code<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.0.take();
        run()
    }
}

/// Locks a mutex, even if a thread has panicked while it held the lock.
pub fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mutex that is locked only while signals are blocked.
#[derive(Default)]
pub struct SignalSafeMutex<T>(Mutex<T>);

impl<T> SignalSafeMutex<T> {
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub fn lock<'a>(&'a self, _: &'a SignalsBlocked) -> MutexGuard<'a, T> {
        lock_ignoring_poison(&self.0)
    }

    /// Tries 1,000 times to lock, then returns `None`: in a fork's child, the thread that holds the lock may not exist.
    pub fn try_lock<'a>(&'a self, _: &'a SignalsBlocked) -> Option<MutexGuard<'a, T>> {
        const TRIES: u32 = 1000;
        (0..TRIES).find_map(|_| self.0.try_lock().map_err(|_| yield_now()).ok())
    }
}
