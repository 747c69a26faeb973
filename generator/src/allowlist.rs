//! What the crate binds. This is the only list: the generator, the link stub and the tests take it from here.
//!
//! The types that these functions need follow by themselves.

/// A function: its symbol and, where the newest cuda.h gives that symbol another name by a macro, the name that C
/// programs write (`cuMemFree` for `cuMemFree_v2`).
pub type Function = (&'static str, Option<&'static str>);

/// Every bound function.
pub const FUNCTIONS: &[Function] = &[
    // The family: external memory, external semaphores, and their graph nodes.
    ("cuImportExternalMemory", None),
    ("cuExternalMemoryGetMappedBuffer", None),
    ("cuExternalMemoryGetMappedMipmappedArray", None),
    ("cuDestroyExternalMemory", None),
    ("cuImportExternalSemaphore", None),
    ("cuSignalExternalSemaphoresAsync", None),
    ("cuSignalExternalSemaphoresAsync_ptsz", None),
    ("cuWaitExternalSemaphoresAsync", None),
    ("cuWaitExternalSemaphoresAsync_ptsz", None),
    ("cuDestroyExternalSemaphore", None),
    ("cuDeviceGetNvSciSyncAttributes", None),
    ("cuGraphAddExternalSemaphoresSignalNode", None),
    ("cuGraphExternalSemaphoresSignalNodeGetParams", None),
    ("cuGraphExternalSemaphoresSignalNodeSetParams", None),
    ("cuGraphExecExternalSemaphoresSignalNodeSetParams", None),
    ("cuGraphAddExternalSemaphoresWaitNode", None),
    ("cuGraphExternalSemaphoresWaitNodeGetParams", None),
    ("cuGraphExternalSemaphoresWaitNodeSetParams", None),
    ("cuGraphExecExternalSemaphoresWaitNodeSetParams", None),
    // What cuda.h 13.5 says replaces the eight functions above.
    ("cuGraphAddNode_v2", Some("cuGraphAddNode")),
    ("cuGraphNodeGetParams", None),
    ("cuGraphNodeSetParams", None),
    ("cuGraphExecNodeSetParams", None),
    // The driver and its errors.
    ("cuInit", None),
    ("cuDriverGetVersion", None),
    ("cuGetErrorName", None),
    ("cuGetErrorString", None),
    // Devices, and matching them with another API's by UUID or LUID.
    ("cuDeviceGet", None),
    ("cuDeviceGetCount", None),
    ("cuDeviceGetName", None),
    ("cuDeviceGetUuid_v2", Some("cuDeviceGetUuid")),
    ("cuDeviceGetLuid", None),
    ("cuDeviceGetAttribute", None),
    // The primary context.
    ("cuDevicePrimaryCtxRetain", None),
    ("cuDevicePrimaryCtxRelease_v2", Some("cuDevicePrimaryCtxRelease")),
    ("cuCtxSetCurrent", None),
    ("cuCtxGetCurrent", None),
    ("cuCtxGetDevice", None),
    ("cuCtxPushCurrent_v2", Some("cuCtxPushCurrent")),
    ("cuCtxPopCurrent_v2", Some("cuCtxPopCurrent")),
    ("cuCtxSynchronize", None),
    // CUDA in Graphics: a context that shares the one of a graphics API.
    ("cuCtxCreate_v4", Some("cuCtxCreate")),
    ("cuCtxDestroy_v2", Some("cuCtxDestroy")),
    ("cuStreamBeginCaptureToCig", None),
    ("cuStreamEndCaptureToCig", None),
    // Streams, which signals and waits are enqueued in.
    ("cuStreamCreate", None),
    ("cuStreamQuery", None),
    ("cuStreamSynchronize", None),
    ("cuStreamDestroy_v2", Some("cuStreamDestroy")),
    // Memory: freeing what was mapped, and moving bytes to see that it is shared.
    ("cuMemAlloc_v2", Some("cuMemAlloc")),
    ("cuMemFree_v2", Some("cuMemFree")),
    ("cuMemGetInfo_v2", Some("cuMemGetInfo")),
    ("cuMemcpyHtoD_v2", Some("cuMemcpyHtoD")),
    ("cuMemcpyDtoH_v2", Some("cuMemcpyDtoH")),
    ("cuMemcpyDtoD_v2", Some("cuMemcpyDtoD")),
    ("cuMemcpyHtoDAsync_v2", Some("cuMemcpyHtoDAsync")),
    ("cuMemcpyDtoHAsync_v2", Some("cuMemcpyDtoHAsync")),
    ("cuMemcpyDtoDAsync_v2", Some("cuMemcpyDtoDAsync")),
    ("cuMemcpy2D_v2", Some("cuMemcpy2D")),
    ("cuMemcpy2DUnaligned_v2", Some("cuMemcpy2DUnaligned")),
    ("cuMemcpy2DAsync_v2", Some("cuMemcpy2DAsync")),
    ("cuMemcpy3D_v2", Some("cuMemcpy3D")),
    ("cuMemcpy3DAsync_v2", Some("cuMemcpy3DAsync")),
    ("cuMemsetD8_v2", Some("cuMemsetD8")),
    ("cuMemsetD32_v2", Some("cuMemsetD32")),
    ("cuMemsetD8Async", None),
    ("cuMemsetD32Async", None),
    // Mipmapped arrays, which images are mapped as.
    ("cuMipmappedArrayGetLevel", None),
    ("cuMipmappedArrayDestroy", None),
    ("cuArray3DGetDescriptor_v2", Some("cuArray3DGetDescriptor")),
    // Surfaces and textures: kernels' access to a mapped image in place.
    ("cuSurfObjectCreate", None),
    ("cuSurfObjectDestroy", None),
    ("cuTexObjectCreate", None),
    ("cuTexObjectDestroy", None),
    // Memory that CUDA itself allocates, maps and exports.
    ("cuMemGetAllocationGranularity", None),
    ("cuMemCreate", None),
    ("cuMemRelease", None),
    ("cuMemExportToShareableHandle", None),
    ("cuMemImportFromShareableHandle", None),
    ("cuMemGetHandleForAddressRange", None),
    ("cuMemAddressReserve", None),
    ("cuMemAddressFree", None),
    ("cuMemMap", None),
    ("cuMemUnmap", None),
    ("cuMemSetAccess", None),
    // Graphs, which hold the family's nodes.
    ("cuGraphCreate", None),
    ("cuGraphAddMemsetNode", None),
    ("cuGraphInstantiateWithFlags", Some("cuGraphInstantiate")),
    ("cuGraphLaunch", None),
    ("cuGraphExecDestroy", None),
    ("cuGraphDestroy", None),
];

