//! PTX as text: tokens, and the statements of a module. The meaning of instructions is not known here.

mod body;
mod declarations;
mod tokens;
mod tree;

pub use declarations::module;
pub use tokens::Number;
pub use tree::{Function, Instruction, Module, Operand, Statement, Value, Variable, size_of};
