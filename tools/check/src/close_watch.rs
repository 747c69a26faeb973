//! Data that the preloaded library and the layer share, and how the layer finds these data.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

use cuda_external_in_process::LazyWord;

/// `CloseWatch` does not watch descriptors with this number or a larger one.
const NUMBERS: usize = 1 << 16;

#[repr(C)]
pub struct CloseWatch {
    /// The layer's [`WatchedCloseCallback`]. Null until the layer sees an import of a descriptor, and after a fork.
    pub close_callback: AtomicPtr<c_void>,
    /// The layer's [`ProcessExitCallback`], or null without the layer.
    pub on_exit: AtomicPtr<c_void>,
    numbers: [AtomicU64; NUMBERS / 64],
}

/// A call of `close` that the preloaded library reports to the layer: for a descriptor that is watched or was not open.
#[repr(C)]
pub struct WatchedCloseCall {
    pub fd: c_int,
    pub was_open: bool,
    pub is_watched: bool,
    /// The number of the series: calls that close adjacent descriptors one after another belong to one series.
    pub series: u32,
}

pub type WatchedCloseCallback = unsafe extern "C" fn(&WatchedCloseCall);
pub type ProcessExitCallback = unsafe extern "C" fn();

impl CloseWatch {
    #[expect(clippy::new_without_default)] // for a static
    pub const fn new() -> Self {
        Self {
            close_callback: AtomicPtr::new(ptr::null_mut()),
            on_exit: AtomicPtr::new(ptr::null_mut()),
            numbers: [const { AtomicU64::new(0) }; NUMBERS / 64],
        }
    }

    /// Returns the preloaded library's data, or `None` if that library is not loaded.
    pub fn of_preloaded_library() -> Option<&'static Self> {
        static WATCH: LazyWord = LazyWord::new();
        // SAFETY: the name is a C string literal.
        let find =
            || unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cuda_external_check_watch".as_ptr()).addr() };
        // SAFETY: the pointer is null, or points to the static that `find` looks up, which has this type.
        unsafe { (WATCH.get_or_find(find) as *const Self).as_ref() }
    }

    fn watched_fd_word_and_bit(&self, fd: c_int) -> Option<(&AtomicU64, u64)> {
        let fd = usize::try_from(fd).ok()?;
        Some((self.numbers.get(fd / 64)?, 1 << (fd % 64)))
    }

    pub fn watches_fd(&self, fd: c_int) -> bool {
        self.watched_fd_word_and_bit(fd).is_some_and(|(word, bit)| word.load(Relaxed) & bit != 0)
    }

    /// Does nothing without the preloaded library.
    pub fn set_fd_watched(fd: c_int, is_watched: bool) {
        let watch = Self::of_preloaded_library();
        if let Some((word, bit)) = watch.and_then(|watch| watch.watched_fd_word_and_bit(fd)) {
            if is_watched {
                word.fetch_or(bit, Relaxed)
            } else {
                word.fetch_and(!bit, Relaxed)
            };
        }
    }
}
