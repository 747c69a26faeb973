//! From the statements of a kernel to its program. A file sees the floors below its own alone:
//!
//! ```text
//! lower_kernel                              a kernel, and the functions that it calls
//! statements                                declarations, labels, instructions
//! instruction_table                         what an instruction takes
//! control_flow                              branches, calls, barriers, warps
//! memory_instructions register_instructions loads, stores, atomics, images; comparisons, copies, carries
//! operands                                  names, registers, addresses
//! lowering_context                          the state while a kernel is lowered
//! fuse_multiply_add symbol_names modifier_patterns
//! ```

mod control_flow;
mod fuse_multiply_add;
mod instruction_table;
mod lower_kernel;
mod lowering_context;
mod memory_instructions;
mod modifier_patterns;
mod operands;
mod register_instructions;
mod statements;
mod symbol_names;

pub use lower_kernel::lower_kernel;
pub use symbol_names::{ModuleSymbols, SymbolAddresses};
