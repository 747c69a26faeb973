//! A kernel as a program that runs: its operations, the addresses of memory, and its images.

pub mod address_spaces;
pub mod device_heap;
pub mod image_sampling;
pub mod operations;
pub mod special_registers;
