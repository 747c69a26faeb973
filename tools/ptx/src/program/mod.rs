//! A kernel as a program that runs: operations, address spaces, the module's memory, images and special registers.

pub mod address_spaces;
pub mod image_sampling;
pub mod module_memory;
pub mod operations;
pub mod special_registers;
