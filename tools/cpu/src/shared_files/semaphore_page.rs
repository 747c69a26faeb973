//! The file of an exported semaphore: one page, which each process that uses the semaphore maps.

use std::fs::File;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

use super::memory_files::{MmapRegion, memory_file, seal_against_shrinking};

const MAGIC: u64 = u64::from_ne_bytes(*b"cu-ext-s");
const SIZE: u64 = 4096;

/// The number of the layout of [`SemaphorePageLayout`]. A version of this crate with another number refuses the file.
const VERSION: u32 = 2;

/// The contents of the page. Every field is atomic: each process that has the file may write there.
#[repr(C)]
struct SemaphorePageLayout {
    magic: AtomicU64,
    version: AtomicU32,
    binary: AtomicU32,
    /// The futex of waiting threads. `wake_waiters` changes it, so that the threads read `value` again.
    changes: AtomicU32,
    /// The timeline's value, which only grows. For a binary semaphore: the number of executed signals.
    value: AtomicU64,
    /// For a binary semaphore: how many signals and waits were enqueued. The n-th wait waits for the n-th signal.
    signals: AtomicU64,
    waits: AtomicU64,
    sleepers: AtomicU32,
}

pub struct SemaphorePage(MmapRegion);

impl SemaphorePage {
    pub fn create_page_file(binary: bool, value: u64) -> io::Result<(Self, File)> {
        let file = memory_file(c"cuda-external-cpu semaphore", SIZE, false)?;
        let semaphore = Self(MmapRegion::new(Some(&file), 0, SIZE as usize)?);
        // The other fields are zeros in a new file.
        let page = semaphore.shared_page();
        page.magic.store(MAGIC, SeqCst);
        page.version.store(VERSION, SeqCst);
        page.binary.store(binary.into(), SeqCst);
        page.value.store(value, SeqCst);
        Ok((semaphore, file))
    }

    /// Maps an exported semaphore. Returns `None` for any other file, for another layout, or if the mapping fails.
    pub fn open_page_file(file: &File) -> Option<Self> {
        if !seal_against_shrinking(file) || file.metadata().ok()?.len() != SIZE {
            return None;
        }
        let semaphore = Self(MmapRegion::new(Some(file), 0, SIZE as usize).ok()?);
        let page = semaphore.shared_page();
        let is_one = page.magic.load(SeqCst) == MAGIC && page.version.load(SeqCst) == VERSION;
        is_one.then_some(semaphore)
    }

    fn shared_page(&self) -> &SemaphorePageLayout {
        // SAFETY: the mapping has 4,096 bytes, lives as long as `self`, and its file is sealed against shrinking.
        unsafe { &*self.0.address.cast() }
    }

    pub fn is_binary(&self) -> bool {
        self.shared_page().binary.load(SeqCst) != 0
    }

    pub fn semaphore_value(&self) -> u64 {
        self.shared_page().value.load(SeqCst)
    }

    /// Returns the value for a wait or a signal that is being enqueued: `value`, or a binary semaphore's next turn.
    pub fn reserve_value(&self, signal: bool, value: u64) -> u64 {
        let turns = if signal { &self.shared_page().signals } else { &self.shared_page().waits };
        if self.is_binary() { turns.fetch_add(1, SeqCst) + 1 } else { value }
    }

    /// Takes back a binary semaphore's `turn` if it is the newest. If `turn` is not the newest and belongs to a signal,
    /// executes the signal now: otherwise the wait for that signal might never end.
    pub fn cancel_reservation(&self, signal: bool, turn: u64) {
        if !self.is_binary() {
            return;
        }
        let turns = if signal { &self.shared_page().signals } else { &self.shared_page().waits };
        let is_last = turns.compare_exchange(turn, turn - 1, SeqCst, SeqCst).is_ok();
        if signal && !is_last {
            self.signal(turn);
        }
    }

    /// Sets the semaphore's value if `value` is larger, and wakes the waiting threads.
    pub fn signal(&self, value: u64) {
        if self.shared_page().value.fetch_max(value, SeqCst) < value {
            self.wake_waiters();
        }
    }

    /// Wakes the waiting threads, which evaluate the conditions of [`Self::wait_while`] again.
    pub fn wake_waiters(&self) {
        self.shared_page().changes.fetch_add(1, SeqCst);
        if self.shared_page().sleepers.load(SeqCst) != 0 {
            // SAFETY: the call wakes the threads that sleep on this word, in any process.
            unsafe {
                libc::syscall(libc::SYS_futex, &self.shared_page().changes, libc::FUTEX_WAKE, i32::MAX)
            };
        }
    }

    pub fn wait(&self, value: u64) {
        self.wait_while(value, || true);
    }

    /// Waits until the semaphore's value is at least `value` (returns true), or the condition is false (returns false).
    pub fn wait_while(&self, value: u64, condition: impl Fn() -> bool) -> bool {
        let page = self.shared_page();
        loop {
            let seen = page.changes.load(SeqCst);
            if page.value.load(SeqCst) >= value {
                return true;
            }
            if !condition() {
                return false;
            }
            // If the process is killed during the wait, `sleepers` stays too large, which only costs system calls.
            page.sleepers.fetch_add(1, SeqCst);
            // SAFETY: the call only reads the word, and sleeps if the word still has the value `seen`.
            unsafe {
                let forever = ptr::null::<libc::timespec>();
                libc::syscall(libc::SYS_futex, &page.changes, libc::FUTEX_WAIT, seen, forever);
            }
            page.sleepers.fetch_sub(1, SeqCst);
        }
    }
}
