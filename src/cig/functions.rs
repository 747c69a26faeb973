//! The functions of [`crate::cig`].

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::{
    cuCtxCreate_v4, cuCtxDestroy_v2, cuStreamBeginCaptureToCig, cuStreamEndCaptureToCig,
};

pub use crate::bindings::{cuCtxCreate, cuCtxDestroy};
