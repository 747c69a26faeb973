//! The faults that a program injects, by the functions' names.

pub mod fault_api;
mod two_drivers;
