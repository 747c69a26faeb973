//! Texture and surface objects: how kernels read and write a mapped image in place.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

pub use crate::bindings::CUaddress_mode_values::*;
pub use crate::bindings::CUfilter_mode_values::*;
pub use crate::bindings::CUresourceViewFormat_values::*;
pub use crate::bindings::CUresourcetype_values::*;
pub use crate::bindings::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode,
    CUresourceViewFormat, CUresourcetype, CUsurfObject, CUtexObject,
};

pub use crate::bindings::{
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION, CU_TRSF_NORMALIZED_COORDINATES, CU_TRSF_READ_AS_INTEGER,
    CU_TRSF_SEAMLESS_CUBEMAP, CU_TRSF_SRGB, CUDA_RESOURCE_DESC_res, CUDA_RESOURCE_DESC_res_array,
    CUDA_RESOURCE_DESC_res_linear, CUDA_RESOURCE_DESC_res_mipmap, CUDA_RESOURCE_DESC_res_pitch2D,
    CUDA_RESOURCE_DESC_res_reserved,
};
