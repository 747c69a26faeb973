//! The generated text, and the macros that decide what its functions and enums are.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(missing_docs)] // documented where the topic modules export them
#![allow(clippy::missing_safety_doc, clippy::upper_case_acronyms)]

mod location;
pub use location::CUmemLocation;

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
