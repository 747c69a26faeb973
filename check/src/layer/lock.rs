//! The lock discipline of the layer, which stands in programs of all kinds. It is written down here alone.
//!
//! There are three kinds of locks: that of the state, that of the descriptors ([`fds`](super::fds)) and that of the free
//! events. While a thread holds one of them:
//!
//! - It is quiet: no signal handler runs, which could exit, jump away or call `close`, and pthread_cancel does not act. Every
//!   wrapped function, of CUDA and of Vulkan, is a [`Section`], which is quiet from its first lock on until the driver's own
//!   part, and again from the next lock on. `close`, `_exit` and the end of the process are quiet as a whole.
//! - It calls no driver, no loader (dlopen, dlsym, dladdr, the unwinder) and no function of the program, and it opens, reads,
//!   writes and waits for nothing. What the driver and the stack say is asked before or afterwards.
//! - It may allocate, but for the descriptors' lock, which `close` takes in signal handlers and at the end of a process.
//!
//! Findings are collected under the lock of the state and sent when it is given back. No two locks are held at once, but for
//! that of the free events, within which nothing happens. The tables of Vulkan's functions have one that is taken outside of
//! sections.
//!
//! After fork the child has a state and descriptors of its own, and takes none of the parent's locks: another thread may have
//! held them. Nor does it wait for what such a thread began: what is looked up once is a [`Known`](cuda_external_guest::Known). At the end of a process
//! nothing is locked but by `try_lock`, and nothing is allocated: a signal handler may have called `exit` while its thread was
//! in the allocator.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;

use cuda_external_guest::Quiet;

thread_local! {
    /// Where this thread is quiet, until when. Nothing is to be dropped at its end: the C library would allocate for that. Not
    /// to be touched in a signal handler, where it might have to be allocated itself.
    static QUIET: Cell<Option<ManuallyDrop<Quiet>>> = const { Cell::new(None) };
}

/// The layer's part of a wrapped function.
pub struct Section(());

impl Section {
    pub fn begin() -> Self {
        Self(())
    }

    /// From here on the thread is quiet: until the driver's part, or the end of the section.
    pub fn enter() {
        QUIET.set(QUIET.take().or_else(|| Some(ManuallyDrop::new(Quiet::begin()))));
    }

    /// Runs code of others as it would run without the section.
    pub fn without<T>(&self, run: impl FnOnce() -> T) -> T {
        leave();
        run()
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        leave();
    }
}

fn leave() {
    drop(QUIET.take().map(ManuallyDrop::into_inner));
}

/// A value behind a mutex.
#[derive(Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Within a section.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        Section::enter();
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None where another thread holds it for long, or does not run any more. The thread is quiet.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        const TRIES: u32 = 1000;
        (0..TRIES).find_map(|_| self.0.try_lock().map_err(|_| yield_now()).ok())
    }
}
