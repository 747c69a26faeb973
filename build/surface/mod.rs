//! The surface: the items that the crate has on every machine (the embedded bindings), with a header's values.

pub mod compare_items;
pub mod make_embedded_text;
pub mod merge_header;
pub mod model;
mod rename_c_types;
mod validate_bindings;
