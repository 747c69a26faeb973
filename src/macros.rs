//! The macros that make Rust items from the bindings' text, and the exported `extern_driver!` and `assert_layout!`.

#[macro_use]
mod extern_driver;
#[macro_use]
mod enums;
#[macro_use]
mod driver_functions;
#[macro_use]
pub mod assert_layout;
#[macro_use]
mod records;
#[macro_use]
mod slot;
#[cfg(any(feature = "load", feature = "link"))]
pub mod symbols;

pub(crate) use enums::{first_name_of_value, print_enum_value};
