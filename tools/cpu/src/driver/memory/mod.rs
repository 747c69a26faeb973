pub mod allocations;
pub mod memcpy;
pub mod memory_pools;
pub mod memset;
pub mod pointer_attributes;
pub mod stream_memory_ops;
pub mod virtual_memory;
