//! The files that are generated in this repository, from headers, from libraries of drivers, and from rustdoc's pages.
//! The program writes them; the test program `generated` compares them.

pub mod check_rules;
pub mod code_quotes;
pub mod embedded_file;
pub mod first_aid;
pub mod function_names;
pub mod newest_release_file;
pub mod releases_page;
mod repository_files;
pub mod struct_sizes;
pub mod surface_list;

pub use repository_files::read_file;
