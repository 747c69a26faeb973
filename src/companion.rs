//! What a program needs beside the family.

use core::ffi::c_int;

/// TODO
pub use crate::bindings::CUDA_ARRAY3D_COLOR_ATTACHMENT;
/// TODO
pub use crate::bindings::CUDA_ARRAY3D_CUBEMAP;
/// TODO
pub use crate::bindings::CUDA_ARRAY3D_DEPTH_TEXTURE;
/// TODO
pub use crate::bindings::CUDA_ARRAY3D_DESCRIPTOR;
/// TODO
pub use crate::bindings::CUDA_ARRAY3D_LAYERED;
/// TODO
pub use crate::bindings::CUDA_ARRAY3D_SURFACE_LDST;
/// TODO
pub use crate::bindings::CUDA_ARRAY3D_TEXTURE_GATHER;
/// TODO
pub use crate::bindings::CUDA_MEMCPY3D;
/// TODO
pub use crate::bindings::CUDA_VERSION;
/// TODO
pub use crate::bindings::CUarray;
/// TODO
pub use crate::bindings::CUarray_format;
pub use crate::bindings::CUarray_format_values::*;
/// TODO
pub use crate::bindings::CUarray_st;
/// TODO
pub use crate::bindings::CUcontext;
/// TODO
pub use crate::bindings::CUctx_st;
/// TODO
pub use crate::bindings::CUdevice;
/// TODO
pub use crate::bindings::CUdevice_attribute;
pub use crate::bindings::CUdevice_attribute_values::*;
/// TODO
pub use crate::bindings::CUdeviceptr;
/// TODO
pub use crate::bindings::CUmemAccess_flags;
pub use crate::bindings::CUmemAccess_flags_values::*;
/// TODO
pub use crate::bindings::CUmemAccessDesc;
/// TODO
pub use crate::bindings::CUmemAllocationGranularity_flags;
pub use crate::bindings::CUmemAllocationGranularity_flags_values::*;
/// TODO
pub use crate::bindings::CUmemAllocationHandleType;
pub use crate::bindings::CUmemAllocationHandleType_values::*;
/// TODO
pub use crate::bindings::CUmemAllocationProp;
/// TODO
pub use crate::bindings::CUmemAllocationProp_allocFlags;
/// TODO
pub use crate::bindings::CUmemAllocationType;
pub use crate::bindings::CUmemAllocationType_values::*;
/// TODO
pub use crate::bindings::CUmemGenericAllocationHandle;
/// TODO
pub use crate::bindings::CUmemLocationType;
pub use crate::bindings::CUmemLocationType_values::*;
/// TODO
pub use crate::bindings::CUmemRangeHandleType;
pub use crate::bindings::CUmemRangeHandleType_values::*;
/// TODO
pub use crate::bindings::CUmemorytype;
pub use crate::bindings::CUmemorytype_values::*;
/// TODO
pub use crate::bindings::CUmipmappedArray;
/// TODO
pub use crate::bindings::CUmipmappedArray_st;
/// TODO
pub use crate::bindings::CUresult;
pub use crate::bindings::CUresult_values::*;
/// TODO
pub use crate::bindings::CUstream;
/// TODO
pub use crate::bindings::CUstream_flags;
pub use crate::bindings::CUstream_flags_values::*;
/// TODO
pub use crate::bindings::CUstream_st;
/// TODO
pub use crate::bindings::CUuuid;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuArray3DGetDescriptor_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuCtxGetCurrent;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuCtxSetCurrent;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuCtxSynchronize;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGet;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetAttribute;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetCount;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetLuid;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetName;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetUuid_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDevicePrimaryCtxRelease_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDevicePrimaryCtxRetain;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDriverGetVersion;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGetErrorName;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGetErrorString;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuInit;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemAddressFree;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemAddressReserve;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemAlloc_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemCreate;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemExportToShareableHandle;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemFree_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemGetAllocationGranularity;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemGetHandleForAddressRange;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemGetInfo_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemMap;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemRelease;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemSetAccess;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemUnmap;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpy3D_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpy3DAsync_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoD_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoDAsync_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoH_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoHAsync_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyHtoD_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyHtoDAsync_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD8_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD8Async;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD32_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD32Async;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMipmappedArrayDestroy;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMipmappedArrayGetLevel;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamCreate;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamDestroy_v2;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamQuery;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamSynchronize;

/// Where memory is, or who accesses it.
///
/// Written by hand: a later release made `id` an arm of a union without a name, for which Rust has no spelling that
/// suits every release. Size, alignment and the place of both fields are the same in all of them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// What `id` counts.
    pub type_: CUmemLocationType,
    /// The device's ordinal, for [`CU_MEM_LOCATION_TYPE_DEVICE`].
    pub id: c_int,
}

impl Default for CUmemLocation {
    fn default() -> Self {
        Self { type_: CUmemLocationType(0), id: 0 }
    }
}
