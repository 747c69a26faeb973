pub mod address_ranges;
pub mod byte_spans;
pub mod unfinished_work;
