//! Turns kernels into operations. `lower_kernel` lowers a kernel, and the functions that it calls. `statement_lowering`
//! lowers a statement, and `operand_lowering` an operand. `instruction_table` finds the function that lowers an
//! instruction. At the end, `function_linking` lays out the kernel's shared variables and read-only registers.

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
