pub mod fault_api;
mod two_drivers;
