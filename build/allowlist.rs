//! The items that the crate binds. This is the only list: the merge, the link stub and the tests read it.
//!
//! bindgen adds the types that these functions need.

use std::collections::BTreeMap;

/// A function: its symbol, and the name that C programs write if a macro of the newest cuda.h replaces it (`cuMemFree`
/// for `cuMemFree_v2`).
pub type SymbolAndMacroName = (&'static str, Option<&'static str>);

/// Every function in the driver's headers, bound or not: names less `cu`, in groups that have the same versions.
/// `=2000,_v2=3020` precedes the functions whose first version came with CUDA 2.0 and whose `_v2` came with 3.2.
/// Generated: `cargo run -p generator`
const DRIVER_FUNCTIONS: &str = include_str!("driver_exports.txt");

/// Returns the symbols that the driver exports, each with the release that brought it, unless no header says that.
pub fn driver_symbols() -> BTreeMap<String, Option<u32>> {
    let (mut symbols, mut versions) = (BTreeMap::new(), "");
    for word in DRIVER_FUNCTIONS.split_whitespace() {
        if word.contains('=') {
            versions = word;
            continue;
        }
        for (suffix, release) in versions.split(',').filter_map(|version| version.split_once('=')) {
            symbols.insert(format!("cu{word}{suffix}"), release.parse().ok());
        }
    }
    symbols
}

pub const FUNCTIONS: &[SymbolAndMacroName] = &[
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
    // The functions that replace the eight functions above, according to cuda.h 13.5.
    ("cuGraphAddNode_v2", Some("cuGraphAddNode")),
    ("cuGraphNodeGetParams", None),
    ("cuGraphNodeSetParams", None),
    ("cuGraphNodeSetParams_v2", None),
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
    ("cuDeviceGetPCIBusId", None),
    ("cuDeviceGetByPCIBusId", None),
    // The primary context.
    ("cuDevicePrimaryCtxRetain", None),
    ("cuDevicePrimaryCtxRelease_v2", Some("cuDevicePrimaryCtxRelease")),
    ("cuDevicePrimaryCtxSetFlags_v2", Some("cuDevicePrimaryCtxSetFlags")),
    ("cuDevicePrimaryCtxGetState", None),
    ("cuCtxSetCurrent", None),
    ("cuCtxGetCurrent", None),
    ("cuCtxGetDevice", None),
    ("cuCtxPushCurrent_v2", Some("cuCtxPushCurrent")),
    ("cuCtxPopCurrent_v2", Some("cuCtxPopCurrent")),
    ("cuCtxSynchronize", None),
    // A context that the program creates. Drivers before 12.5 have no cuCtxCreate_v4.
    ("cuCtxCreate_v2", None),
    // CUDA in Graphics: a CUDA context that shares the GPU context of a graphics API.
    ("cuCtxCreate_v4", Some("cuCtxCreate")),
    ("cuCtxDestroy_v2", Some("cuCtxDestroy")),
    ("cuStreamBeginCaptureToCig", None),
    ("cuStreamEndCaptureToCig", None),
    // Streams, in which signals and waits are enqueued.
    ("cuStreamCreate", None),
    ("cuStreamCreateWithPriority", None),
    ("cuCtxGetStreamPriorityRange", None),
    ("cuStreamQuery", None),
    ("cuStreamSynchronize", None),
    ("cuStreamDestroy_v2", Some("cuStreamDestroy")),
    ("cuLaunchHostFunc", None),
    // Events: order between streams, and the time between two places in them.
    ("cuEventCreate", None),
    ("cuEventRecord", None),
    ("cuEventQuery", None),
    ("cuEventSynchronize", None),
    ("cuEventElapsedTime", None),
    ("cuEventElapsedTime_v2", None),
    ("cuEventDestroy_v2", Some("cuEventDestroy")),
    ("cuStreamWaitEvent", None),
    // Recording a stream into a graph.
    ("cuStreamBeginCapture_v2", Some("cuStreamBeginCapture")),
    ("cuStreamEndCapture", None),
    ("cuStreamIsCapturing", None),
    // Kernels, which use imported memory.
    ("cuModuleLoadData", None),
    ("cuModuleUnload", None),
    ("cuModuleGetFunction", None),
    ("cuLaunchKernel", None),
    // Memory: freeing mappings, and copies that show that memory is shared.
    ("cuMemAlloc_v2", Some("cuMemAlloc")),
    ("cuMemAllocPitch_v2", Some("cuMemAllocPitch")),
    ("cuMemFree_v2", Some("cuMemFree")),
    ("cuMemGetInfo_v2", Some("cuMemGetInfo")),
    ("cuMemGetAddressRange_v2", Some("cuMemGetAddressRange")),
    ("cuMemAllocHost_v2", Some("cuMemAllocHost")),
    ("cuMemFreeHost", None),
    ("cuMemHostRegister_v2", Some("cuMemHostRegister")),
    ("cuMemHostUnregister", None),
    ("cuMemcpy", None),
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
    // Mipmapped arrays, as which images are mapped.
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
    // Access to memory of cuMemAlloc from another process.
    ("cuIpcGetMemHandle", None),
    ("cuIpcOpenMemHandle_v2", Some("cuIpcOpenMemHandle")),
    ("cuIpcCloseMemHandle", None),
    // The older interface: registering objects of OpenGL, EGL or Direct3D 11, and mapping them temporarily.
    ("cuGraphicsGLRegisterBuffer", None),
    ("cuGraphicsGLRegisterImage", None),
    ("cuGraphicsEGLRegisterImage", None),
    ("cuGraphicsResourceGetMappedEglFrame", None),
    ("cuEventCreateFromEGLSync", None),
    ("cuD3D11GetDevice", None),
    ("cuD3D11GetDevices", None),
    ("cuGraphicsD3D11RegisterResource", None),
    ("cuGraphicsMapResources", None),
    ("cuGraphicsUnmapResources", None),
    ("cuGraphicsResourceGetMappedPointer_v2", Some("cuGraphicsResourceGetMappedPointer")),
    ("cuGraphicsSubResourceGetMappedArray", None),
    ("cuGraphicsUnregisterResource", None),
    // Graphs, which hold the family's nodes.
    ("cuGraphCreate", None),
    ("cuGraphGetNodes", None),
    ("cuGraphNodeGetType", None),
    ("cuGraphAddMemsetNode", None),
    ("cuGraphInstantiateWithFlags", Some("cuGraphInstantiate")),
    ("cuGraphLaunch", None),
    ("cuGraphExecDestroy", None),
    ("cuGraphDestroy", None),
];

