//! Work in streams: the memory that the work accesses, and the order of the work as far as the check sees it.

pub mod call_accesses;
pub mod enqueue;
pub mod stream_order;
