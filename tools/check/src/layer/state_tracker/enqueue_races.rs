//! Detects that another thread enqueued work between a call's work and the event that the layer records after the work.
//!
//! Streams may share a slot of counters. If two busy streams do, the layer may drop an event that it could use.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

use crate::layer::state_tracker::stream_identity::LEGACY;

const SLOTS: usize = 256;

struct EnqueueCounters {
    /// The number of calls that began to enqueue work, and the number of those that have not returned yet.
    begun: AtomicU64,
    inside: AtomicU64,
}

static ALL: [EnqueueCounters; SLOTS] =
    [const { EnqueueCounters { begun: AtomicU64::new(0), inside: AtomicU64::new(0) } }; SLOTS];

/// Until this guard is dropped, its call counts as enqueuing work in a stream.
pub struct EnqueueGuard {
    slot: usize,
    /// The counts `begun` of the stream and of the legacy default stream, for whose work other streams may wait.
    begun: [u64; 2],
    began_alone: bool,
}

fn enqueue_counter_slot(stream: usize) -> usize {
    // Handles are addresses, whose lower bits are equal.
    (stream ^ stream >> 4 ^ stream >> 12 ^ stream >> 32) % SLOTS
}

fn read_enqueue_counters(slot: usize) -> [u64; 2] {
    [slot, enqueue_counter_slot(LEGACY)].map(|slot| ALL[slot].begun.load(SeqCst))
}

impl EnqueueGuard {
    pub fn begin_enqueue(stream: usize) -> Self {
        let (slot, legacy) = (enqueue_counter_slot(stream), enqueue_counter_slot(LEGACY));
        ALL[slot].begun.fetch_add(1, SeqCst);
        let others = ALL[slot].inside.fetch_add(1, SeqCst);
        let of_legacy = if slot == legacy { 0 } else { ALL[legacy].inside.load(SeqCst) };
        Self { slot, begun: read_enqueue_counters(slot), began_alone: others + of_legacy == 0 }
    }

    /// Returns whether no other call enqueued work in the stream or the legacy default stream while this guard existed.
    pub fn is_only_enqueuer(&self) -> bool {
        self.began_alone && read_enqueue_counters(self.slot) == self.begun
    }
}

impl Drop for EnqueueGuard {
    fn drop(&mut self) {
        ALL[self.slot].inside.fetch_sub(1, SeqCst);
    }
}

#[test]
fn a_call_is_not_alone_where_another_one_began_or_did_not_return() {
    let other = EnqueueGuard::begin_enqueue(0x7000);
    let second = EnqueueGuard::begin_enqueue(0x7000);
    assert!(!other.is_only_enqueuer() && !second.is_only_enqueuer());
    drop((other, second));
    let alone = EnqueueGuard::begin_enqueue(0x7000);
    assert!(alone.is_only_enqueuer());
    drop(EnqueueGuard::begin_enqueue(LEGACY));
    assert!(!alone.is_only_enqueuer());
}
