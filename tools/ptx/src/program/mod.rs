//! A kernel as a program that runs: operations, address spaces, the heap, images and special registers.

pub mod address_spaces;
pub mod device_heap;
pub mod image_sampling;
pub mod operations;
pub mod special_registers;
