#![doc = include_str!("../docs/companion.md")]

mod allocation;
mod array;
mod context;
mod copy;
mod device;
mod driver;
mod stream;

pub use allocation::*;
pub use array::*;
pub use context::*;
pub use copy::*;
pub use device::*;
pub use driver::*;
pub use stream::*;
