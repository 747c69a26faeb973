//! Functions of what is not here: OpenGL, EGL, CUDA in Graphics, dma-bufs. They answer as a driver does without those.

use std::ffi::{c_uint, c_ulonglong, c_void};

use cuda_external_sys::*;

use super::call::functions;

functions! {
    Init fn cuMemGetHandleForAddressRange: PFN_cuMemGetHandleForAddressRange,
        (_handle: *mut c_void, _address: CUdeviceptr, _size: usize, _type: CUmemRangeHandleType,
         _flags: c_ulonglong)
    {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuStreamBeginCaptureToCig: PFN_cuStreamBeginCaptureToCig,
        (_stream: CUstream, _params: *mut CUstreamCigCaptureParams)
    {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuStreamEndCaptureToCig: PFN_cuStreamEndCaptureToCig, (_stream: CUstream) {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuGraphicsGLRegisterBuffer: PFN_cuGraphicsGLRegisterBuffer,
        (_resource: *mut CUgraphicsResource, _buffer: c_uint, _flags: c_uint)
    {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuGraphicsGLRegisterImage: PFN_cuGraphicsGLRegisterImage,
        (_resource: *mut CUgraphicsResource, _image: c_uint, _target: c_uint, _flags: c_uint)
    {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuGraphicsEGLRegisterImage: PFN_cuGraphicsEGLRegisterImage,
        (_resource: *mut CUgraphicsResource, _image: *mut c_void, _flags: c_uint)
    {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
    Init fn cuGraphicsResourceGetMappedEglFrame: PFN_cuGraphicsResourceGetMappedEglFrame,
        (_frame: *mut CUeglFrame, _resource: CUgraphicsResource, _index: c_uint, _level: c_uint)
    {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
    Init fn cuGraphicsMapResources: PFN_cuGraphicsMapResources,
        (_count: c_uint, _resources: *mut CUgraphicsResource, _stream: CUstream)
    {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
    Init fn cuGraphicsUnmapResources: PFN_cuGraphicsUnmapResources,
        (_count: c_uint, _resources: *mut CUgraphicsResource, _stream: CUstream)
    {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
    Init fn cuGraphicsResourceGetMappedPointer_v2: PFN_cuGraphicsResourceGetMappedPointer_v2,
        (_address: *mut CUdeviceptr, _size: *mut usize, _resource: CUgraphicsResource)
    {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
    Init fn cuGraphicsSubResourceGetMappedArray: PFN_cuGraphicsSubResourceGetMappedArray,
        (_array: *mut CUarray, _resource: CUgraphicsResource, _index: c_uint, _level: c_uint)
    {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
    Init fn cuGraphicsUnregisterResource: PFN_cuGraphicsUnregisterResource, (_resource: CUgraphicsResource) {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
}
