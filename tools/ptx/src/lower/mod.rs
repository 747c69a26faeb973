//! Turns the statements of kernels, and of the functions that kernels call, into operations.

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
pub use modifier_patterns::select_every_alu_op;
pub use symbol_names::{ModuleSymbols, SymbolAddresses};
