//! The order of work: a replay of what both APIs enqueue, and the accesses to each allocation in that order.

pub mod access_history;
pub mod memory_range;
pub mod queue_and_stream_replay;
pub mod queue_or_stream;
pub mod vector_clock;
