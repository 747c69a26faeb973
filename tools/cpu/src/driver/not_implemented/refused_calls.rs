//! Functions of resources of OpenGL and EGL, which cannot be registered here, and of dma-bufs.

use crate::driver::driver_prelude::*;

/// The result of a call that names a resource: every handle is invalid.
const NO_RESOURCE: CudaResult = Err(CUDA_ERROR_INVALID_HANDLE);

functions! {
    Init fn cuGraphicsResourceGetMappedEglFrame: PFN_cuGraphicsResourceGetMappedEglFrame, (_a, _b, _c, _d) {
        NO_RESOURCE
    }
    Init fn cuGraphicsMapResources | cuGraphicsUnmapResources +_ptsz: PFN_cuGraphicsMapResources, (_a, first, _c) {
        ensure_valid(!first.is_null()).and(NO_RESOURCE)
    }
    Init fn cuGraphicsResourceGetMappedPointer_v2: PFN_cuGraphicsResourceGetMappedPointer_v2, (_a, _b, _c) {
        NO_RESOURCE
    }
    Init fn cuGraphicsSubResourceGetMappedArray: PFN_cuGraphicsSubResourceGetMappedArray, (_a, _b, _c, _d) {
        NO_RESOURCE
    }
    Init fn cuGraphicsUnregisterResource: PFN_cuGraphicsUnregisterResource, (_a) { NO_RESOURCE }
    Init fn cuMemGetHandleForAddressRange: PFN_cuMemGetHandleForAddressRange, (handle, address, size, type_, flags) {
        ensure_valid(!handle.is_null() && address != 0 && size > 0)?;
        current_context()?;
        ensure_valid(type_ == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD && flags == 0)?;
        // No memory here is a dma-buf.
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
}
