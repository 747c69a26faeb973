//! The build writes the bindings as data, and these macros make Rust items of it.

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

pub(crate) use enums::{name, print};
