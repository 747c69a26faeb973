//! The functions of [`crate::texture`].

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::{cuSurfObjectCreate, cuSurfObjectDestroy, cuTexObjectCreate, cuTexObjectDestroy};
