//! From the statements of a kernel to its program: `lower_kernel` takes a kernel and what it calls, `statement_lowering`
//! takes each statement, `instruction_table` has a function for each instruction, and `function_linking` lays out the
//! kernel.

mod control_flow;
mod function_linking;
mod fuse_multiply_add;
mod instruction_table;
mod lower_kernel;
mod lowering_context;
mod memory_instructions;
mod modifier_patterns;
mod mov_compare_carry;
mod operand_lowering;
mod statement_lowering;
mod symbol_names;

pub use function_linking::LoweredModule;
pub use lower_kernel::lower_kernel;
pub use symbol_names::{ModuleSymbols, SymbolAddresses};
