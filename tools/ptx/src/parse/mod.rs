//! PTX as text: tokens, and the statements of a module. The meaning of instructions is not known here.

mod declarations;
mod function_body;
pub mod load_error;
mod syntax_tree;
mod tokenizer;

pub use declarations::parse_module;
pub use syntax_tree::*;
pub use tokenizer::NumberLiteral;
