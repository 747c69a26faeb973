//! The functions of [`crate::transfer`].

mod fill;
mod linear;
mod pitched;

pub use {fill::*, linear::*, pitched::*};
