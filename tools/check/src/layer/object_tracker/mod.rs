//! Whether handles are valid, and what the structs of an import or a mapping contain.

pub mod array_desc_problems;
pub mod handle_checks;
pub mod import_desc_fields;
pub mod imported_fd;
