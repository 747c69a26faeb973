//! Runs the checked program with the layer, and prints the findings.

mod driver_file;
mod final_summary;
mod layer_directory;
mod layer_symbols;
mod printed_findings;
mod run_program;
mod signal_forwarding;
mod symbolizer;

pub use driver_file::library_of_function;
pub use printed_findings::{print_notice, print_rules};
pub use run_program::run_checked;
