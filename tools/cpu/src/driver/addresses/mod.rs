pub mod address_ranges;
pub mod address_reuse;
pub mod byte_spans;
