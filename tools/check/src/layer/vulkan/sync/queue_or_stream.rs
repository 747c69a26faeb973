//! Where work is in order.

/// A Vulkan queue, or a CUDA stream: the work of each is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueOrStream {
    Queue(u64),
    /// The copies of a queue, which a signal may leave out.
    Copies(u64),
    Stream(usize),
}

impl QueueOrStream {
    pub fn is_stream(self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// What its copies are known by.
    pub fn own_copies(self) -> Self {
        match self {
            Self::Queue(queue) => Self::Copies(queue),
            other => other,
        }
    }

    /// The queue that copies belong to.
    pub fn owning_queue(self) -> Self {
        match self {
            Self::Copies(queue) => Self::Queue(queue),
            other => other,
        }
    }
}
