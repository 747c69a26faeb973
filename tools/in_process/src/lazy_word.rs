use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{Acquire, Release};

/// A number, a handle or a static's address that is looked up when it is first needed. Two threads may both look the
/// value up. Neither waits for the other: in the child of a fork, the thread to wait for may not exist.
pub struct LazyWord(AtomicUsize);

impl LazyWord {
    const UNKNOWN: usize = usize::MAX;

    #[allow(clippy::new_without_default)] // statics need a const fn
    pub const fn new() -> Self {
        Self(AtomicUsize::new(Self::UNKNOWN))
    }

    /// Returns the value, and first calls `find` if the value is unknown. Several threads may call `find`, and the last
    /// result is kept: each result must be right for every thread.
    pub fn get_or_find(&self, find: impl FnOnce() -> usize) -> usize {
        let known = self.0.load(Acquire);
        if known != Self::UNKNOWN {
            return known;
        }
        let found = find();
        self.0.store(found, Release);
        found
    }
}

#[cfg(all(test, feature = "std"))]
#[test]
fn lookups_of_one_word_do_not_wait() {
    static NUMBER: LazyWord = LazyWord::new();
    let other = || std::thread::spawn(|| NUMBER.get_or_find(|| 1)).join();
    assert_eq!(NUMBER.get_or_find(|| other().expect("it ends") + 1), 2);
    assert_eq!(NUMBER.get_or_find(|| 3), 2);
}
