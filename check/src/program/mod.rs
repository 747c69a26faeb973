//! Runs the program with the layer, and prints what was found.

mod directory;
mod driver;
mod layer;
mod reports;
mod run;
mod signals;
mod summary;
mod symbols;
mod vulkan;
mod watch;

pub use driver::file_of;
pub use reports::{list_rules, say};
pub use run::run;
