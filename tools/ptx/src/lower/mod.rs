//! From the statements of a kernel to its program. A file sees the floors below its own alone:
//!
//! ```text
//! functions                   a kernel, and the functions that it calls
//! statements                  declarations, labels, instructions
//! table                       what an instruction takes
//! control                     branches, calls, barriers, warps
//! memory registers            loads, stores, atomics, images; comparisons, copies, carries
//! operands                    names, registers, addresses
//! lowering                    the state while a kernel is lowered
//! contract names syntax       which sums become `fma`; what a name stands for; the patterns of modifiers
//! ```

mod contract;
mod control;
mod functions;
mod lowering;
mod memory;
mod names;
mod operands;
mod registers;
mod statements;
mod syntax;
mod table;

pub use functions::kernel;
pub use names::Globals;
