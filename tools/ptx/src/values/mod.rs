//! The computations of instructions on registers alone, for the 32 threads of a warp at a time.

mod bits;
pub mod cells;
mod compare;
mod convert;
pub mod exact;
mod float;
mod form;
mod integers;

pub(crate) use cells::lanes;
pub use cells::{Call, Compute, File, Longs, WARP, Words, map, write};
pub use compare::comparison;
pub use float::{add_f32, add_f64, add_halves, wide};
pub use form::{Form, LONG, Sort, Type, Value, WORD, Want};

/// The tables of values.
pub const TABLES: &[&[Value]] = &[integers::TABLE, bits::TABLE, float::TABLE, compare::TABLE, convert::TABLE];
