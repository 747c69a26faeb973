//! The queues and streams, each of which runs its work in order.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueOrStream {
    Queue(u64),
    /// The copies of a queue. A signal of other stages does not cover the copies.
    Copies(u64),
    /// A stream that does not wait for the default stream.
    Stream(usize),
    /// The default stream, or a blocking stream. The default stream and the blocking streams wait for each other.
    BlockingStream(usize),
}

impl QueueOrStream {
    pub fn stream_key(self) -> Option<usize> {
        match self {
            Self::Stream(key) | Self::BlockingStream(key) => Some(key),
            Self::Queue(_) | Self::Copies(_) => None,
        }
    }

    pub fn is_stream(self) -> bool {
        self.stream_key().is_some()
    }

    /// Returns the key of the copies in vector clocks. The copies of a stream have no separate key.
    pub fn line_of_copies(self) -> Self {
        match self {
            Self::Queue(queue) => Self::Copies(queue),
            other => other,
        }
    }

    /// Returns the queue of a `Copies`, or the queue or stream itself.
    pub fn queue_of_copies_or_self(self) -> Self {
        match self {
            Self::Copies(queue) => Self::Queue(queue),
            other => other,
        }
    }
}
