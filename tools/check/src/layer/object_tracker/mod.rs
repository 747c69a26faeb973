//! Checks handles, and the structs of imports and mappings.

pub mod array_desc_problems;
pub mod handle_checks;
pub mod import_desc_fields;
pub mod imported_fd;
