//! Whether other work came between a call's own and the event behind it, by another thread.
//!
//! Streams share places: where two have one, an event is left out that could have been used.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

use crate::layer::streams::LEGACY;

const PLACES: usize = 256;

struct Place {
    /// How many calls began to enqueue work, and how many of them did not return.
    begun: AtomicU64,
    inside: AtomicU64,
}

static ALL: [Place; PLACES] =
    [const { Place { begun: AtomicU64::new(0), inside: AtomicU64::new(0) } }; PLACES];

/// A call that enqueues work in a stream, until it is dropped.
pub struct Turn {
    place: usize,
    /// What was begun in the stream, and in the default stream of all threads, whose work comes between that of others.
    begun: [u64; 2],
    began_alone: bool,
}

fn place_of(stream: usize) -> usize {
    // Handles are addresses, whose lower bits are equal.
    (stream ^ stream >> 4 ^ stream >> 12 ^ stream >> 32) % PLACES
}

fn begun(place: usize) -> [u64; 2] {
    [place, place_of(LEGACY)].map(|place| ALL[place].begun.load(SeqCst))
}

impl Turn {
    pub fn begin(stream: usize) -> Self {
        let (place, legacy) = (place_of(stream), place_of(LEGACY));
        ALL[place].begun.fetch_add(1, SeqCst);
        let others = ALL[place].inside.fetch_add(1, SeqCst);
        let of_legacy = if place == legacy { 0 } else { ALL[legacy].inside.load(SeqCst) };
        Self { place, begun: begun(place), began_alone: others + of_legacy == 0 }
    }

    /// Whether no other call was inside since, nor began.
    pub fn is_alone(&self) -> bool {
        self.began_alone && begun(self.place) == self.begun
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        ALL[self.place].inside.fetch_sub(1, SeqCst);
    }
}

#[test]
fn a_call_is_not_alone_where_another_one_began_or_did_not_return() {
    let other = Turn::begin(0x7000);
    let second = Turn::begin(0x7000);
    assert!(!other.is_alone() && !second.is_alone());
    drop((other, second));
    let alone = Turn::begin(0x7000);
    assert!(alone.is_alone());
    drop(Turn::begin(LEGACY));
    assert!(!alone.is_alone());
}
