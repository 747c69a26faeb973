//! The functions of [`crate::graph`].

mod lifecycle;
mod node;
mod semaphore_nodes;

pub use {lifecycle::*, node::*, semaphore_nodes::*};
