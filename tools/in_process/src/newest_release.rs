//! What the newest release has, CUDA 13.5. Generated from its headers: cargo run -p generator

/// As CUDA_VERSION counts.
pub const VERSION: i32 = 13050;

/// Every flag of an array, those that the bindings lack included.
pub const ARRAY_FLAGS: u32 = 0x1ff;

/// Later versions of functions since CUDA 11.0, and the release that brought each.
pub const LATER_VERSIONS: &[(&str, i32)] = &[
    ("cuCtxCreate_v3", 11040),
    ("cuCtxCreate_v4", 12050),
    ("cuCtxGetDevice_v2", 13000),
    ("cuCtxSynchronize_v2", 13000),
    ("cuDeviceGetUuid_v2", 11040),
    ("cuEventElapsedTime_v2", 12080),
    ("cuGetProcAddress_v2", 12000),
    ("cuGraphAddDependencies_v2", 12030),
    ("cuGraphAddKernelNode_v2", 12000),
    ("cuGraphAddNode_v2", 12030),
    ("cuGraphAddNode_v3", 13040),
    ("cuGraphExecKernelNodeSetParams_v2", 12000),
    ("cuGraphExecUpdate_v2", 12000),
    ("cuGraphGetEdges_v2", 12030),
    ("cuGraphKernelNodeGetParams_v2", 12000),
    ("cuGraphKernelNodeSetParams_v2", 12000),
    ("cuGraphNodeGetDependencies_v2", 12030),
    ("cuGraphNodeGetDependentNodes_v2", 12030),
    ("cuGraphNodeSetParams_v2", 13040),
    ("cuGraphRemoveDependencies_v2", 12030),
    ("cuLaunchHostFunc_v2", 13010),
    ("cuMemAdvise_v2", 12020),
    ("cuMemPrefetchAsync_v2", 12020),
    ("cuMemcpy3DBatchAsync_v2", 13000),
    ("cuMemcpyBatchAsync_v2", 13000),
    ("cuMulticastBindAddr_v2", 13010),
    ("cuMulticastBindMem_v2", 13010),
    ("cuStreamBatchMemOp_v2", 11070),
    ("cuStreamGetCaptureInfo_v2", 11030),
    ("cuStreamGetCaptureInfo_v3", 12030),
    ("cuStreamGetCtx_v2", 12050),
    ("cuStreamUpdateCaptureDependencies_v2", 12030),
    ("cuStreamWaitValue32_v2", 11070),
    ("cuStreamWaitValue64_v2", 11070),
    ("cuStreamWriteValue32_v2", 11070),
    ("cuStreamWriteValue64_v2", 11070),
];
