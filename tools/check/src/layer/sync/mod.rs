//! Work in streams: what it touches, and the order that the check knows.

pub mod call_accesses;
pub mod enqueue;
pub mod stream_order;
