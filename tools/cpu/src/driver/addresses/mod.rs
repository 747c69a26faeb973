pub mod accessible_memory;
pub mod address_ranges;
pub mod address_reuse;
