//! Work in streams: what it touches, and the order that the check knows.

pub mod enqueue;
pub mod stream_order;
pub mod touched_ranges;
