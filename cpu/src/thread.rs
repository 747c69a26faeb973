//! Threads in a process that belongs to somebody else, and what such a process's threads keep.

use std::ffi::c_void;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle};

/// The signals of an instruction that fails. Where they are blocked the process ends, whatever handler the program has.
const OF_INSTRUCTIONS: [libc::c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Starts a thread that gets none of the process's signals: the program's handlers do not expect it, and a signal that it took
/// would be missing where the program waits for it.
pub fn spawn<T: Send + 'static>(
    builder: Builder,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // SAFETY: the sets are filled in before they are read.
    unsafe {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        libc::sigfillset(all.as_mut_ptr());
        for signal in OF_INSTRUCTIONS {
            libc::sigdelset(all.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        // The new thread inherits the mask.
        let thread = builder.spawn(run);
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        thread
    }
}

/// A value of each thread, dropped when the thread ends. `thread_local!`'s is dropped earlier, and not to be had in what runs
/// at the end of a process: functions of `atexit`, destructors of C++'s statics and thread-locals.
pub struct Local<T> {
    key: OnceLock<libc::pthread_key_t>,
    values: PhantomData<fn() -> T>,
}

impl<T: Default + 'static> Local<T> {
    pub const fn new() -> Self {
        Self { key: OnceLock::new(), values: PhantomData }
    }

    /// Calls a function with this thread's value.
    pub fn with<R>(&'static self, run: impl FnOnce(&T) -> R) -> R {
        let key = *self.key.get_or_init(|| {
            let mut key = 0;
            // SAFETY: the destructor takes what is stored below.
            let code = unsafe { libc::pthread_key_create(&mut key, Some(drop_value::<T>)) };
            assert_eq!(code, 0, "the process has no more keys for threads");
            key
        });
        // SAFETY: the key's values are boxes of this type, and only this thread's functions have this one.
        unsafe {
            let mut value = libc::pthread_getspecific(key).cast::<T>();
            if value.is_null() {
                value = Box::into_raw(Box::<T>::default());
                assert_eq!(libc::pthread_setspecific(key, value.cast()), 0, "no memory for a thread's value");
            }
            run(&*value)
        }
    }
}

unsafe extern "C" fn drop_value<T>(value: *mut c_void) {
    // SAFETY: `with` made it, and the system has taken it out.
    drop(unsafe { Box::from_raw(value.cast::<T>()) });
}
