//! From the statements of a kernel to its program. A file sees the floors below its own alone:
//!
//! ```text
//! lower_kernel                              a kernel, and the functions that it calls
//! statements                                declarations, labels, instructions
//! instruction_table                         what an instruction takes
//! control_flow                              branches, calls, barriers, warps
//! memory_instructions mov_compare_carry     loads, stores, atomics, images; comparisons, copies, carries
//! operands                                  names, registers, addresses
//! lowering_context                          the state while a function is lowered
//! function_linking                           functions that are lowered, copied into a kernel
//! fuse_multiply_add symbol_names modifier_patterns
//! ```

mod control_flow;
mod function_linking;
mod fuse_multiply_add;
mod instruction_table;
mod lower_kernel;
mod lowering_context;
mod memory_instructions;
mod modifier_patterns;
mod mov_compare_carry;
mod operands;
mod statements;
mod symbol_names;

pub use function_linking::{KernelPlan, LoweringCache};
pub use lower_kernel::plan_kernel;
pub use symbol_names::{ModuleSymbols, SymbolAddresses};
