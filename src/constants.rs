//! The values of the three enums that have many: [`CUresult`], [`CUdevice_attribute`] and [`CUarray_format`].
//!
//! They are those of the `cuda.h` that the bindings are of, under its names. Each enum's page says what they
//! have in common. [What a result means](crate#errors-that-any-call-can-return) is on the front page, and what to do
//! about it on the
//! [first aid page](crate::guide::first_aid).

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::CUarray_format_values::*;
pub use crate::bindings::CUdevice_attribute_values::*;
pub use crate::bindings::CUresult_values::*;
