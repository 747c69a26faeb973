//! From the statements of a kernel to its program. The tables (table.rs, and those of values/) say what an instruction takes.

mod contract;
mod control;
mod functions;
mod lowering;
mod memory;
mod names;
mod operands;
mod registers;
mod syntax;
mod table;

pub use functions::kernel;
pub use names::Globals;
