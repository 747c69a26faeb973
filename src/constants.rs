//! The values of the three large enums: [`CUresult`], [`CUdevice_attribute`] and [`CUarray_format`].
//!
//! The constants have cuda.h's names. The pages of [`CUresult`], [`cuDeviceGetAttribute`] and [`CUarray_format`]
//! explain some of the constants. The crate's front page lists [the results that any call can
//! return](crate#errors-that-any-call-can-return), and [first aid](crate::guide::first_aid) has remedies.

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::CUarray_format_values::*;
pub use crate::bindings::CUdevice_attribute_values::*;
pub use crate::bindings::CUresult_values::*;
