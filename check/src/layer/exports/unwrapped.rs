//! The functions of the driver that the layer does not wrap, each group with the reason. A name with a star stands for all that
//! begin so.

use std::collections::BTreeSet;

use super::wrapped;

const UNWRAPPED: &[(&str, &str)] = &[
    (
        "asks, or changes no memory, array, stream or context",
        "cuArray3DGetDescriptor* cuArrayGetDescriptor* cuArrayGetMemoryRequirements cuArrayGetSparseProperties cuCoredump* \
         cuCtxGet* cuCtxFromGreenCtx cuCtxSet* cuCtxPop* cuCtxPush* cuCtxEnablePeerAccess cuCtxDisablePeerAccess \
         cuCtxResetPersistingL2Cache cuDevResource* cuDevSmResource* cuDeviceCan* cuDeviceCompute* cuDeviceGet* \
         cuDeviceGraphMemTrim cuDevicePrimaryCtxGetState cuDevicePrimaryCtxSetFlags* cuDeviceRegister* cuDeviceSet* \
         cuDeviceTotalMem* cuDeviceUnregister* cuDriverGetVersion cuGetError* cuGetExportTable cuGreenCtxGet* cuLogs* \
         cuMemGet* cuMipmappedArrayGetMemoryRequirements cuMipmappedArrayGetSparseProperties cuOccupancy* cuPointer* \
         cuProfiler* cuStreamCopyAttributes* cuStreamGet* cuStreamSetAttribute* cuStreamIsCapturing* cuTensorMap* \
         cuThreadExchangeStreamCaptureMode cuMemRange* cuMemAdvise* cuFlushGPUDirectRDMAWrites",
    ),
    (
        "code and its parameters: what kernels touch is not seen",
        "cuFunc* cuKernel* cuLibrary* cuLink* cuModule* cuParam*",
    ),
    (
        "memory that is no mapping of an import",
        "cuIpc* cuLogicalEndpoint* cuMemAddress* cuMemAlloc* cuMemFreeHost cuMemHost* cuMemImportFromShareableHandle cuMemMap* \
         cuMemPool* cuMemRetain* cuMemSet* cuMemUnmap cuMulticast* cuArrayDestroy",
    ),
    (
        "contexts are known from their first use on; green ones from cuGreenCtxCreate on, and their end is not seen",
        "cuCtxAttach cuCtxCreate* cuCtxDetach cuGreenCtxDestroy cuGLCtxCreate* cuVDPAUCtxCreate*",
    ),
    (
        "the first versions have addresses of 32 bits",
        "cuArray3DCreate cuArrayCreate cuMemFree cuMemcpy2D cuMemcpy2DAsync cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync \
         cuMemcpyAtoA cuMemcpyAtoD cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyDtoA cuMemcpyDtoD cuMemcpyDtoDAsync cuMemcpyDtoH \
         cuMemcpyDtoHAsync cuMemcpyHtoA cuMemcpyHtoAAsync cuMemcpyHtoD cuMemcpyHtoDAsync cuMemsetD16 cuMemsetD2D16 \
         cuMemsetD2D32 cuMemsetD2D8 cuMemsetD32 cuMemsetD8",
    ),
    (
        "launches of CUDA before 4.0",
        "cuLaunch cuLaunchGrid cuLaunchGridAsync cuLaunchCooperativeKernelMultiDevice",
    ),
    (
        "batches and transfers with attributes: what they touch is not seen",
        "cuFabricCpyBatch* cuMemBatchDecompress* cuMemDiscard* cuMemPrefetch* cuMemcpyBatch* cuMemcpy3DBatch* \
         cuMemcpyWithAttributes* cuMemcpy3DWithAttributes* cuStreamBatchMemOp* cuStreamAttachMem*",
    ),
    (
        "events: a stream waits for one by cuStreamWaitEvent",
        "cuEventCreate* cuEventDestroy* cuEventElapsedTime* cuEventQuery cuEventRecord* cuCtxRecordEvent cuCtxWaitEvent \
         cuGreenCtxRecordEvent cuGreenCtxWaitEvent",
    ),
    (
        "nodes without objects of the family, questions about graphs, and what stays with a graph until its end",
        "cuGraphAddBatchMemOpNode cuGraphAddDependencies* cuGraphAddEmptyNode cuGraphAddEvent* cuGraphAddHostNode \
         cuGraphAddKernelNode* cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphBatchMemOpNode* cuGraphChildGraphNodeGetGraph \
         cuGraphConditionalHandleCreate cuGraphDebugDotPrint cuGraphEvent* cuGraphExecBatchMemOp* cuGraphExecEvent* \
         cuGraphExecGet* cuGraphExecHostNode* cuGraphExecKernelNode* cuGraphExternalSemaphoresSignalNodeGetParams \
         cuGraphExternalSemaphoresWaitNodeGetParams cuGraphGet* cuGraphHostNode* cuGraphKernelNode* cuGraphMemAllocNodeGetParams \
         cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemsetNodeGetParams cuGraphNodeFindInClone \
         cuGraphNodeGet* cuGraphRemoveDependencies* cuGraphReleaseUserObject cuGraphRetainUserObject cuGraphUpload* cuUserObject*",
    ),
    (
        "captures: the graph is asked for at each captured call, and known where the program created it",
        "cuStreamBeginCaptureTo* cuStreamBeginRecaptureToGraph* cuStreamEndCaptureToCig* cuStreamUpdateCaptureDependencies*",
    ),
    (
        "objects that read and write arrays: seen where they are made from a mapped array",
        "cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuSurfRef* cuTexObjectDestroy cuTexObjectGet* cuTexRef*",
    ),
    (
        "the older interface and its neighbors, which have no rules: only arrays that have an ended one's handle are noted",
        "cuEGLStream* cuGLGetDevices* cuGLInit cuGLMap* cuGLRegister* cuGLSet* cuGLUnmap* cuGLUnregister* cuGraphicsEGL* \
         cuGraphicsGL* cuGraphicsMapResources* cuGraphicsResourceGetMappedEglFrame cuGraphicsResourceGetMappedPointer* \
         cuGraphicsResourceSetMapFlags* cuGraphicsUnmapResources* cuGraphicsUnregisterResource cuGraphicsVDPAU* \
         cuVDPAUGetDevice cuWGLGetDevice",
    ),
    ("whole processes: nothing of the layer changes", "cuCheckpoint*"),
    ("no symbols of the driver: cuda.h has them inline", "cuGetProcAddress_ptsz cuGetProcAddress_v2_ptsz"),
];

#[test]
fn each_function_of_the_driver_is_wrapped_or_has_a_reason() {
    let all = include_str!("../../../../build/driver_functions.txt");
    let wrapped: BTreeSet<&str> = wrapped().map(|one| one.real.name.to_str().unwrap()).collect();
    let is_of = |name: &str, pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let patterns = || UNWRAPPED.iter().flat_map(|(_, names)| names.split_whitespace());
    let (with_reason, without): (Vec<&str>, Vec<&str>) = all
        .split_whitespace()
        .filter(|name| !wrapped.contains(name))
        .partition(|name| patterns().any(|pattern| is_of(name, pattern)));
    assert_eq!(without, [""; 0], "neither wrapped nor with a reason");
    for pattern in patterns() {
        assert!(with_reason.iter().any(|name| is_of(name, pattern)), "{pattern}: no function");
    }
    for name in wrapped {
        assert!(all.split_whitespace().any(|one| one == name), "{name} is no function of the driver");
    }
}