/// Types that programs write although no function above takes them.
pub const TYPES: &[&str] = &[
    "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2",
    "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2",
    "CUctx_flags",
    "CUevent_flags",
    "CUevent_wait_flags",
    "CUgraphicsMapResourceFlags",
    "CUgraphicsRegisterFlags",
    "CUipcMem_flags",
    "CUstream_flags",
];

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
    "CU_MEMHOSTREGISTER_PORTABLE",
    "CU_MEMHOSTREGISTER_DEVICEMAP",
    "CU_MEMHOSTREGISTER_IOMEMORY",
    "CU_MEMHOSTREGISTER_READ_ONLY",
    "CU_TRSF_READ_AS_INTEGER",
    "CU_TRSF_NORMALIZED_COORDINATES",
    "CU_TRSF_SRGB",
    "CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION",
    "CU_TRSF_SEAMLESS_CUBEMAP",
    "MAX_PLANES",
];

/// Types that src/ writes by hand, with their sizes and alignments. wrapper.h asserts that the header's types have the
/// same.
pub const HAND_WRITTEN: &[(&str, usize, usize)] = &[("CUmemLocation", 8, 4)];

/// Structs for which src/ implements Debug by hand.
pub const DEBUG_BY_HAND: &[&str] = &["CUuuid"];

/// Unnamed members, whose fields belong to the owner in C: the owner, and the member's name in Rust.
pub const ANONYMOUS_MEMBER_NAMES: &[(&str, &str)] = &[
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
