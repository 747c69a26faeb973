//! Starts threads that take no signals of the program, and stores a value for each thread of the program.

use std::ffi::c_void;
use std::io;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle};

use cuda_external_in_process::SignalsBlocked;

/// Starts a thread in which the signals of `SignalsBlocked::block_signals` are blocked. Otherwise, two threads could
/// wait for each other: a thread of the program for the new thread, and a signal handler in the new thread for the
/// program's thread.
pub fn spawn_without_signals<T: Send + 'static>(
    builder: Builder,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // The new thread inherits this thread's mask.
    let _blocked = SignalsBlocked::block_signals();
    builder.spawn(run)
}

/// A value for each thread, which `atexit` functions and C++ destructors can use, unlike that of a `thread_local!`.
pub struct PerThreadValue<T> {
    key: OnceLock<libc::pthread_key_t>,
    values: PhantomData<fn() -> T>,
}

impl<T: Default + 'static> PerThreadValue<T> {
    #[allow(clippy::new_without_default)] // statics need a const fn
    pub const fn new() -> Self {
        Self { key: OnceLock::new(), values: PhantomData }
    }

    /// Calls a function with this thread's value. Panics if no pthread key is left, or the value cannot be stored.
    pub fn with_value<R>(&'static self, run: impl FnOnce(&T) -> R) -> R {
        let key = *self.key.get_or_init(|| {
            let mut key = 0;
            // SAFETY: only boxes of `T` are stored under this key, and the destructor drops such a box.
            let code = unsafe { libc::pthread_key_create(&mut key, Some(drop_value::<T>)) };
            assert_eq!(code, 0, "the process has no free key for values of threads");
            key
        });
        // SAFETY: the key's values are boxes of `T`, each used by one thread.
        unsafe {
            let value = libc::pthread_getspecific(key).cast::<T>();
            if !value.is_null() {
                return run(&*value);
            }
            let new = Box::into_raw(Box::<T>::default());
            assert_eq!(libc::pthread_setspecific(key, new.cast()), 0, "no memory for a value of the thread");
            run(&*new)
        }
    }
}

unsafe extern "C" fn drop_value<T>(value: *mut c_void) {
    // SAFETY: `with_value` stored the box, and the system has cleared the key's value.
    drop(unsafe { Box::from_raw(value.cast::<T>()) });
}