/// Types that programs write although no function above takes them.
pub const TYPES: &[&str] =
    &["CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2", "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2", "CUstream_flags"];

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
    "CU_TRSF_READ_AS_INTEGER",
    "CU_TRSF_NORMALIZED_COORDINATES",
    "CU_TRSF_SRGB",
    "CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION",
    "CU_TRSF_SEAMLESS_CUBEMAP",
];

/// Types that src/ writes by hand, with their sizes and alignments; wrapper.h asserts that the header has them so.
pub const HAND_WRITTEN: &[(&str, usize, usize)] = &[("CUmemLocation", 8, 4)];

/// Structs that a later release made longer. All are members of `CUgraphNodeParams`, whose size did not change, and no
/// function takes them otherwise: a driver of an older release finds zeroes, and does not read them.
pub const GROWN: &[&str] = &[
    "CUDA_CHILD_GRAPH_NODE_PARAMS",
    "CUDA_EVENT_RECORD_NODE_PARAMS",
    "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2",
    "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2",
    "CUDA_HOST_NODE_PARAMS_v2",
];

/// Structs whose Debug src/ writes by hand.
pub const DEBUG_BY_HAND: &[&str] = &["CUuuid"];

/// Members that have no name in C, whose fields are the owner's there: the owner, and the name that the member has here.
pub const UNNAMED: &[(&str, &str)] = &[
    ("CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2", "context"),
    ("CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2", "context"),
    ("CUDA_EVENT_RECORD_NODE_PARAMS", "context"),
    ("CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1", "context"),
    ("CUDA_HOST_NODE_PARAMS_v2", "context"),
    ("CUDA_MEMCPY_BATCH_NODE_PARAMS_V1", "context"),
    ("CUgraphNodeParams", "params"),
    ("CUstreamBatchMemOpParams_waitValue", "operand"),
    ("CUstreamBatchMemOpParams_writeValue", "operand"),
];
