#![doc = include_str!("../docs/cig.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

pub use crate::bindings::CUcigDataType_values::*;
pub use crate::bindings::CUexecAffinityType_values::*;
pub use crate::bindings::CUstreamCigDataType_values::*;
pub use crate::bindings::{
    CUcigDataType, CUctxCigParam, CUctxCreateParams, CUexecAffinityParam, CUexecAffinitySmCount,
    CUexecAffinityType, CUstreamCigCaptureParams, CUstreamCigDataType, CUstreamCigParam,
};

pub use crate::bindings::CUexecAffinityParam_param;
