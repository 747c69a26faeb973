//! Parses PTX: splits a text into tokens, and the tokens into declarations and statements. The parser does not check
//! opcodes.

mod declarations;
mod function_body;
pub mod load_error;
mod syntax_tree;
mod tokenizer;

pub use declarations::parse_module;
pub use syntax_tree::*;
pub use tokenizer::NumberLiteral;
