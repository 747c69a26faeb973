//! Keeps freed addresses unused until unfinished work has ended: the work must not find another allocation there.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};

use crate::driver::base::prelude::*;
use crate::shared_files::MmapRegion;

pub type MemoryKeepAlive = Arc<dyn Any + Send + Sync>;

/// The unfinished work of the process, numbered in the order of enqueueing.
struct UnfinishedWorkLedger {
    newest: u64,
    unfinished: BTreeSet<u64>,
    /// Freed memory, with the number of the newest work when the memory was freed.
    freed: VecDeque<(u64, MemoryKeepAlive)>,
}

static LEDGER: Mutex<UnfinishedWorkLedger> =
    Mutex::new(UnfinishedWorkLedger { newest: 0, unfinished: BTreeSet::new(), freed: VecDeque::new() });

/// Marks work as unfinished until this value is dropped.
pub struct AddressReuseGuard(u64);

impl AddressReuseGuard {
    pub fn guard_new_work() -> Self {
        let mut ledger = lock(&LEDGER);
        ledger.newest += 1;
        let number = ledger.newest;
        ledger.unfinished.insert(number);
        Self(number)
    }
}

impl Drop for AddressReuseGuard {
    fn drop(&mut self) {
        let mut ledger = lock(&LEDGER);
        ledger.unfinished.remove(&self.0);
        let oldest = ledger.unfinished.first().copied().unwrap_or(u64::MAX);
        let count = ledger.freed.partition_point(|(newest, _)| *newest < oldest);
        let ended = Vec::from_iter(ledger.freed.drain(..count));
        // Releases the lock before the memory is unmapped, since each enqueue and each free takes the lock.
        drop(ledger);
        drop(ended);
    }
}

/// Keeps the addresses of freed memory mapped until the unfinished work has ended. This work may never end, so if
/// `freed` is an [`MmapRegion`] that nothing else holds, the mapping's pages go back to the system at once.
pub fn keep_until_work_ends(freed: MemoryKeepAlive) {
    if let Some(mapping) = freed.downcast_ref::<MmapRegion>().filter(|_| Arc::strong_count(&freed) == 1) {
        mapping.release_pages();
    }
    let mut ledger = lock(&LEDGER);
    if !ledger.unfinished.is_empty() {
        let newest = ledger.newest;
        ledger.freed.push_back((newest, freed));
    }
}
