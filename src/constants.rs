//! The values of the three large enums: [`CUresult`], [`CUdevice_attribute`] and [`CUarray_format`].
//!
//! The constants have cuda.h's names. The front page explains [the results that any call can
//! return](crate#errors-that-any-call-can-return), a function's page explains its other results, and [first
//! aid](crate::guide::first_aid) has the remedies.

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::CUarray_format_values::*;
pub use crate::bindings::CUdevice_attribute_values::*;
pub use crate::bindings::CUresult_values::*;
