//! The values of the three large enums: [`CUresult`], [`CUdevice_attribute`] and [`CUarray_format`].
//!
//! They have the names of cuda.h. Each enum's page says what its values have in common. [What a result
//! means](crate#errors-that-any-call-can-return) is on the front page, and what to do about it on the [first aid
//! page](crate::guide::first_aid).

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::CUarray_format_values::*;
pub use crate::bindings::CUdevice_attribute_values::*;
pub use crate::bindings::CUresult_values::*;
