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
/// The type of a pointer to [`cuArray3DGetDescriptor_v2`].
pub use crate::bindings::PFN_cuArray3DGetDescriptor_v2;
/// The type of a pointer to [`cuCtxGetCurrent`].
pub use crate::bindings::PFN_cuCtxGetCurrent;
/// The type of a pointer to [`cuCtxSetCurrent`].
pub use crate::bindings::PFN_cuCtxSetCurrent;
/// The type of a pointer to [`cuCtxSynchronize`].
pub use crate::bindings::PFN_cuCtxSynchronize;
/// The type of a pointer to [`cuDeviceGet`].
pub use crate::bindings::PFN_cuDeviceGet;
/// The type of a pointer to [`cuDeviceGetAttribute`].
pub use crate::bindings::PFN_cuDeviceGetAttribute;
/// The type of a pointer to [`cuDeviceGetCount`].
pub use crate::bindings::PFN_cuDeviceGetCount;
/// The type of a pointer to [`cuDeviceGetLuid`].
pub use crate::bindings::PFN_cuDeviceGetLuid;
/// The type of a pointer to [`cuDeviceGetName`].
pub use crate::bindings::PFN_cuDeviceGetName;
/// The type of a pointer to [`cuDeviceGetUuid_v2`].
pub use crate::bindings::PFN_cuDeviceGetUuid_v2;
/// The type of a pointer to [`cuDevicePrimaryCtxRelease_v2`].
pub use crate::bindings::PFN_cuDevicePrimaryCtxRelease_v2;
/// The type of a pointer to [`cuDevicePrimaryCtxRetain`].
pub use crate::bindings::PFN_cuDevicePrimaryCtxRetain;
/// The type of a pointer to [`cuDriverGetVersion`].
pub use crate::bindings::PFN_cuDriverGetVersion;
/// The type of a pointer to [`cuGetErrorName`].
pub use crate::bindings::PFN_cuGetErrorName;
/// The type of a pointer to [`cuGetErrorString`].
pub use crate::bindings::PFN_cuGetErrorString;
/// The type of a pointer to [`cuInit`].
pub use crate::bindings::PFN_cuInit;
/// The type of a pointer to [`cuMemAddressFree`].
pub use crate::bindings::PFN_cuMemAddressFree;
/// The type of a pointer to [`cuMemAddressReserve`].
pub use crate::bindings::PFN_cuMemAddressReserve;
/// The type of a pointer to [`cuMemAlloc_v2`].
pub use crate::bindings::PFN_cuMemAlloc_v2;
/// The type of a pointer to [`cuMemCreate`].
pub use crate::bindings::PFN_cuMemCreate;
/// The type of a pointer to [`cuMemExportToShareableHandle`].
pub use crate::bindings::PFN_cuMemExportToShareableHandle;
/// The type of a pointer to [`cuMemFree_v2`].
pub use crate::bindings::PFN_cuMemFree_v2;
/// The type of a pointer to [`cuMemGetAllocationGranularity`].
pub use crate::bindings::PFN_cuMemGetAllocationGranularity;
/// The type of a pointer to [`cuMemGetHandleForAddressRange`].
pub use crate::bindings::PFN_cuMemGetHandleForAddressRange;
/// The type of a pointer to [`cuMemGetInfo_v2`].
pub use crate::bindings::PFN_cuMemGetInfo_v2;
/// The type of a pointer to [`cuMemMap`].
pub use crate::bindings::PFN_cuMemMap;
/// The type of a pointer to [`cuMemRelease`].
pub use crate::bindings::PFN_cuMemRelease;
/// The type of a pointer to [`cuMemSetAccess`].
pub use crate::bindings::PFN_cuMemSetAccess;
/// The type of a pointer to [`cuMemUnmap`].
pub use crate::bindings::PFN_cuMemUnmap;
/// The type of a pointer to [`cuMemcpy3D_v2`].
pub use crate::bindings::PFN_cuMemcpy3D_v2;
/// The type of a pointer to [`cuMemcpy3DAsync_v2`].
pub use crate::bindings::PFN_cuMemcpy3DAsync_v2;
/// The type of a pointer to [`cuMemcpyDtoD_v2`].
pub use crate::bindings::PFN_cuMemcpyDtoD_v2;
/// The type of a pointer to [`cuMemcpyDtoDAsync_v2`].
pub use crate::bindings::PFN_cuMemcpyDtoDAsync_v2;
/// The type of a pointer to [`cuMemcpyDtoH_v2`].
pub use crate::bindings::PFN_cuMemcpyDtoH_v2;
/// The type of a pointer to [`cuMemcpyDtoHAsync_v2`].
pub use crate::bindings::PFN_cuMemcpyDtoHAsync_v2;
/// The type of a pointer to [`cuMemcpyHtoD_v2`].
pub use crate::bindings::PFN_cuMemcpyHtoD_v2;
/// The type of a pointer to [`cuMemcpyHtoDAsync_v2`].
pub use crate::bindings::PFN_cuMemcpyHtoDAsync_v2;
/// The type of a pointer to [`cuMemsetD8_v2`].
pub use crate::bindings::PFN_cuMemsetD8_v2;
/// The type of a pointer to [`cuMemsetD8Async`].
pub use crate::bindings::PFN_cuMemsetD8Async;
/// The type of a pointer to [`cuMemsetD32_v2`].
pub use crate::bindings::PFN_cuMemsetD32_v2;
/// The type of a pointer to [`cuMemsetD32Async`].
pub use crate::bindings::PFN_cuMemsetD32Async;
/// The type of a pointer to [`cuMipmappedArrayDestroy`].
pub use crate::bindings::PFN_cuMipmappedArrayDestroy;
/// The type of a pointer to [`cuMipmappedArrayGetLevel`].
pub use crate::bindings::PFN_cuMipmappedArrayGetLevel;
/// The type of a pointer to [`cuStreamCreate`].
pub use crate::bindings::PFN_cuStreamCreate;
/// The type of a pointer to [`cuStreamDestroy_v2`].
pub use crate::bindings::PFN_cuStreamDestroy_v2;
/// The type of a pointer to [`cuStreamQuery`].
pub use crate::bindings::PFN_cuStreamQuery;
/// The type of a pointer to [`cuStreamSynchronize`].
pub use crate::bindings::PFN_cuStreamSynchronize;
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
