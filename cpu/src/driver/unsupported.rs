//! Functions of what is not here: OpenGL, EGL, CUDA in Graphics, dma-bufs. They answer as a driver does without those.

use super::prelude::*;

const ABSENT: Answer = Err(CUDA_ERROR_NOT_SUPPORTED);
/// No handle is one of these resources.
const NO_RESOURCE: Answer = Err(CUDA_ERROR_INVALID_HANDLE);

functions! {
    Init fn cuMemGetHandleForAddressRange: PFN_cuMemGetHandleForAddressRange, (_a, _b, _c, _d, _e) { ABSENT }
    Init fn cuStreamBeginCaptureToCig: PFN_cuStreamBeginCaptureToCig, (_a, _b) { ABSENT }
    Init fn cuStreamEndCaptureToCig: PFN_cuStreamEndCaptureToCig, (_a) { ABSENT }
    Init fn cuGraphicsGLRegisterBuffer: PFN_cuGraphicsGLRegisterBuffer, (_a, _b, _c) { ABSENT }
    Init fn cuGraphicsGLRegisterImage: PFN_cuGraphicsGLRegisterImage, (_a, _b, _c, _d) { ABSENT }
    Init fn cuGraphicsEGLRegisterImage: PFN_cuGraphicsEGLRegisterImage, (_a, _b, _c) { ABSENT }
    Init fn cuGraphicsResourceGetMappedEglFrame: PFN_cuGraphicsResourceGetMappedEglFrame, (_a, _b, _c, _d) { NO_RESOURCE }
    Init fn cuGraphicsMapResources: PFN_cuGraphicsMapResources, (_a, _b, _c) { NO_RESOURCE }
    Init fn cuGraphicsUnmapResources: PFN_cuGraphicsUnmapResources, (_a, _b, _c) { NO_RESOURCE }
    Init fn cuGraphicsResourceGetMappedPointer_v2: PFN_cuGraphicsResourceGetMappedPointer_v2, (_a, _b, _c) { NO_RESOURCE }
    Init fn cuGraphicsSubResourceGetMappedArray: PFN_cuGraphicsSubResourceGetMappedArray, (_a, _b, _c, _d) { NO_RESOURCE }
    Init fn cuGraphicsUnregisterResource: PFN_cuGraphicsUnregisterResource, (_a) { NO_RESOURCE }
}
