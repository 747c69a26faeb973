//! What is known to be done, as a clock.

use std::collections::BTreeMap;

use crate::layer::vulkan::sync::queue_or_stream::QueueOrStream;

/// The time up to which the work of each queue and each stream is known to be done. There is one count of times for
/// all of them, so that a wait for everything is one number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorClock {
    all_queues: u64,
    all_streams: u64,
    /// Those of which more is known.
    each: BTreeMap<QueueOrStream, u64>,
}

/// The work that the host waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitedWork {
    AllQueues,
    AllStreams,
    Of(QueueOrStream),
}

impl WaitedWork {
    pub fn includes_line(self, line: QueueOrStream) -> bool {
        match self {
            Self::AllQueues => !line.is_stream(),
            Self::AllStreams => line.is_stream(),
            Self::Of(of) => of == line,
        }
    }
}

impl VectorClock {
    pub fn reaching_all_work(time: u64) -> Self {
        Self { all_queues: time, all_streams: time, each: BTreeMap::new() }
    }

    fn known_time_of_all(&self, line: QueueOrStream) -> u64 {
        if line.is_stream() { self.all_streams } else { self.all_queues }
    }

    pub fn has_reached(&self, line: QueueOrStream, time: u64) -> bool {
        self.known_time_of_all(line) >= time || self.each.get(&line).is_some_and(|known| *known >= time)
    }

    pub fn advance_clock(&mut self, work: WaitedWork, time: u64) {
        match work {
            WaitedWork::AllQueues => self.all_queues = self.all_queues.max(time),
            WaitedWork::AllStreams => self.all_streams = self.all_streams.max(time),
            WaitedWork::Of(line) if !self.has_reached(line, time) => _ = self.each.insert(line, time),
            WaitedWork::Of(_) => {}
        }
        let (queues, streams) = (self.all_queues, self.all_streams);
        if matches!(work, WaitedWork::AllQueues | WaitedWork::AllStreams) {
            self.each.retain(|line, known| *known > if line.is_stream() { streams } else { queues });
        }
    }

    pub fn merge_clock(&mut self, other: &Self) {
        self.advance_clock(WaitedWork::AllQueues, other.all_queues);
        self.advance_clock(WaitedWork::AllStreams, other.all_streams);
        for (line, time) in &other.each {
            self.advance_clock(WaitedWork::Of(*line), *time);
        }
    }

    /// Forgets a queue or stream of which no access is kept.
    pub fn forget_line(&mut self, line: QueueOrStream) {
        self.each.retain(|known, _| known.owning_queue() != line);
    }
}
