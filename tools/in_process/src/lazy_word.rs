use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{Acquire, Release};

/// A kept `usize`. No thread waits in [`Self::get_or_find`] for another thread: a fork's child may lack that thread.
pub struct LazyWord(AtomicUsize);

impl LazyWord {
    const UNKNOWN: usize = usize::MAX;

    #[allow(clippy::new_without_default)] // statics need a const fn
    pub const fn new() -> Self {
        Self(AtomicUsize::new(Self::UNKNOWN))
    }

    /// Returns the kept value, or else calls `find` and keeps its result. Several threads may call `find` at once: each
    /// result must be right for every thread.
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
