//! Whether handles are valid, and what the structs of an import or a mapping contain.

pub mod array_shapes;
pub mod desc_fields;
pub mod handle_checks;
