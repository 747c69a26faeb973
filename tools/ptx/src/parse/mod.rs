//! Parses PTX to tokens and to the statements of a module, without the meaning of instructions.

mod declarations;
mod function_body;
pub mod load_error;
mod syntax_tree;
mod tokenizer;

pub use declarations::parse_module;
pub use syntax_tree::*;
pub use tokenizer::NumberLiteral;
