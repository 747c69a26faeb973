//! What becomes of the bindings' forms: the build writes data, and these macros make Rust items of it.

#[macro_use]
mod enums;
#[macro_use]
mod functions;
#[macro_use]
mod layout;
#[macro_use]
mod records;
#[macro_use]
mod slot;

pub(crate) use enums::{name, print};
