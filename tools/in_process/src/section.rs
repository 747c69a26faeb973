//! The library's own part of a call of the program, and the locks that it may take there.
//!
//! A thread that holds a lock is quiet ([`Quiet`]), and runs no code of others. Types check both rules. A lock is
//! taken with a `&Quiet`, which a section lends. Code of others runs by [`Section::outside`], which needs the whole
//! section, so that no guard is alive then:
//!
//! ```compile_fail,E0502
//! # use cuda_external_in_process::{Lock, Section};
//! let (lock, mut section) = (Lock::new(1), Section::new());
//! let guard = lock.lock(section.quiet());
//! section.outside(|| println!("the driver's function"));
//! drop(guard);
//! ```
//!
//! ```
//! # use cuda_external_in_process::{Lock, Section};
//! let (lock, mut section) = (Lock::new(1), Section::new());
//! let guard = lock.lock(section.quiet());
//! drop(guard);
//! section.outside(|| println!("the driver's function"));
//! ```

use std::cell::OnceCell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;

use crate::Quiet;

/// A section lasts from the program's call until that call returns. The thread is quiet from the first lock until code
/// of others runs, and again from the next lock on.
#[derive(Default)]
pub struct Section(OnceCell<Quiet>);

impl Section {
    pub fn new() -> Self {
        Self::default()
    }

    /// The thread is quiet from here on.
    pub fn quiet(&self) -> &Quiet {
        self.0.get_or_init(Quiet::begin)
    }

    /// Runs code of others as it would run without the section.
    pub fn outside<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.0.take();
        run()
    }
}

/// A value behind a mutex.
#[derive(Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub fn lock<'a>(&'a self, _: &'a Quiet) -> MutexGuard<'a, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if another thread holds the lock for long, or that thread no longer runs.
    pub fn try_lock<'a>(&'a self, _: &'a Quiet) -> Option<MutexGuard<'a, T>> {
        const TRIES: u32 = 1000;
        (0..TRIES).find_map(|_| self.0.try_lock().map_err(|_| yield_now()).ok())
    }
}
