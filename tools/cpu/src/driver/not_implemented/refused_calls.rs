//! Functions of resources of OpenGL and EGL. No resource is registered here.

use crate::driver::base::prelude::*;

/// No handle is one of these resources.
const NO_RESOURCE: CudaResult = Err(CUDA_ERROR_INVALID_HANDLE);

functions! {
    Init fn cuGraphicsResourceGetMappedEglFrame: PFN_cuGraphicsResourceGetMappedEglFrame, (_a, _b, _c, _d) {
        NO_RESOURCE
    }
    Init fn cuGraphicsMapResources +_ptsz: PFN_cuGraphicsMapResources, (_a, first, _c) {
        ensure_valid(!first.is_null())?;
        NO_RESOURCE
    }
    Init fn cuGraphicsUnmapResources +_ptsz: PFN_cuGraphicsUnmapResources, (_a, first, _c) {
        ensure_valid(!first.is_null())?;
        NO_RESOURCE
    }
    Init fn cuMemGetHandleForAddressRange: PFN_cuMemGetHandleForAddressRange, (handle, address, size, type_, flags) {
        ensure_valid(!handle.is_null() && address != 0 && size > 0)?;
        crate::driver::base::current_context::current_context()?;
        ensure_valid(type_ == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD && flags == 0)?;
        // Memory here is no dma-buf.
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuGraphicsResourceGetMappedPointer_v2: PFN_cuGraphicsResourceGetMappedPointer_v2, (_a, _b, _c) {
        NO_RESOURCE
    }
    Init fn cuGraphicsSubResourceGetMappedArray: PFN_cuGraphicsSubResourceGetMappedArray, (_a, _b, _c, _d) {
        NO_RESOURCE
    }
    Init fn cuGraphicsUnregisterResource: PFN_cuGraphicsUnregisterResource, (_a) { NO_RESOURCE }
}
