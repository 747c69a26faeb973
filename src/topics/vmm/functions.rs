//! The functions of [`crate::vmm`].

mod allocation;
mod mapping;

pub use {allocation::*, mapping::*};
