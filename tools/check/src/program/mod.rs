//! Runs the program with the layer, and prints what was found. A file uses only the files above it:
//!
//! ```text
//! driver, layer                 the real driver; the layer's file
//! vulkan, symbols               the layer for Vulkan; names and lines
//! signals, reports, sarif       signals for the program; what is printed; the findings for code hosts
//! directory, summary            the libraries and the shared file; the end of it
//! run                           from the start to the exit code
//! ```

mod directory;
mod driver;
mod layer;
mod reports;
mod run;
mod sarif;
mod signals;
mod summary;
mod symbols;
mod vulkan;

pub use driver::file_of;
pub use reports::{list_rules, say};
pub use run::run;
