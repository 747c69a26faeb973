//! Where work is in order.

/// A Vulkan queue, or a CUDA stream: the work of each is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueOrStream {
    Queue(u64),
    Stream(usize),
}

impl QueueOrStream {
    pub fn is_stream(self) -> bool {
        matches!(self, Self::Stream(_))
    }
}
