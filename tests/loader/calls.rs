//! Every function of the surface, called once with zeroes: for drivers that touch no argument.

use cuda_external_sys::*;

/// Calls each function, `_` being a zero of the argument's type, and gives its name with its answer.
macro_rules! calls {
    ($($name:ident($($zero:tt),*),)*) => {
        // SAFETY: no argument is looked at, and a zero is a value of each type.
        vec![$((stringify!($name), unsafe { $name($(calls!(@ $zero)),*) })),*]
    };
    (@ _) => { std::mem::zeroed() };
}

pub fn all() -> Vec<(&'static str, CUresult)> {
    calls! {
        cuGetErrorString(_, _),
        cuGetErrorName(_, _),
        cuInit(_),
        cuDriverGetVersion(_),
        cuDeviceGet(_, _),
        cuDeviceGetCount(_),
        cuDeviceGetName(_, _, _),
        cuDeviceGetUuid_v2(_, _),
        cuDeviceGetLuid(_, _, _),
        cuDeviceGetAttribute(_, _, _),
        cuDeviceGetNvSciSyncAttributes(_, _, _),
        cuDevicePrimaryCtxRetain(_, _),
        cuDevicePrimaryCtxRelease_v2(_),
        cuCtxSetCurrent(_),
        cuCtxGetCurrent(_),
        cuCtxSynchronize(),
        cuMemGetInfo_v2(_, _),
        cuMemAlloc_v2(_, _),
        cuMemFree_v2(_),
        cuMemcpyHtoD_v2(_, _, _),
        cuMemcpyDtoH_v2(_, _, _),
        cuMemcpyDtoD_v2(_, _, _),
        cuMemcpy3D_v2(_),
        cuMemcpyHtoDAsync_v2(_, _, _, _),
        cuMemcpyDtoHAsync_v2(_, _, _, _),
        cuMemcpyDtoDAsync_v2(_, _, _, _),
        cuMemcpy3DAsync_v2(_, _),
        cuMemsetD8_v2(_, _, _),
        cuMemsetD32_v2(_, _, _),
        cuMemsetD8Async(_, _, _, _),
        cuMemsetD32Async(_, _, _, _),
        cuArray3DGetDescriptor_v2(_, _),
        cuMipmappedArrayGetLevel(_, _, _),
        cuMipmappedArrayDestroy(_),
        cuMemGetHandleForAddressRange(_, _, _, _, _),
        cuMemAddressReserve(_, _, _, _, _),
        cuMemAddressFree(_, _),
        cuMemCreate(_, _, _, _),
        cuMemRelease(_),
        cuMemMap(_, _, _, _, _),
        cuMemUnmap(_, _),
        cuMemSetAccess(_, _, _, _),
        cuMemExportToShareableHandle(_, _, _, _),
        cuMemGetAllocationGranularity(_, _, _),
        cuStreamCreate(_, _),
        cuStreamQuery(_),
        cuStreamSynchronize(_),
        cuStreamDestroy_v2(_),
        cuImportExternalMemory(_, _),
        cuExternalMemoryGetMappedBuffer(_, _, _),
        cuExternalMemoryGetMappedMipmappedArray(_, _, _),
        cuDestroyExternalMemory(_),
        cuImportExternalSemaphore(_, _),
        cuSignalExternalSemaphoresAsync(_, _, _, _),
        cuWaitExternalSemaphoresAsync(_, _, _, _),
        cuDestroyExternalSemaphore(_),
        cuGraphCreate(_, _),
        cuGraphAddMemsetNode(_, _, _, _, _, _),
        cuGraphAddExternalSemaphoresSignalNode(_, _, _, _, _),
        cuGraphExternalSemaphoresSignalNodeGetParams(_, _),
        cuGraphExternalSemaphoresSignalNodeSetParams(_, _),
        cuGraphAddExternalSemaphoresWaitNode(_, _, _, _, _),
        cuGraphExternalSemaphoresWaitNodeGetParams(_, _),
        cuGraphExternalSemaphoresWaitNodeSetParams(_, _),
        cuGraphInstantiateWithFlags(_, _, _),
        cuGraphExecExternalSemaphoresSignalNodeSetParams(_, _, _),
        cuGraphExecExternalSemaphoresWaitNodeSetParams(_, _, _),
        cuGraphLaunch(_, _),
        cuGraphExecDestroy(_),
        cuGraphDestroy(_),
        cuSignalExternalSemaphoresAsync_ptsz(_, _, _, _),
        cuWaitExternalSemaphoresAsync_ptsz(_, _, _, _),
    }
}
