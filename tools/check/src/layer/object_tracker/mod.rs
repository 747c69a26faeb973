//! Checks handles, and the arguments of imports and mappings.

pub mod array_desc_problems;
pub mod handle_checks;
pub mod import_arguments;
