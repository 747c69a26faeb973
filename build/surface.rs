//! What the crate binds: one list, in two parts. Everything that these need (the descriptor
//! structs, the handle types, the enums) follows by itself; nothing else is emitted.

/// The family: external memory, external semaphores, and their graph nodes.
pub const FAMILY: &[&str] = &[
    "cuImportExternalMemory",
    "cuExternalMemoryGetMappedBuffer",
    "cuExternalMemoryGetMappedMipmappedArray",
    "cuDestroyExternalMemory",
    "cuImportExternalSemaphore",
    "cuSignalExternalSemaphoresAsync",
    "cuSignalExternalSemaphoresAsync_ptsz",
    "cuWaitExternalSemaphoresAsync",
    "cuWaitExternalSemaphoresAsync_ptsz",
    "cuDestroyExternalSemaphore",
    "cuDeviceGetNvSciSyncAttributes",
    "cuGraphAddExternalSemaphoresSignalNode",
    "cuGraphExternalSemaphoresSignalNodeGetParams",
    "cuGraphExternalSemaphoresSignalNodeSetParams",
    "cuGraphExecExternalSemaphoresSignalNodeSetParams",
    "cuGraphAddExternalSemaphoresWaitNode",
    "cuGraphExternalSemaphoresWaitNodeGetParams",
    "cuGraphExternalSemaphoresWaitNodeSetParams",
    "cuGraphExecExternalSemaphoresWaitNodeSetParams",
    // What cuda.h 13.5 says replaces the eight functions above.
    "cuGraphAddNode_v2",
    "cuGraphNodeGetParams",
    "cuGraphNodeSetParams",
    "cuGraphExecNodeSetParams",
];

/// Companions: what a program needs to reach the family with no other CUDA crate. Where cuda.h
/// renames a function by a macro (`cuMemFree` to `cuMemFree_v2`), the name is the symbol's.
pub const COMPANIONS: &[&str] = &[
    // The driver and its errors.
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    // Devices, and matching them with another API's by UUID or LUID.
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetUuid_v2",
    "cuDeviceGetLuid",
    "cuDeviceGetAttribute",
    // The primary context.
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuCtxSynchronize",
    // CUDA in Graphics: a context that shares the one of a graphics API.
    "cuCtxCreate_v4",
    "cuCtxDestroy_v2",
    "cuStreamBeginCaptureToCig",
    "cuStreamEndCaptureToCig",
    // Streams, which signals and waits are enqueued in.
    "cuStreamCreate",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    // Memory: freeing what was mapped, and moving bytes to see that it is shared.
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpy2D_v2",
    "cuMemcpy2DUnaligned_v2",
    "cuMemcpy2DAsync_v2",
    "cuMemcpy3D_v2",
    "cuMemcpy3DAsync_v2",
    "cuMemsetD8_v2",
    "cuMemsetD32_v2",
    "cuMemsetD8Async",
    "cuMemsetD32Async",
    // Mipmapped arrays, which images are mapped as.
    "cuMipmappedArrayGetLevel",
    "cuMipmappedArrayDestroy",
    "cuArray3DGetDescriptor_v2",
    // Surfaces and textures: kernels' access to a mapped image in place.
    "cuSurfObjectCreate",
    "cuSurfObjectDestroy",
    "cuTexObjectCreate",
    "cuTexObjectDestroy",
    // Memory that CUDA itself allocates, maps and exports.
    "cuMemGetAllocationGranularity",
    "cuMemCreate",
    "cuMemRelease",
    "cuMemExportToShareableHandle",
    "cuMemImportFromShareableHandle",
    "cuMemGetHandleForAddressRange",
    "cuMemAddressReserve",
    "cuMemAddressFree",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemSetAccess",
    // Graphs, which hold the family's nodes.
    "cuGraphCreate",
    "cuGraphAddMemsetNode",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
    "cuGraphDestroy",
];

/// Types that no function above takes, and their users write all the same.
pub const TYPES: &[&str] = &[
    "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2",
    "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2",
    "CUstream_flags",
    "CUmemLocationType",
];

/// Macros with a value.
pub const MACROS: &[&str] = &[
    "CUDA_VERSION",
    "CUDA_EXTERNAL_MEMORY_DEDICATED",
    "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC",
    "CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC",
    "CUDA_NVSCISYNC_ATTR_SIGNAL",
    "CUDA_NVSCISYNC_ATTR_WAIT",
    "CUDA_ARRAY3D_LAYERED",
    "CUDA_ARRAY3D_SURFACE_LDST",
    "CUDA_ARRAY3D_CUBEMAP",
    "CUDA_ARRAY3D_TEXTURE_GATHER",
    "CUDA_ARRAY3D_DEPTH_TEXTURE",
    "CUDA_ARRAY3D_COLOR_ATTACHMENT",
];

/// The names of the types that C leaves unnamed: the owner's name and the field's.
pub const ANONYMOUS: &[(&str, &str)] = &[
    ("CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1", "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle"),
    (
        "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
        "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32",
    ),
    ("CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1", "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle"),
    (
        "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
        "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32",
    ),
    (
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1",
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params",
    ),
    (
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1",
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence",
    ),
    (
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2",
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync",
    ),
    (
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3",
        "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex",
    ),
    ("CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1", "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params"),
    (
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1",
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence",
    ),
    (
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2",
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync",
    ),
    (
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3",
        "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex",
    ),
    ("CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1", "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context"),
    ("CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1", "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context"),
    ("CUmemAllocationProp_st__bindgen_ty_1", "CUmemAllocationProp_allocFlags"),
];
