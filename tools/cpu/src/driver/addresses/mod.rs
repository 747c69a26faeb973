//! The addresses that the driver knows, and the only way from them to bytes.

pub mod address_ranges;
pub mod byte_spans;
