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
//! that of the free events, within which nothing happens.
//!
//! After fork the child has a state of its own, and takes none of the parent's locks: another thread may have held them. At
//! the end of a process nothing is locked but by `try_lock`, and nothing is allocated: a signal handler may have called
//! `exit` while its thread was in the allocator.

use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};

use crate::quiet::Before;

thread_local! {
    /// What this thread had before it was quiet. Not to be touched in a signal handler, where it might have to be allocated.
    static BEFORE: Cell<Option<Before>> = const { Cell::new(None) };
}

/// The layer's part of a wrapped function.
pub struct Section(());

impl Section {
    pub fn begin() -> Self {
        Self(())
    }

    /// From here on the thread is quiet: until the driver's part, or the end of the section.
    pub fn enter() {
        BEFORE.with(|before| before.set(before.get().or_else(|| Some(Before::block()))));
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
    BEFORE.take().into_iter().for_each(Before::restore);
}

/// A value behind a mutex of the C library, which ThreadSanitizer knows.
pub struct Lock<T> {
    mutex: UnsafeCell<libc::pthread_mutex_t>,
    value: UnsafeCell<T>,
}

// SAFETY: the mutex guards the value.
unsafe impl<T: Send> Sync for Lock<T> {}
// SAFETY: the mutex is not held where the lock is moved.
unsafe impl<T: Send> Send for Lock<T> {}

impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self { mutex: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER), value: UnsafeCell::new(value) }
    }

    /// Within a section.
    pub fn lock(&self) -> Held<'_, T> {
        Section::enter();
        // SAFETY: the mutex is initialized, and this thread does not hold it: nothing that holds it calls this.
        unsafe { libc::pthread_mutex_lock(self.mutex.get()) };
        Held(self)
    }

    /// None where another thread holds it for long, or does not run any more. The thread is quiet.
    pub fn try_lock(&self) -> Option<Held<'_, T>> {
        const TRIES: u32 = 1000;
        // SAFETY: as above; gives way to another thread.
        let is_held = || unsafe {
            libc::pthread_mutex_trylock(self.mutex.get()) == 0 || (libc::sched_yield(), false).1
        };
        (0..TRIES).any(|_| is_held()).then(|| Held(self))
    }

    /// In the child of a fork, whatever thread held the lock: nobody holds it any more.
    ///
    /// # Safety
    ///
    /// The process has one thread. The value may be half written.
    pub unsafe fn renew(&self) {
        // SAFETY: the caller's promise.
        unsafe { self.mutex.get().write(libc::PTHREAD_MUTEX_INITIALIZER) };
    }
}

/// While it lives, this thread holds the lock.
pub struct Held<'a, T>(&'a Lock<T>);

impl<T> Deref for Held<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the mutex is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this thread holds it.
        unsafe { libc::pthread_mutex_unlock(self.0.mutex.get()) };
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn threads_take_turns_and_a_child_has_its_own() {
        let lock = Lock::new(0);
        std::thread::scope(|scope| {
            (0..4).for_each(|_| _ = scope.spawn(|| (0..1000).for_each(|_| *lock.lock() += 1)));
        });
        assert_eq!(*lock.lock(), 4000);
        let held = lock.lock();
        assert!(lock.try_lock().is_none());
        std::mem::forget(held);
        // SAFETY: no other thread uses it any more.
        unsafe { lock.renew() };
        assert_eq!(lock.try_lock().map(|value| *value), Some(4000));
    }
}
