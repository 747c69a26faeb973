//! The files that are generated in this repository, from headers, from libraries of drivers, and from rustdoc's pages.
//! The program writes them; the test program `generated` compares them.

pub mod check_rules;
pub mod embedded;
mod files;
pub mod first_aid;
pub mod names;
pub mod newest;
pub mod quotes;
pub mod releases;
pub mod struct_sizes;
pub mod surface_list;

pub use files::read;
