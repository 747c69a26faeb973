//! From the statements of a kernel to its program. The table (table.rs) says which function lowers an instruction.

mod contract;
mod control;
mod functions;
mod image;
mod lowering;
mod memory;
mod names;
mod operands;
mod registers;
mod syntax;
mod table;
mod warp;

pub use functions::kernel;
pub use names::Globals;
pub use table::forms;
