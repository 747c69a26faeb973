//! Vector clocks of the work that is known to be done. All queues and streams share one counter of times.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitTarget {
    AllQueues,
    AllStreams,
    AllBlockingStreams,
    Of(QueueOrStream),
}

impl WaitTarget {
    /// Returns every wait target that includes the work of a queue or a stream.
    fn wait_targets_with_line(line: QueueOrStream) -> impl Iterator<Item = Self> {
        let wider = match line {
            QueueOrStream::Queue(_) | QueueOrStream::Copies(_) => [Some(Self::AllQueues), None],
            QueueOrStream::Stream(_) => [Some(Self::AllStreams), None],
            QueueOrStream::BlockingStream(_) => [Some(Self::AllStreams), Some(Self::AllBlockingStreams)],
        };
        [Self::Of(line)].into_iter().chain(wider.into_iter().flatten())
    }

    pub fn includes_line(self, line: QueueOrStream) -> bool {
        Self::wait_targets_with_line(line).any(|work| work == self)
    }

    /// Returns whether this is the work of a single queue or stream that `lines` does not contain.
    fn is_work_of_other_line(self, lines: &BTreeSet<QueueOrStream>) -> bool {
        matches!(self, Self::Of(line) if !lines.contains(&line.queue_of_copies_or_self()))
    }
}

/// The work that is known to be done at a point in a queue or a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorClock {
    /// The times up to which work is known to be done. Clocks share maps: n clocks without sharing need n * n entries.
    known: Arc<BTreeMap<WaitTarget, u64>>,
    /// The version of the host's clock whose work is known to be done too.
    pub host_version: u64,
}

impl VectorClock {
    pub fn reaching_all_work(time: u64) -> Self {
        let known = BTreeMap::from([(WaitTarget::AllQueues, time), (WaitTarget::AllStreams, time)]);
        Self { known: known.into(), host_version: 0 }
    }

    pub fn new_knowing_host(host_version: u64) -> Self {
        Self { host_version, ..Self::default() }
    }

    pub fn has_reached(&self, line: QueueOrStream, time: u64) -> bool {
        WaitTarget::wait_targets_with_line(line)
            .any(|work| self.known.get(&work).is_some_and(|known| *known >= time))
    }

    pub fn advance_clock(&mut self, work: WaitTarget, time: u64) {
        if self.includes(work, time) {
            return;
        }
        Arc::make_mut(&mut self.known).insert(work, time);
    }

    fn includes(&self, work: WaitTarget, time: u64) -> bool {
        match work {
            WaitTarget::Of(line) => self.has_reached(line, time),
            _ => self.known.get(&work).is_some_and(|known| *known >= time),
        }
    }

    pub fn merge_clock(&mut self, other: &Self) {
        self.host_version = self.host_version.max(other.host_version);
        if self.known.iter().all(|(work, time)| other.includes(*work, *time)) {
            self.known = other.known.clone();
            return;
        }
        for (work, time) in other.known.iter() {
            self.advance_clock(*work, *time);
        }
    }

    pub fn merged_with(mut self, other: &Self) -> Self {
        self.merge_clock(other);
        self
    }

    /// Forgets the queues and streams that are not in `lines`. The replay has no accesses of theirs.
    pub fn keep_lines(&mut self, lines: &BTreeSet<QueueOrStream>) {
        if self.known.keys().any(|work| work.is_work_of_other_line(lines)) {
            Arc::make_mut(&mut self.known).retain(|work, _| !work.is_work_of_other_line(lines));
        }
    }
}

/// The work that the host knows to be done. `VectorClock::host_version` is a version of this clock.
#[derive(Default)]
pub struct HostClock {
    pub version: u64,
    /// For each target: at which versions the host learned of its work, and up to which times the work was done.
    learned: BTreeMap<WaitTarget, VecDeque<(u64, u64)>>,
}

impl HostClock {
    /// Returns whether the host knew, at a version of the host's clock, that this work was done.
    pub fn had_host_reached(&self, version: u64, line: QueueOrStream, time: u64) -> bool {
        let learned =
            WaitTarget::wait_targets_with_line(line).filter_map(|work| self.learned.get(&work)).flatten();
        learned.into_iter().any(|(since, known)| *since <= version && *known >= time)
    }

    pub fn learn_work(&mut self, work: WaitTarget, time: u64) {
        const MOST: usize = 32;
        let learned = self.learned.entry(work).or_default();
        if learned.back().is_some_and(|(_, known)| *known >= time) {
            return;
        }
        self.version += 1;
        learned.push_back((self.version, time));
        if learned.len() > MOST {
            // The oldest kept entry gets the version of the dropped entry, whose order would be missing otherwise.
            let oldest = learned.pop_front().map_or(0, |(since, _)| since);
            learned[0].0 = oldest;
        }
    }

    pub fn learn_clock(&mut self, clock: &VectorClock) {
        for (work, time) in clock.known.iter() {
            self.learn_work(*work, *time);
        }
    }

    pub fn keep_lines(&mut self, lines: &BTreeSet<QueueOrStream>) {
        self.learned.retain(|work, _| !work.is_work_of_other_line(lines));
    }
}

/// An order that the host knew stays known, however often the host learns more.
#[test]
fn the_host_forgets_no_order() {
    const STREAM: QueueOrStream = QueueOrStream::Stream(1);
    let mut host = HostClock::default();
    (1..100).for_each(|time| host.learn_work(WaitTarget::Of(STREAM), time));
    for (version, time) in [(1, 1), (50, 50), (99, 99)] {
        assert!(host.had_host_reached(version, STREAM, time), "{version}");
    }
    assert!(!host.had_host_reached(98, STREAM, 99));
}
