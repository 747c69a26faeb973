// Generated from the cuda.h of CUDA 13.5; not to be edited. The copy in the repository: CUDA_EXTERNAL_SYS_BLESS=1 cargo test --test bindings embedded

pub type cuuint32_t = u32;
pub type cuuint64_t = u64;
#[doc(alias = "CUdeviceptr_v2")]
pub type CUdeviceptr = c_ulonglong;
#[doc(alias = "CUdevice_v1")]
pub type CUdevice = c_int;
pub type CUcontext = *mut CUctx_st;
pub type CUmodule = *mut CUmod_st;
pub type CUfunction = *mut CUfunc_st;
pub type CUkernel = *mut CUkern_st;
pub type CUarray = *mut CUarray_st;
pub type CUmipmappedArray = *mut CUmipmappedArray_st;
pub type CUevent = *mut CUevent_st;
pub type CUstream = *mut CUstream_st;
pub type CUgraphicsResource = *mut CUgraphicsResource_st;
#[doc(alias = "CUtexObject_v1")]
pub type CUtexObject = c_ulonglong;
#[doc(alias = "CUsurfObject_v1")]
pub type CUsurfObject = c_ulonglong;
pub type CUexternalMemory = *mut CUextMemory_st;
pub type CUexternalSemaphore = *mut CUextSemaphore_st;
pub type CUgraph = *mut CUgraph_st;
pub type CUgraphNode = *mut CUgraphNode_st;
pub type CUgraphExec = *mut CUgraphExec_st;
pub type CUgraphConditionalHandle = cuuint64_t;
pub type CUgreenCtx = *mut CUgreenCtx_st;
pub type CUhostFn = Option<unsafe extern "C" fn(userData: *mut c_void)>;
#[doc(alias = "CUmemGenericAllocationHandle_v1")]
pub type CUmemGenericAllocationHandle = c_ulonglong;
pub type CUlogicalEndpointId = cuuint32_t;

opaque! {
    CUctx_st,
    CUmod_st,
    CUfunc_st,
    CUkern_st,
    CUarray_st,
    CUmipmappedArray_st,
    CUevent_st,
    CUstream_st,
    CUgraphicsResource_st,
    CUextMemory_st,
    CUextSemaphore_st,
    CUgraph_st,
    CUgraphNode_st,
    CUgraphExec_st,
    CUgreenCtx_st,
}

pub const CUDA_VERSION: u32 = 13050;
pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;
pub const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC: u32 = 1;
pub const CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC: u32 = 2;
pub const CUDA_NVSCISYNC_ATTR_SIGNAL: u32 = 1;
pub const CUDA_NVSCISYNC_ATTR_WAIT: u32 = 2;
pub const CUDA_ARRAY3D_LAYERED: u32 = 1;
pub const CUDA_ARRAY3D_SURFACE_LDST: u32 = 2;
pub const CUDA_ARRAY3D_CUBEMAP: u32 = 4;
pub const CUDA_ARRAY3D_TEXTURE_GATHER: u32 = 8;
pub const CUDA_ARRAY3D_DEPTH_TEXTURE: u32 = 16;
pub const CUDA_ARRAY3D_COLOR_ATTACHMENT: u32 = 32;
pub const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;
pub const CU_MEMHOSTREGISTER_DEVICEMAP: u32 = 2;
pub const CU_MEMHOSTREGISTER_IOMEMORY: u32 = 4;
pub const CU_MEMHOSTREGISTER_READ_ONLY: u32 = 8;
pub const CU_TRSF_READ_AS_INTEGER: u32 = 1;
pub const CU_TRSF_NORMALIZED_COORDINATES: u32 = 2;
pub const CU_TRSF_SRGB: u32 = 16;
pub const CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: u32 = 32;
pub const CU_TRSF_SEAMLESS_CUBEMAP: u32 = 64;

c_enum! {
    pub enum CUipcMem_flags: CUipcMem_flags_values {
        CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,
    }
}

c_enum! {
    pub enum CUctx_flags: CUctx_flags_values {
        CU_CTX_SCHED_AUTO = 0,
        CU_CTX_SCHED_SPIN = 1,
        CU_CTX_SCHED_YIELD = 2,
        CU_CTX_SCHED_BLOCKING_SYNC = 4,
        CU_CTX_BLOCKING_SYNC = 4,
        CU_CTX_SCHED_MASK = 7,
        CU_CTX_MAP_HOST = 8,
        CU_CTX_LMEM_RESIZE_TO_MAX = 16,
        CU_CTX_COREDUMP_ENABLE = 32,
        CU_CTX_USER_COREDUMP_ENABLE = 64,
        CU_CTX_SYNC_MEMOPS = 128,
        CU_CTX_FLAGS_MASK = 255,
    }
}

c_enum! {
    pub enum CUstream_flags: CUstream_flags_values {
        CU_STREAM_DEFAULT = 0,
        CU_STREAM_NON_BLOCKING = 1,
    }
}

c_enum! {
    pub enum CUevent_flags: CUevent_flags_values {
        CU_EVENT_DEFAULT = 0,
        CU_EVENT_BLOCKING_SYNC = 1,
        CU_EVENT_DISABLE_TIMING = 2,
        CU_EVENT_INTERPROCESS = 4,
    }
}

c_enum! {
    pub enum CUevent_wait_flags: CUevent_wait_flags_values {
        CU_EVENT_WAIT_DEFAULT = 0,
        CU_EVENT_WAIT_EXTERNAL = 1,
    }
}

c_enum! {
    pub enum CUstreamBatchMemOpType: CUstreamBatchMemOpType_values {
        CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
        CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
        CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
        CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
        CU_STREAM_MEM_OP_BARRIER = 6,
        CU_STREAM_MEM_OP_ATOMIC_REDUCTION = 8,
        CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
    }
}

c_enum! {
    pub enum CUstreamAtomicReductionOpType: CUstreamAtomicReductionOpType_values {
        CU_STREAM_ATOMIC_REDUCTION_OP_OR = 6,
        CU_STREAM_ATOMIC_REDUCTION_OP_AND = 5,
        CU_STREAM_ATOMIC_REDUCTION_OP_ADD = 0,
    }
}

c_enum! {
    pub enum CUstreamAtomicReductionDataType: CUstreamAtomicReductionDataType_values {
        CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32 = 14,
        CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64 = 22,
    }
}

c_enum! {
    pub enum CUarray_format: CUarray_format_values {
        CU_AD_FORMAT_UNSIGNED_INT8 = 1,
        CU_AD_FORMAT_UNSIGNED_INT16 = 2,
        CU_AD_FORMAT_UNSIGNED_INT32 = 3,
        CU_AD_FORMAT_SIGNED_INT8 = 8,
        CU_AD_FORMAT_SIGNED_INT16 = 9,
        CU_AD_FORMAT_SIGNED_INT32 = 10,
        CU_AD_FORMAT_HALF = 16,
        CU_AD_FORMAT_FLOAT = 32,
        CU_AD_FORMAT_NV12 = 176,
        CU_AD_FORMAT_UNORM_INT8X1 = 192,
        CU_AD_FORMAT_UNORM_INT8X2 = 193,
        CU_AD_FORMAT_UNORM_INT8X4 = 194,
        CU_AD_FORMAT_UNORM_INT16X1 = 195,
        CU_AD_FORMAT_UNORM_INT16X2 = 196,
        CU_AD_FORMAT_UNORM_INT16X4 = 197,
        CU_AD_FORMAT_SNORM_INT8X1 = 198,
        CU_AD_FORMAT_SNORM_INT8X2 = 199,
        CU_AD_FORMAT_SNORM_INT8X4 = 200,
        CU_AD_FORMAT_SNORM_INT16X1 = 201,
        CU_AD_FORMAT_SNORM_INT16X2 = 202,
        CU_AD_FORMAT_SNORM_INT16X4 = 203,
        CU_AD_FORMAT_BC1_UNORM = 145,
        CU_AD_FORMAT_BC1_UNORM_SRGB = 146,
        CU_AD_FORMAT_BC2_UNORM = 147,
        CU_AD_FORMAT_BC2_UNORM_SRGB = 148,
        CU_AD_FORMAT_BC3_UNORM = 149,
        CU_AD_FORMAT_BC3_UNORM_SRGB = 150,
        CU_AD_FORMAT_BC4_UNORM = 151,
        CU_AD_FORMAT_BC4_SNORM = 152,
        CU_AD_FORMAT_BC5_UNORM = 153,
        CU_AD_FORMAT_BC5_SNORM = 154,
        CU_AD_FORMAT_BC6H_UF16 = 155,
        CU_AD_FORMAT_BC6H_SF16 = 156,
        CU_AD_FORMAT_BC7_UNORM = 157,
        CU_AD_FORMAT_BC7_UNORM_SRGB = 158,
        CU_AD_FORMAT_P010 = 159,
        CU_AD_FORMAT_P016 = 161,
        CU_AD_FORMAT_NV16 = 162,
        CU_AD_FORMAT_P210 = 163,
        CU_AD_FORMAT_P216 = 164,
        CU_AD_FORMAT_YUY2 = 165,
        CU_AD_FORMAT_Y210 = 166,
        CU_AD_FORMAT_Y216 = 167,
        CU_AD_FORMAT_AYUV = 168,
        CU_AD_FORMAT_Y410 = 169,
        CU_AD_FORMAT_Y416 = 177,
        CU_AD_FORMAT_Y444_PLANAR8 = 178,
        CU_AD_FORMAT_Y444_PLANAR10 = 179,
        CU_AD_FORMAT_YUV444_8bit_SemiPlanar = 180,
        CU_AD_FORMAT_YUV444_16bit_SemiPlanar = 181,
        CU_AD_FORMAT_UNORM_INT_101010_2 = 80,
        CU_AD_FORMAT_UINT8_PACKED_422 = 81,
        CU_AD_FORMAT_UINT8_PACKED_444 = 82,
        CU_AD_FORMAT_UINT8_SEMIPLANAR_420 = 83,
        CU_AD_FORMAT_UINT16_SEMIPLANAR_420 = 84,
        CU_AD_FORMAT_UINT8_SEMIPLANAR_422 = 85,
        CU_AD_FORMAT_UINT16_SEMIPLANAR_422 = 86,
        CU_AD_FORMAT_UINT8_SEMIPLANAR_444 = 87,
        CU_AD_FORMAT_UINT16_SEMIPLANAR_444 = 88,
        CU_AD_FORMAT_UINT8_PLANAR_420 = 89,
        CU_AD_FORMAT_UINT16_PLANAR_420 = 90,
        CU_AD_FORMAT_UINT8_PLANAR_422 = 91,
        CU_AD_FORMAT_UINT16_PLANAR_422 = 92,
        CU_AD_FORMAT_UINT8_PLANAR_444 = 93,
        CU_AD_FORMAT_UINT16_PLANAR_444 = 94,
        CU_AD_FORMAT_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUaddress_mode: CUaddress_mode_values {
        CU_TR_ADDRESS_MODE_WRAP = 0,
        CU_TR_ADDRESS_MODE_CLAMP = 1,
        CU_TR_ADDRESS_MODE_MIRROR = 2,
        CU_TR_ADDRESS_MODE_BORDER = 3,
    }
}

c_enum! {
    pub enum CUfilter_mode: CUfilter_mode_values {
        CU_TR_FILTER_MODE_POINT = 0,
        CU_TR_FILTER_MODE_LINEAR = 1,
    }
}

c_enum! {
    pub enum CUdevice_attribute: CUdevice_attribute_values {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
        CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
        CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
        CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
        CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
        CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
        CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29,
        CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
        CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
        CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
        CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
        CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49,
        CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
        CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
        CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
        CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
        CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
        CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
        CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
        CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
        CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
        CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
        CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
        CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92,
        CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
        CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
        CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
        CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
        CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
        CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
        CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
        CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
        CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
        CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED = 112,
        CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
        CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
        CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119,
        CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
        CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121,
        CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
        CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
        CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
        CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
        CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128,
        CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
        CU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130,
        CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
        CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
        CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
        CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED = 135,
        CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK = 136,
        CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137,
        CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED = 138,
        CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
        CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID = 140,
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141,
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142,
        CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143,
        CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED = 144,
        CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145,
        CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146,
        CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147,
        CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED = 148,
        CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT = 149,
        CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK = 150,
        CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED = 151,
        CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED = 152,
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED = 153,
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED = 154,
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED = 155,
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED = 156,
        CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT = 157,
        CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES = 158,
        CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED = 159,
        CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE = 160,
        CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED = 161,
        CU_DEVICE_ATTRIBUTE_MAX = 162,
    }
}

c_enum! {
    pub enum CUmemorytype: CUmemorytype_values {
        CU_MEMORYTYPE_HOST = 1,
        CU_MEMORYTYPE_DEVICE = 2,
        CU_MEMORYTYPE_ARRAY = 3,
        CU_MEMORYTYPE_UNIFIED = 4,
    }
}

c_enum! {
    pub enum CUgraphicsRegisterFlags: CUgraphicsRegisterFlags_values {
        CU_GRAPHICS_REGISTER_FLAGS_NONE = 0,
        CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 1,
        CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2,
        CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 4,
        CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 8,
    }
}

c_enum! {
    pub enum CUresourcetype: CUresourcetype_values {
        CU_RESOURCE_TYPE_ARRAY = 0,
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
        CU_RESOURCE_TYPE_LINEAR = 2,
        CU_RESOURCE_TYPE_PITCH2D = 3,
    }
}

c_enum! {
    pub enum CUgraphConditionalNodeType: CUgraphConditionalNodeType_values {
        CU_GRAPH_COND_TYPE_IF = 0,
        CU_GRAPH_COND_TYPE_WHILE = 1,
        CU_GRAPH_COND_TYPE_SWITCH = 2,
    }
}

c_enum! {
    pub enum CUgraphNodeType: CUgraphNodeType_values {
        CU_GRAPH_NODE_TYPE_KERNEL = 0,
        CU_GRAPH_NODE_TYPE_MEMCPY = 1,
        CU_GRAPH_NODE_TYPE_MEMSET = 2,
        CU_GRAPH_NODE_TYPE_HOST = 3,
        CU_GRAPH_NODE_TYPE_GRAPH = 4,
        CU_GRAPH_NODE_TYPE_EMPTY = 5,
        CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
        CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8,
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
        CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
        CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12,
        CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
        CU_GRAPH_NODE_TYPE_MEMCPY_BATCH = 14,
        CU_GRAPH_NODE_TYPE_RESERVED_16 = 16,
        CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE = 17,
        CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH = 18,
    }
}

c_enum! {
    pub enum CUstreamCaptureStatus: CUstreamCaptureStatus_values {
        CU_STREAM_CAPTURE_STATUS_NONE = 0,
        CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
        CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
    }
}

c_enum! {
    pub enum CUstreamCaptureMode: CUstreamCaptureMode_values {
        CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
        CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    }
}

c_enum! {
    pub enum CUexecAffinityType: CUexecAffinityType_values {
        CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
        CU_EXEC_AFFINITY_TYPE_MAX = 1,
    }
}

c_enum! {
    pub enum CUcigDataType: CUcigDataType_values {
        CIG_DATA_TYPE_D3D12_COMMAND_QUEUE = 1,
        CIG_DATA_TYPE_NV_BLOB = 2,
    }
}

c_enum! {
    pub enum CUstreamCigDataType: CUstreamCigDataType_values {
        STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST = 1,
        STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV = 2,
    }
}

c_enum! {
    #[must_use]
    pub enum CUresult: CUresult_values {
        CUDA_SUCCESS = 0,
        CUDA_ERROR_INVALID_VALUE = 1,
        CUDA_ERROR_OUT_OF_MEMORY = 2,
        CUDA_ERROR_NOT_INITIALIZED = 3,
        CUDA_ERROR_DEINITIALIZED = 4,
        CUDA_ERROR_PROFILER_DISABLED = 5,
        CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
        CUDA_ERROR_PROFILER_ALREADY_STARTED = 7,
        CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8,
        CUDA_ERROR_STUB_LIBRARY = 34,
        CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
        CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
        CUDA_ERROR_MULTICAST_RESOURCE_FULL = 47,
        CUDA_ERROR_NO_DEVICE = 100,
        CUDA_ERROR_INVALID_DEVICE = 101,
        CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
        CUDA_ERROR_INVALID_IMAGE = 200,
        CUDA_ERROR_INVALID_CONTEXT = 201,
        CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
        CUDA_ERROR_MAP_FAILED = 205,
        CUDA_ERROR_UNMAP_FAILED = 206,
        CUDA_ERROR_ARRAY_IS_MAPPED = 207,
        CUDA_ERROR_ALREADY_MAPPED = 208,
        CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
        CUDA_ERROR_ALREADY_ACQUIRED = 210,
        CUDA_ERROR_NOT_MAPPED = 211,
        CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212,
        CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213,
        CUDA_ERROR_ECC_UNCORRECTABLE = 214,
        CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
        CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
        CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
        CUDA_ERROR_INVALID_PTX = 218,
        CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
        CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
        CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
        CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
        CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
        CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
        CUDA_ERROR_CONTAINED = 226,
        CUDA_ERROR_INSUFFICIENT_LOADER_VERSION = 227,
        CUDA_ERROR_INVALID_SOURCE = 300,
        CUDA_ERROR_FILE_NOT_FOUND = 301,
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
        CUDA_ERROR_OPERATING_SYSTEM = 304,
        CUDA_ERROR_INVALID_HANDLE = 400,
        CUDA_ERROR_ILLEGAL_STATE = 401,
        CUDA_ERROR_LOSSY_QUERY = 402,
        CUDA_ERROR_NOT_FOUND = 500,
        CUDA_ERROR_NOT_READY = 600,
        CUDA_ERROR_ILLEGAL_ADDRESS = 700,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
        CUDA_ERROR_LAUNCH_TIMEOUT = 702,
        CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
        CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
        CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
        CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
        CUDA_ERROR_ASSERT = 710,
        CUDA_ERROR_TOO_MANY_PEERS = 711,
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
        CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
        CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
        CUDA_ERROR_MISALIGNED_ADDRESS = 716,
        CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
        CUDA_ERROR_INVALID_PC = 718,
        CUDA_ERROR_LAUNCH_FAILED = 719,
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
        CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
        CUDA_ERROR_NOT_PERMITTED = 800,
        CUDA_ERROR_NOT_SUPPORTED = 801,
        CUDA_ERROR_SYSTEM_NOT_READY = 802,
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
        CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
        CUDA_ERROR_MPS_RPC_FAILURE = 806,
        CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
        CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
        CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
        CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
        CUDA_ERROR_CDP_NOT_SUPPORTED = 811,
        CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
        CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
        CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
        CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
        CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
        CUDA_ERROR_CAPTURED_EVENT = 907,
        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
        CUDA_ERROR_TIMEOUT = 909,
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
        CUDA_ERROR_EXTERNAL_DEVICE = 911,
        CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
        CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
        CUDA_ERROR_INVALID_RESOURCE_TYPE = 914,
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
        CUDA_ERROR_KEY_ROTATION = 916,
        CUDA_ERROR_STREAM_DETACHED = 917,
        CUDA_ERROR_GRAPH_RECAPTURE_FAILURE = 918,
        CUDA_ERROR_FABRIC_NOT_READY = 919,
        CUDA_ERROR_UNKNOWN = 999,
    }
}

c_enum! {
    pub enum CUresourceViewFormat: CUresourceViewFormat_values {
        CU_RES_VIEW_FORMAT_NONE = 0,
        CU_RES_VIEW_FORMAT_UINT_1X8 = 1,
        CU_RES_VIEW_FORMAT_UINT_2X8 = 2,
        CU_RES_VIEW_FORMAT_UINT_4X8 = 3,
        CU_RES_VIEW_FORMAT_SINT_1X8 = 4,
        CU_RES_VIEW_FORMAT_SINT_2X8 = 5,
        CU_RES_VIEW_FORMAT_SINT_4X8 = 6,
        CU_RES_VIEW_FORMAT_UINT_1X16 = 7,
        CU_RES_VIEW_FORMAT_UINT_2X16 = 8,
        CU_RES_VIEW_FORMAT_UINT_4X16 = 9,
        CU_RES_VIEW_FORMAT_SINT_1X16 = 10,
        CU_RES_VIEW_FORMAT_SINT_2X16 = 11,
        CU_RES_VIEW_FORMAT_SINT_4X16 = 12,
        CU_RES_VIEW_FORMAT_UINT_1X32 = 13,
        CU_RES_VIEW_FORMAT_UINT_2X32 = 14,
        CU_RES_VIEW_FORMAT_UINT_4X32 = 15,
        CU_RES_VIEW_FORMAT_SINT_1X32 = 16,
        CU_RES_VIEW_FORMAT_SINT_2X32 = 17,
        CU_RES_VIEW_FORMAT_SINT_4X32 = 18,
        CU_RES_VIEW_FORMAT_FLOAT_1X16 = 19,
        CU_RES_VIEW_FORMAT_FLOAT_2X16 = 20,
        CU_RES_VIEW_FORMAT_FLOAT_4X16 = 21,
        CU_RES_VIEW_FORMAT_FLOAT_1X32 = 22,
        CU_RES_VIEW_FORMAT_FLOAT_2X32 = 23,
        CU_RES_VIEW_FORMAT_FLOAT_4X32 = 24,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC1 = 25,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC2 = 26,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC3 = 27,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC4 = 28,
        CU_RES_VIEW_FORMAT_SIGNED_BC4 = 29,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC5 = 30,
        CU_RES_VIEW_FORMAT_SIGNED_BC5 = 31,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC6H = 32,
        CU_RES_VIEW_FORMAT_SIGNED_BC6H = 33,
        CU_RES_VIEW_FORMAT_UNSIGNED_BC7 = 34,
    }
}

c_enum! {
    pub enum CUexternalMemoryHandleType: CUexternalMemoryHandleType_values {
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF = 8,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD = 9,
    }
}

c_enum! {
    pub enum CUexternalSemaphoreHandleType: CUexternalSemaphoreHandleType_values {
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE = 5,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC = 6,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX = 7,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT = 8,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10,
    }
}

c_enum! {
    pub enum CUmemAllocationHandleType: CUmemAllocationHandleType_values {
        CU_MEM_HANDLE_TYPE_NONE = 0,
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
        CU_MEM_HANDLE_TYPE_WIN32 = 2,
        CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
        CU_MEM_HANDLE_TYPE_FABRIC = 8,
        CU_MEM_HANDLE_TYPE_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUmemAccess_flags: CUmemAccess_flags_values {
        CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
        CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
        CU_MEM_ACCESS_FLAGS_PROT_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUmemLocationType: CUmemLocationType_values {
        CU_MEM_LOCATION_TYPE_INVALID = 0,
        CU_MEM_LOCATION_TYPE_NONE = 0,
        CU_MEM_LOCATION_TYPE_DEVICE = 1,
        CU_MEM_LOCATION_TYPE_HOST = 2,
        CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
        CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
        CU_MEM_LOCATION_TYPE_INVISIBLE = 5,
        CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN = 6,
        CU_MEM_LOCATION_TYPE_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUmemAllocationType: CUmemAllocationType_values {
        CU_MEM_ALLOCATION_TYPE_INVALID = 0,
        CU_MEM_ALLOCATION_TYPE_PINNED = 1,
        CU_MEM_ALLOCATION_TYPE_MANAGED = 2,
        CU_MEM_ALLOCATION_TYPE_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUmemAllocationGranularity_flags: CUmemAllocationGranularity_flags_values {
        CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
        CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    }
}

c_enum! {
    pub enum CUmemRangeHandleType: CUmemRangeHandleType_values {
        CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 1,
        CU_MEM_RANGE_HANDLE_TYPE_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUmemcpySrcAccessOrder: CUmemcpySrcAccessOrder_values {
        CU_MEMCPY_SRC_ACCESS_ORDER_INVALID = 0,
        CU_MEMCPY_SRC_ACCESS_ORDER_STREAM = 1,
        CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL = 2,
        CU_MEMCPY_SRC_ACCESS_ORDER_ANY = 3,
        CU_MEMCPY_SRC_ACCESS_ORDER_MAX = 2147483647,
    }
}

c_enum! {
    pub enum CUgraphChildGraphNodeOwnership(c_int): CUgraphChildGraphNodeOwnership_values {
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0,
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE = 1,
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID = -1,
    }
}

c_enum! {
    pub enum CUfabricCpyOperandType: CUfabricCpyOperandType_values {
        CU_FABRIC_COPY_OPERAND_TYPE_POINTER = 1,
        CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT = 2,
        CU_FABRIC_COPY_OPERAND_TYPE_MAX = 2147483647,
    }
}

#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUuuid {
    /// The 16 bytes, in the order of Vulkan's `deviceUUID` and of nvidia-smi. [`to_bytes`](CUuuid::to_bytes) returns them as `u8`.
    pub bytes: [c_char; 16],
}

#[doc(alias = "CUipcMemHandle_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUipcMemHandle {
    /// The driver's bytes. Copy all of them.
    pub reserved: [c_char; 64],
}

#[doc(alias = "CUstreamBatchMemOpParams_v1")]
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams {
    /// The kind of operation, which every other field of the union begins with too.
    pub operation: CUstreamBatchMemOpType,
    /// For [`CU_STREAM_MEM_OP_WAIT_VALUE_32`] and [`CU_STREAM_MEM_OP_WAIT_VALUE_64`].
    pub waitValue: CUstreamBatchMemOpParams_waitValue,
    /// For [`CU_STREAM_MEM_OP_WRITE_VALUE_32`] and [`CU_STREAM_MEM_OP_WRITE_VALUE_64`].
    pub writeValue: CUstreamBatchMemOpParams_writeValue,
    /// For [`CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES`].
    pub flushRemoteWrites: CUstreamBatchMemOpParams_flushRemoteWrites,
    /// For [`CU_STREAM_MEM_OP_BARRIER`].
    pub memoryBarrier: CUstreamBatchMemOpParams_memoryBarrier,
    /// For [`CU_STREAM_MEM_OP_ATOMIC_REDUCTION`].
    pub atomicReduction: CUstreamBatchMemOpParams_atomicReduction,
    /// All bytes of the union, which `default()` sets to zero.
    pub pad: [cuuint64_t; 6],
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamBatchMemOpParams_waitValue {
    /// The kind of operation.
    pub operation: CUstreamBatchMemOpType,
    /// The address of the value in memory.
    pub address: CUdeviceptr,
    /// The value to compare with or to write.
    pub operand: CUstreamBatchMemOpParams_waitValue_operand,
    /// How to compare or write; 0 is the default.
    pub flags: c_uint,
    /// For the driver. Its value does not matter.
    pub alias: CUdeviceptr,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_waitValue_operand {
    /// For an operation of 32 bits.
    pub value: cuuint32_t,
    /// For an operation of 64 bits.
    pub value64: cuuint64_t,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamBatchMemOpParams_writeValue {
    /// The kind of operation.
    pub operation: CUstreamBatchMemOpType,
    /// The address of the value in memory.
    pub address: CUdeviceptr,
    /// The value to compare with or to write.
    pub operand: CUstreamBatchMemOpParams_writeValue_operand,
    /// How to compare or write; 0 is the default.
    pub flags: c_uint,
    /// For the driver. Its value does not matter.
    pub alias: CUdeviceptr,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_writeValue_operand {
    /// For an operation of 32 bits.
    pub value: cuuint32_t,
    /// For an operation of 64 bits.
    pub value64: cuuint64_t,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamBatchMemOpParams_flushRemoteWrites {
    /// The kind of operation.
    pub operation: CUstreamBatchMemOpType,
    /// Must be 0.
    pub flags: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamBatchMemOpParams_memoryBarrier {
    /// The kind of operation.
    pub operation: CUstreamBatchMemOpType,
    /// 0 for the whole system, 1 for the GPU only.
    pub flags: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamBatchMemOpParams_atomicReduction {
    /// The kind of operation.
    pub operation: CUstreamBatchMemOpType,
    /// Must be 0.
    pub flags: c_uint,
    /// What is done with the two values.
    pub reductionOp: CUstreamAtomicReductionOpType,
    /// The type of the two values.
    pub dataType: CUstreamAtomicReductionDataType,
    /// The address of the value in memory.
    pub address: CUdeviceptr,
    /// The other value.
    pub value: cuuint64_t,
    /// For the driver. Its value does not matter.
    pub alias: CUdeviceptr,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 {
    /// The context in which the node runs.
    pub ctx: CUcontext,
    /// The number of operations.
    pub count: c_uint,
    /// The operations.
    pub paramArray: *mut CUstreamBatchMemOpParams,
    /// Must be 0.
    pub flags: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS_v3 {
    /// The kernel, or null if `kern` is used.
    pub func: CUfunction,
    /// The width of the grid in blocks.
    pub gridDimX: c_uint,
    /// The height of the grid in blocks.
    pub gridDimY: c_uint,
    /// The depth of the grid in blocks.
    pub gridDimZ: c_uint,
    /// The width of a block in threads.
    pub blockDimX: c_uint,
    /// The height of a block in threads.
    pub blockDimY: c_uint,
    /// The depth of a block in threads.
    pub blockDimZ: c_uint,
    /// The dynamic shared memory of a block in bytes.
    pub sharedMemBytes: c_uint,
    /// An array of pointers to the kernel's arguments.
    pub kernelParams: *mut *mut c_void,
    /// The arguments in another form; null if `kernelParams` is used.
    pub extra: *mut *mut c_void,
    /// The kernel, read if `func` is null.
    pub kern: CUkernel,
    /// The context for `kern`; null for the current one.
    pub ctx: CUcontext,
}

#[doc(alias = "CUDA_MEMSET_NODE_PARAMS_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEMSET_NODE_PARAMS {
    /// The address of the first element, aligned to `elementSize`.
    pub dst: CUdeviceptr,
    /// The distance from one row to the next in bytes. Not read if `height` is 1.
    pub pitch: usize,
    /// The value of each element; its low `elementSize` bytes are used.
    pub value: c_uint,
    /// The size of an element in bytes: 1, 2 or 4.
    pub elementSize: c_uint,
    /// The number of elements in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEMSET_NODE_PARAMS_v2 {
    /// The address of the first element, aligned to `elementSize`.
    pub dst: CUdeviceptr,
    /// The distance from one row to the next in bytes. Not read if `height` is 1.
    pub pitch: usize,
    /// The value of each element; its low `elementSize` bytes are used.
    pub value: c_uint,
    /// The size of an element in bytes: 1, 2 or 4.
    pub elementSize: c_uint,
    /// The number of elements in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// The context in which the node runs.
    pub ctx: CUcontext,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_HOST_NODE_PARAMS_v2 {
    /// The function that the CPU calls.
    pub fn_: CUhostFn,
    /// Its argument.
    pub userData: *mut c_void,
    /// How the device waits for the function; 0 is the default.
    pub syncMode: c_uint,
    /// The context in which the node runs; null for no preference.
    pub context: CUDA_HOST_NODE_PARAMS_v2_context,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_HOST_NODE_PARAMS_v2_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    /// The condition.
    pub handle: CUgraphConditionalHandle,
    /// What the node does with it.
    pub type_: CUgraphConditionalNodeType,
    /// The number of body graphs.
    pub size: c_uint,
    /// Receives an array of the body graphs, which belongs to the node.
    pub phGraph_out: *mut CUgraph,
    /// The context in which the node runs.
    pub ctx: CUcontext,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUgraphEdgeData {
    /// The moment of the first node that the second one waits for; 0 is its end. Only kernel nodes have others.
    pub from_port: c_uchar,
    /// The part of the second node that waits; must be 0.
    pub to_port: c_uchar,
    /// The kind of dependency; 0 is the ordinary one.
    pub type_: c_uchar,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uchar; 5],
}

#[doc(alias = "CUexecAffinitySmCount_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUexecAffinitySmCount {
    /// The number of multiprocessors. The driver rounds it up.
    pub val: c_uint,
}

#[doc(alias = "CUexecAffinityParam_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUexecAffinityParam {
    /// What is limited. It decides which field of `param` is read.
    pub type_: CUexecAffinityType,
    /// The limit.
    pub param: CUexecAffinityParam_param,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUexecAffinityParam_param {
    /// For [`CU_EXEC_AFFINITY_TYPE_SM_COUNT`].
    pub smCount: CUexecAffinitySmCount,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUctxCigParam {
    /// The kind of `sharedData`.
    pub sharedDataType: CUcigDataType,
    /// A pointer to the graphics API's object or data.
    pub sharedData: *mut c_void,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUctxCreateParams {
    /// An array of limits for a multi-process service; null for none. Must be null if `cigParams` is set.
    pub execAffinityParams: *mut CUexecAffinityParam,
    /// The number of entries in the array.
    pub numExecAffinityParams: c_int,
    /// The graphics API's side of a CIG context; null for an ordinary context.
    pub cigParams: *mut CUctxCigParam,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamCigParam {
    /// The kind of `streamSharedData`.
    pub streamSharedDataType: CUstreamCigDataType,
    /// The command list, or the handle of the command buffer.
    pub streamSharedData: *mut c_void,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUstreamCigCaptureParams {
    /// The command list or command buffer. Never null.
    pub streamCigParams: *mut CUstreamCigParam,
}

#[doc(alias = "CUDA_MEMCPY2D_v2")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEMCPY2D {
    /// The position in a source row where the copy begins, in bytes (not elements).
    pub srcXInBytes: usize,
    /// The first source row.
    pub srcY: usize,
    /// The kind of the source. It decides which of the next three fields is read.
    pub srcMemoryType: CUmemorytype,
    /// The source for [`CU_MEMORYTYPE_HOST`].
    pub srcHost: *const c_void,
    /// The source for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`].
    pub srcDevice: CUdeviceptr,
    /// The source for [`CU_MEMORYTYPE_ARRAY`].
    pub srcArray: CUarray,
    /// The distance from one source row to the next in bytes, at least `srcXInBytes + WidthInBytes`. Not read for an array.
    pub srcPitch: usize,
    /// The position in a destination row where the copy begins, in bytes (not elements).
    pub dstXInBytes: usize,
    /// The first destination row.
    pub dstY: usize,
    /// The kind of the destination. It decides which of the next three fields is read.
    pub dstMemoryType: CUmemorytype,
    /// The destination for [`CU_MEMORYTYPE_HOST`].
    pub dstHost: *mut c_void,
    /// The destination for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`].
    pub dstDevice: CUdeviceptr,
    /// The destination for [`CU_MEMORYTYPE_ARRAY`].
    pub dstArray: CUarray,
    /// The distance from one destination row to the next in bytes, at least `dstXInBytes + WidthInBytes`. Not read for an array.
    pub dstPitch: usize,
    /// The number of bytes to copy of each row: elements times their size.
    pub WidthInBytes: usize,
    /// The number of rows to copy; 1 for an array of one dimension.
    pub Height: usize,
}

#[doc(alias = "CUDA_MEMCPY3D_v2")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEMCPY3D {
    /// The position in a source row where the copy begins, in bytes (not elements).
    pub srcXInBytes: usize,
    /// The first source row.
    pub srcY: usize,
    /// The first source slice or layer.
    pub srcZ: usize,
    /// Must be 0. [`cuMipmappedArrayGetLevel`](crate::array) selects a mip level.
    pub srcLOD: usize,
    /// The kind of the source. It decides which of the next three fields is read.
    pub srcMemoryType: CUmemorytype,
    /// The source for [`CU_MEMORYTYPE_HOST`].
    pub srcHost: *const c_void,
    /// The source for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`].
    pub srcDevice: CUdeviceptr,
    /// The source for [`CU_MEMORYTYPE_ARRAY`].
    pub srcArray: CUarray,
    /// Must be null.
    pub reserved0: *mut c_void,
    /// The distance from one source row to the next in bytes, at least `srcXInBytes + WidthInBytes`. Not read for an array.
    pub srcPitch: usize,
    /// The number of rows from one source slice to the next. Not read for an array.
    pub srcHeight: usize,
    /// The position in a destination row where the copy begins, in bytes (not elements).
    pub dstXInBytes: usize,
    /// The first destination row.
    pub dstY: usize,
    /// The first destination slice or layer.
    pub dstZ: usize,
    /// Must be 0. [`cuMipmappedArrayGetLevel`](crate::array) selects a mip level.
    pub dstLOD: usize,
    /// The kind of the destination. It decides which of the next three fields is read.
    pub dstMemoryType: CUmemorytype,
    /// The destination for [`CU_MEMORYTYPE_HOST`].
    pub dstHost: *mut c_void,
    /// The destination for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`].
    pub dstDevice: CUdeviceptr,
    /// The destination for [`CU_MEMORYTYPE_ARRAY`].
    pub dstArray: CUarray,
    /// Must be null.
    pub reserved1: *mut c_void,
    /// The distance from one destination row to the next in bytes, at least `dstXInBytes + WidthInBytes`. Not read for an array.
    pub dstPitch: usize,
    /// The number of rows from one destination slice to the next. Not read for an array.
    pub dstHeight: usize,
    /// The number of bytes to copy of each row: elements times their size.
    pub WidthInBytes: usize,
    /// The number of rows to copy; 1 for an array of one dimension.
    pub Height: usize,
    /// The number of slices or layers to copy; 1 if there are none.
    pub Depth: usize,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEMCPY_NODE_PARAMS {
    /// Must be 0.
    pub flags: c_int,
    /// Must be 0.
    pub reserved: c_int,
    /// The context in which the node runs.
    pub copyCtx: CUcontext,
    /// The copy.
    pub copyParams: CUDA_MEMCPY3D,
}

#[doc(alias = "CUDA_ARRAY3D_DESCRIPTOR_v2")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_ARRAY3D_DESCRIPTOR {
    /// The number of elements in a row. Never 0.
    pub Width: usize,
    /// The number of rows; 0 for an array of one dimension.
    pub Height: usize,
    /// The number of slices of a 3D array; the number of layers with [`CUDA_ARRAY3D_LAYERED`]; 6 times the number of cubes with [`CUDA_ARRAY3D_CUBEMAP`]; otherwise 0.
    pub Depth: usize,
    /// The type of one channel of an element.
    pub Format: CUarray_format,
    /// The number of channels of an element: 1, 2 or 4. CUDA has no formats with three channels.
    pub NumChannels: c_uint,
    /// `CUDA_ARRAY3D_` flags, combined by `|`.
    pub Flags: c_uint,
}

#[doc(alias = "CUDA_RESOURCE_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_DESC {
    /// The kind of the resource. It decides which field of `res` is read.
    pub resType: CUresourcetype,
    /// The resource: the field of the union that goes with `resType`.
    pub res: CUDA_RESOURCE_DESC_res,
    /// Must be 0.
    pub flags: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_RESOURCE_DESC_res {
    /// For [`CU_RESOURCE_TYPE_ARRAY`].
    pub array: CUDA_RESOURCE_DESC_res_array,
    /// For [`CU_RESOURCE_TYPE_MIPMAPPED_ARRAY`].
    pub mipmap: CUDA_RESOURCE_DESC_res_mipmap,
    /// For [`CU_RESOURCE_TYPE_LINEAR`].
    pub linear: CUDA_RESOURCE_DESC_res_linear,
    /// For [`CU_RESOURCE_TYPE_PITCH2D`].
    pub pitch2D: CUDA_RESOURCE_DESC_res_pitch2D,
    /// All bytes of the union, which `default()` sets to zero.
    pub reserved: CUDA_RESOURCE_DESC_res_reserved,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_DESC_res_array {
    /// The array, for example a level of a mipmapped array.
    pub hArray: CUarray,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_DESC_res_mipmap {
    /// The mipmapped array.
    pub hMipmappedArray: CUmipmappedArray,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_DESC_res_linear {
    /// The address, aligned to [`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`].
    pub devPtr: CUdeviceptr,
    /// The type of one channel.
    pub format: CUarray_format,
    /// The number of channels of an element: 1, 2 or 4.
    pub numChannels: c_uint,
    /// The size of the memory in bytes.
    pub sizeInBytes: usize,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_DESC_res_pitch2D {
    /// The address, aligned to [`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`].
    pub devPtr: CUdeviceptr,
    /// The type of one channel.
    pub format: CUarray_format,
    /// The number of channels of an element: 1, 2 or 4.
    pub numChannels: c_uint,
    /// The number of elements in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// The distance from one row to the next in bytes, a multiple of [`CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT`].
    pub pitchInBytes: usize,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_DESC_res_reserved {
    /// All bytes of the union.
    pub reserved: [c_int; 32],
}

#[doc(alias = "CUDA_TEXTURE_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_TEXTURE_DESC {
    /// The mode for reads outside of the image, for each dimension. Not read for linear memory. For coordinates in texels, cuda.h names [`CU_TR_ADDRESS_MODE_CLAMP`] as the only mode.
    pub addressMode: [CUaddress_mode; 3],
    /// Whether texels are interpolated. Not read for linear memory.
    pub filterMode: CUfilter_mode,
    /// `CU_TRSF_` flags, combined by `|`.
    pub flags: c_uint,
    /// The greatest ratio of anisotropic filtering, limited to 1 to 16.
    pub maxAnisotropy: c_uint,
    /// Whether levels are interpolated.
    pub mipmapFilterMode: CUfilter_mode,
    /// What is added to the level that a read computes.
    pub mipmapLevelBias: f32,
    /// The lowest level that is read.
    pub minMipmapLevelClamp: f32,
    /// The highest level that is read. `default()` leaves 0: only level 0 is read.
    pub maxMipmapLevelClamp: f32,
    /// The color outside of the image for [`CU_TR_ADDRESS_MODE_BORDER`].
    pub borderColor: [f32; 4],
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_int; 12],
}

#[doc(alias = "CUDA_RESOURCE_VIEW_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_RESOURCE_VIEW_DESC {
    /// How the elements are interpreted.
    pub format: CUresourceViewFormat,
    /// The width in texels: that of the array, or 4 times it for a block-compressed format.
    pub width: usize,
    /// The height in texels: that of the array, or 4 times it for a block-compressed format.
    pub height: usize,
    /// The depth: that of the array.
    pub depth: usize,
    /// The level that becomes level 0; 0 for an array without levels.
    pub firstMipmapLevel: c_uint,
    /// The last level; 0 for an array without levels.
    pub lastMipmapLevel: c_uint,
    /// The layer that becomes layer 0; 0 for an array without layers.
    pub firstLayer: c_uint,
    /// The last layer; 0 for an array without layers.
    pub lastLayer: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[doc(alias = "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    /// The type of the handle. It decides which field of `handle` is read.
    pub type_: CUexternalMemoryHandleType,
    /// The handle: the field of the union that goes with `type_`.
    pub handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle,
    /// The size of the whole exported allocation in bytes, not of the buffer in it: for Vulkan the `allocationSize` of its `VkMemoryAllocateInfo`, for Direct3D 12 the `SizeInBytes` of `GetResourceAllocationInfo`, for NvSciBuf the object's size attribute. 0 is an error. The driver does not detect a size that is too large before a buffer is mapped.
    pub size: c_ulonglong,
    /// 0 or [`CUDA_EXTERNAL_MEMORY_DEDICATED`], which must be set if and only if the exporter made a dedicated allocation.
    pub flags: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {
    /// A file descriptor, for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`] and [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD`]. A successful import of an opaque file descriptor takes it over: the caller must neither close nor use it any more.
    pub fd: c_int,
    /// A Windows handle or its name, for the types OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_HEAP, D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT.
    pub win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32,
    /// An `NvSciBufObj`, for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF`]. The caller keeps it, and it must live as long as the import.
    pub nvSciBufObject: *const c_void,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 {
    /// The shared handle, or null if `name` is used. An NT handle stays the caller's, who closes it with `CloseHandle` at any time after the import. A KMT handle is a number and is never closed.
    pub handle: *mut c_void,
    /// The name with which the handle was created, in UTF-16 with a zero at its end, or null if `handle` is used. Exactly one of the two must be null. It must be null for the KMT types.
    pub name: *const c_void,
}

#[doc(alias = "CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
    /// The offset of the buffer in the memory object, in bytes: the one at which the exporter bound its buffer, with the alignment that the exporter's API requires. 0 for a dedicated import.
    pub offset: c_ulonglong,
    /// The size of the mapping in bytes. `offset + size` must not exceed the size of the memory object.
    pub size: c_ulonglong,
    /// Must be 0.
    pub flags: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[doc(alias = "CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    /// The offset of level 0 in the memory object, in bytes: the one at which the exporter bound its image.
    pub offset: c_ulonglong,
    /// The format, extent and kind of level 0. They must be those of the exporter's image.
    pub arrayDesc: CUDA_ARRAY3D_DESCRIPTOR,
    /// The number of mip levels, level 0 included: that of the exporter's image, and never 0. 1 for memory imported from NvSciBuf.
    pub numLevels: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[doc(alias = "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    /// The type of the handle. It decides which field of `handle` is read, and which field of `params` a signal or wait of this semaphore reads.
    pub type_: CUexternalSemaphoreHandleType,
    /// The handle: the field of the union that goes with `type_`.
    pub handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle,
    /// Must be 0.
    pub flags: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle {
    /// A file descriptor, for [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`] and [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`]. A successful import takes it over: the caller must neither close nor use it any more.
    pub fd: c_int,
    /// A Windows handle or its name, for the types OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_FENCE, D3D11_FENCE, D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT and TIMELINE_SEMAPHORE_WIN32.
    pub win32: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32,
    /// An `NvSciSyncObj`, for [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC`]. The caller keeps it, and it must live as long as the import.
    pub nvSciSyncObj: *const c_void,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 {
    /// The shared handle, or null if `name` is used. An NT handle stays the caller's, who closes it with `CloseHandle` at any time after the import. A KMT handle is a number and is never closed.
    pub handle: *mut c_void,
    /// The name with which the handle was created, in UTF-16 with a zero at its end, or null if `handle` is used. Exactly one of the two must be null. It must be null for the KMT types.
    pub name: *const c_void,
}

#[doc(alias = "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    /// The value, fence or key of the signal. The semaphore's handle type decides which field is read.
    pub params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params,
    /// 0, or for NvSciSync [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`].
    pub flags: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params {
    /// For both timeline semaphore types, D3D12_FENCE and D3D11_FENCE. Nothing is read for a binary semaphore (OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT).
    pub fence: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence,
    /// For NVSCISYNC.
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync,
    /// For D3D11_KEYED_MUTEX and D3D11_KEYED_MUTEX_KMT.
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 12],
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence {
    /// The value to which the semaphore is set. For a timeline semaphore it must be greater than the current value.
    pub value: c_ulonglong,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync {
    /// An `NvSciSyncFence` of the caller's. The call overwrites it. A wait for this signal needs it.
    pub fence: *mut c_void,
    /// Makes the union 8 bytes long on every platform.
    pub reserved: c_ulonglong,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex {
    /// The key with which the mutex is released. The next owner acquires it with the same key.
    pub key: c_ulonglong,
}

#[doc(alias = "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    /// The value, fence or key of the wait. The semaphore's handle type decides which field is read.
    pub params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params,
    /// 0, or for NvSciSync [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`].
    pub flags: c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 16],
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params {
    /// For both timeline semaphore types, D3D12_FENCE and D3D11_FENCE. Nothing is read for a binary semaphore (OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT).
    pub fence: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence,
    /// For NVSCISYNC.
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync,
    /// For D3D11_KEYED_MUTEX and D3D11_KEYED_MUTEX_KMT.
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uint; 10],
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence {
    /// The wait ends once the semaphore has this value or a greater one.
    pub value: c_ulonglong,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync {
    /// The `NvSciSyncFence` that the signal wrote.
    pub fence: *mut c_void,
    /// Makes the union 8 bytes long on every platform.
    pub reserved: c_ulonglong,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex {
    /// The key with which the mutex is acquired: the one with which its last owner released it.
    pub key: c_ulonglong,
    /// The longest time to wait, in milliseconds. `u32::MAX`, which is `INFINITE` on Windows, waits without a limit.
    pub timeoutMs: c_uint,
}

#[doc(alias = "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
    /// The semaphores that the node signals. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each semaphore. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    /// The number of entries in both arrays.
    pub numExtSems: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
    /// The semaphores that the node signals. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each semaphore. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    /// The number of entries in both arrays.
    pub numExtSems: c_uint,
    /// The context in which the node runs; null for no preference. Since CUDA 13.4.
    pub context: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}

#[doc(alias = "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS {
    /// The semaphores for which the node waits. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each semaphore. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    /// The number of entries in both arrays.
    pub numExtSems: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
    /// The semaphores for which the node waits. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each semaphore. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    /// The number of entries in both arrays.
    pub numExtSems: c_uint,
    /// The context in which the node runs; null for no preference. Since CUDA 13.4.
    pub context: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}

#[doc(alias = "CUmemAllocationProp_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUmemAllocationProp {
    /// [`CU_MEM_ALLOCATION_TYPE_PINNED`].
    pub type_: CUmemAllocationType,
    /// The handle type as which the allocation can be exported. [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`] is a file descriptor that another API or process imports. It cannot be added later.
    pub requestedHandleTypes: CUmemAllocationHandleType,
    /// Where the memory is.
    pub location: CUmemLocation,
    /// For [`CU_MEM_HANDLE_TYPE_WIN32`], a pointer to a Windows `OBJECT_ATTRIBUTES` that says who may open the handle; otherwise null.
    pub win32HandleMetaData: *mut c_void,
    /// Rarely used properties.
    pub allocFlags: CUmemAllocationProp_allocFlags,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUmemAllocationProp_allocFlags {
    /// 1 requests memory that the hardware may compress; otherwise 0.
    pub compressionType: c_uchar,
    /// 1 requests memory that other PCI Express devices can access; otherwise 0.
    pub gpuDirectRDMACapable: c_uchar,
    /// A hint about the use of the memory; 0 for none.
    pub usage: c_ushort,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uchar; 4],
}

#[doc(alias = "CUmemAccessDesc_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUmemAccessDesc {
    /// The device that is given access.
    pub location: CUmemLocation,
    /// The device's access.
    pub flags: CUmemAccess_flags,
}

#[doc(alias = "CUmemPoolProps_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUmemPoolProps {
    /// [`CU_MEM_ALLOCATION_TYPE_PINNED`].
    pub allocType: CUmemAllocationType,
    /// The handle types as which the pool's memory can be exported.
    pub handleTypes: CUmemAllocationHandleType,
    /// Where the memory is.
    pub location: CUmemLocation,
    /// For [`CU_MEM_HANDLE_TYPE_WIN32`], a pointer to Windows security attributes; otherwise null.
    pub win32SecurityAttributes: *mut c_void,
    /// The greatest size of the pool in bytes; 0 for the default.
    pub maxSize: usize,
    /// Bits about the use of the pool; 0 for none.
    pub usage: c_ushort,
    /// 1 requests memory that other PCI Express devices can access; otherwise 0.
    pub gpuDirectRDMACapable: c_uchar,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [c_uchar; 53],
}

#[doc(alias = "CUmemcpyAttributes_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUmemcpyAttributes {
    /// When the source may be read.
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    /// A hint about the location of the source.
    pub srcLocHint: CUmemLocation,
    /// A hint about the location of the destination.
    pub dstLocHint: CUmemLocation,
    /// Flags of the copy; 0 for none.
    pub flags: c_uint,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v2 {
    /// Where the memory is.
    pub poolProps: CUmemPoolProps,
    /// An array of devices and their access.
    pub accessDescs: *const CUmemAccessDesc,
    /// The number of entries in the array.
    pub accessDescCount: usize,
    /// The size in bytes.
    pub bytesize: usize,
    /// Receives the address.
    pub dptr: CUdeviceptr,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEM_FREE_NODE_PARAMS {
    /// The address of the memory that the node frees.
    pub dptr: CUdeviceptr,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS {
    /// The graph.
    pub graph: CUgraph,
    /// Who owns the graph.
    pub ownership: CUgraphChildGraphNodeOwnership,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EVENT_RECORD_NODE_PARAMS {
    /// The event that the node records.
    pub event: CUevent,
    /// The context in which the node runs; null for no preference.
    pub context: CUDA_EVENT_RECORD_NODE_PARAMS_context,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EVENT_RECORD_NODE_PARAMS_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_EVENT_WAIT_NODE_PARAMS {
    /// The event for which the node waits.
    pub event: CUevent,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 {
    /// The number of copies.
    pub count: usize,
    /// The destination addresses.
    pub dsts: *mut CUdeviceptr,
    /// The source addresses.
    pub srcs: *mut CUdeviceptr,
    /// The sizes in bytes.
    pub sizes: *mut usize,
    /// An array of attributes.
    pub attrs: *mut CUmemcpyAttributes,
    /// For each entry in `attrs`, the first copy that it is for.
    pub attrsIdxs: *mut usize,
    /// The number of entries in `attrs`.
    pub numAttrs: usize,
    /// The context in which the node runs; null for no preference.
    pub context: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 {
    /// The number of copies.
    pub numOps: usize,
    /// The copies.
    pub opList: *mut CUDA_FABRIC_COPY_BATCH_OP,
    /// Must be 0.
    pub flags: c_ulonglong,
    /// The context in which the node runs; null for no preference.
    pub context: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUgraphNodeParams {
    /// The kind of the node. It decides which field of `params` is read.
    pub type_: CUgraphNodeType,
    /// Must be zero, as `default()` leaves it.
    pub reserved0: [c_int; 3],
    /// The parameters: the field of the union that goes with `type_`. Its other bytes must be zero.
    pub params: CUgraphNodeParams_params,
    /// Must be 0, as `default()` leaves it.
    pub reserved2: c_longlong,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUgraphNodeParams_params {
    /// All bytes of the union, which `default()` sets to zero.
    pub reserved1: [c_longlong; 29],
    /// For [`CU_GRAPH_NODE_TYPE_KERNEL`].
    pub kernel: CUDA_KERNEL_NODE_PARAMS_v3,
    /// For [`CU_GRAPH_NODE_TYPE_MEMCPY`].
    pub memcpy: CUDA_MEMCPY_NODE_PARAMS,
    /// For [`CU_GRAPH_NODE_TYPE_MEMSET`].
    pub memset: CUDA_MEMSET_NODE_PARAMS_v2,
    /// For [`CU_GRAPH_NODE_TYPE_HOST`].
    pub host: CUDA_HOST_NODE_PARAMS_v2,
    /// For [`CU_GRAPH_NODE_TYPE_GRAPH`].
    pub graph: CUDA_CHILD_GRAPH_NODE_PARAMS,
    /// For [`CU_GRAPH_NODE_TYPE_WAIT_EVENT`].
    pub eventWait: CUDA_EVENT_WAIT_NODE_PARAMS,
    /// For [`CU_GRAPH_NODE_TYPE_EVENT_RECORD`].
    pub eventRecord: CUDA_EVENT_RECORD_NODE_PARAMS,
    /// For [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL`].
    pub extSemSignal: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
    /// For [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT`].
    pub extSemWait: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2,
    /// For [`CU_GRAPH_NODE_TYPE_MEM_ALLOC`].
    pub alloc: CUDA_MEM_ALLOC_NODE_PARAMS_v2,
    /// For [`CU_GRAPH_NODE_TYPE_MEM_FREE`].
    pub free: CUDA_MEM_FREE_NODE_PARAMS,
    /// For [`CU_GRAPH_NODE_TYPE_BATCH_MEM_OP`].
    pub memOp: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    /// For [`CU_GRAPH_NODE_TYPE_CONDITIONAL`]. Since CUDA 12.3.
    pub conditional: CUDA_CONDITIONAL_NODE_PARAMS,
    /// For [`CU_GRAPH_NODE_TYPE_MEMCPY_BATCH`]. Since CUDA 13.5.
    pub memcpyBatch: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
    /// For [`CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH`]. Since CUDA 13.5.
    pub fabricCpyBatch: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1,
    /// The union as bytes.
    pub asBytes: [c_char; 232],
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUfabricCpyOperand {
    /// The kind of operand. It decides which field of `op` is read.
    pub type_: CUfabricCpyOperandType,
    /// The address.
    pub op: CUfabricCpyOperand_op,
}

#[repr(C)]
#[derive(Copy, Clone)]
pub union CUfabricCpyOperand_op {
    /// For [`CU_FABRIC_COPY_OPERAND_TYPE_POINTER`].
    pub ptr: CUfabricCpyOperand_op_ptr,
    /// For [`CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT`].
    pub le: CUfabricCpyOperand_op_le,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUfabricCpyOperand_op_ptr {
    /// The address.
    pub ptr: CUdeviceptr,
    /// A hint about the location of the memory.
    pub locHint: CUmemLocation,
}

#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUfabricCpyOperand_op_le {
    /// The logical endpoint.
    pub id: CUlogicalEndpointId,
    /// The offset in it, in bytes.
    pub offset: cuuint64_t,
}

#[doc(alias = "CUDA_FABRIC_COPY_BATCH_OP_v1")]
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CUDA_FABRIC_COPY_BATCH_OP {
    /// The source.
    pub src: CUfabricCpyOperand,
    /// The destination.
    pub dst: CUfabricCpyOperand,
    /// The size in bytes; 0 does nothing.
    pub size: usize,
    /// Must be 0.
    pub flags: c_uint,
}

zeroed_default! {
    CUctx_flags,
    CUstream_flags,
    CUevent_flags,
    CUevent_wait_flags,
    CUstreamAtomicReductionOpType,
    CUaddress_mode,
    CUfilter_mode,
    CUgraphicsRegisterFlags,
    CUresourcetype,
    CUgraphConditionalNodeType,
    CUgraphNodeType,
    CUstreamCaptureStatus,
    CUstreamCaptureMode,
    CUexecAffinityType,
    CUresult,
    CUresourceViewFormat,
    CUmemAllocationHandleType,
    CUmemAccess_flags,
    CUmemLocationType,
    CUmemAllocationType,
    CUmemAllocationGranularity_flags,
    CUmemcpySrcAccessOrder,
    CUgraphChildGraphNodeOwnership,
    CUuuid,
    CUipcMemHandle,
    CUstreamBatchMemOpParams,
    CUstreamBatchMemOpParams_waitValue,
    CUstreamBatchMemOpParams_waitValue_operand,
    CUstreamBatchMemOpParams_writeValue,
    CUstreamBatchMemOpParams_writeValue_operand,
    CUstreamBatchMemOpParams_flushRemoteWrites,
    CUstreamBatchMemOpParams_memoryBarrier,
    CUstreamBatchMemOpParams_atomicReduction,
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    CUDA_KERNEL_NODE_PARAMS_v3,
    CUDA_MEMSET_NODE_PARAMS,
    CUDA_MEMSET_NODE_PARAMS_v2,
    CUDA_HOST_NODE_PARAMS_v2,
    CUDA_HOST_NODE_PARAMS_v2_context,
    CUDA_CONDITIONAL_NODE_PARAMS,
    CUgraphEdgeData,
    CUexecAffinitySmCount,
    CUexecAffinityParam,
    CUexecAffinityParam_param,
    CUctxCigParam,
    CUctxCreateParams,
    CUstreamCigParam,
    CUstreamCigCaptureParams,
    CUDA_MEMCPY2D,
    CUDA_MEMCPY3D,
    CUDA_MEMCPY_NODE_PARAMS,
    CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_DESC_res,
    CUDA_RESOURCE_DESC_res_array,
    CUDA_RESOURCE_DESC_res_mipmap,
    CUDA_RESOURCE_DESC_res_linear,
    CUDA_RESOURCE_DESC_res_pitch2D,
    CUDA_RESOURCE_DESC_res_reserved,
    CUDA_TEXTURE_DESC,
    CUDA_RESOURCE_VIEW_DESC,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32,
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context,
    CUmemAllocationProp,
    CUmemAllocationProp_allocFlags,
    CUmemAccessDesc,
    CUmemPoolProps,
    CUmemcpyAttributes,
    CUDA_MEM_ALLOC_NODE_PARAMS_v2,
    CUDA_MEM_FREE_NODE_PARAMS,
    CUDA_CHILD_GRAPH_NODE_PARAMS,
    CUDA_EVENT_RECORD_NODE_PARAMS,
    CUDA_EVENT_RECORD_NODE_PARAMS_context,
    CUDA_EVENT_WAIT_NODE_PARAMS,
    CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
    CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context,
    CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1,
    CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context,
    CUgraphNodeParams,
    CUgraphNodeParams_params,
    CUfabricCpyOperand,
    CUfabricCpyOperand_op,
    CUfabricCpyOperand_op_ptr,
    CUfabricCpyOperand_op_le,
    CUDA_FABRIC_COPY_BATCH_OP,
}


union_debug! {
    CUstreamBatchMemOpParams,
    CUstreamBatchMemOpParams_waitValue_operand,
    CUstreamBatchMemOpParams_writeValue_operand,
    CUDA_HOST_NODE_PARAMS_v2_context,
    CUexecAffinityParam_param,
    CUDA_RESOURCE_DESC_res,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context,
    CUDA_EVENT_RECORD_NODE_PARAMS_context,
    CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context,
    CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context,
    CUgraphNodeParams_params,
    CUfabricCpyOperand_op,
}


driver_functions! {
    pub fn cuGetErrorString: PFN_cuGetErrorString(error: CUresult, pStr: *mut *const c_char) -> CUresult;
    pub fn cuGetErrorName: PFN_cuGetErrorName(error: CUresult, pStr: *mut *const c_char) -> CUresult;
    pub fn cuInit: PFN_cuInit(Flags: c_uint) -> CUresult;
    pub fn cuDriverGetVersion: PFN_cuDriverGetVersion(driverVersion: *mut c_int) -> CUresult;
    pub fn cuDeviceGet: PFN_cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult;
    pub fn cuDeviceGetCount: PFN_cuDeviceGetCount(count: *mut c_int) -> CUresult;
    pub fn cuDeviceGetName: PFN_cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice) -> CUresult;
    pub fn cuDeviceGetUuid_v2 as cuDeviceGetUuid: PFN_cuDeviceGetUuid_v2 as PFN_cuDeviceGetUuid(
        uuid: *mut CUuuid,
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuDeviceGetLuid: PFN_cuDeviceGetLuid(
        luid: *mut c_char,
        deviceNodeMask: *mut c_uint,
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuDeviceGetAttribute: PFN_cuDeviceGetAttribute(
        pi: *mut c_int,
        attrib: CUdevice_attribute,
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuDeviceGetNvSciSyncAttributes: PFN_cuDeviceGetNvSciSyncAttributes(
        nvSciSyncAttrList: *mut c_void,
        dev: CUdevice,
        flags: c_int,
    ) -> CUresult;
    pub fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain(
        pctx: *mut CUcontext,
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuDevicePrimaryCtxRelease_v2 as cuDevicePrimaryCtxRelease: PFN_cuDevicePrimaryCtxRelease_v2 as PFN_cuDevicePrimaryCtxRelease(
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuDevicePrimaryCtxSetFlags_v2 as cuDevicePrimaryCtxSetFlags: PFN_cuDevicePrimaryCtxSetFlags_v2 as PFN_cuDevicePrimaryCtxSetFlags(
        dev: CUdevice,
        flags: c_uint,
    ) -> CUresult;
    pub fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState(
        dev: CUdevice,
        flags: *mut c_uint,
        active: *mut c_int,
    ) -> CUresult;
    pub fn cuCtxCreate_v4 as cuCtxCreate: PFN_cuCtxCreate_v4 as PFN_cuCtxCreate(
        pctx: *mut CUcontext,
        ctxCreateParams: *mut CUctxCreateParams,
        flags: c_uint,
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuCtxDestroy_v2 as cuCtxDestroy: PFN_cuCtxDestroy_v2 as PFN_cuCtxDestroy(
        ctx: CUcontext,
    ) -> CUresult;
    pub fn cuCtxPushCurrent_v2 as cuCtxPushCurrent: PFN_cuCtxPushCurrent_v2 as PFN_cuCtxPushCurrent(
        ctx: CUcontext,
    ) -> CUresult;
    pub fn cuCtxPopCurrent_v2 as cuCtxPopCurrent: PFN_cuCtxPopCurrent_v2 as PFN_cuCtxPopCurrent(
        pctx: *mut CUcontext,
    ) -> CUresult;
    pub fn cuCtxSetCurrent: PFN_cuCtxSetCurrent(ctx: CUcontext) -> CUresult;
    pub fn cuCtxGetCurrent: PFN_cuCtxGetCurrent(pctx: *mut CUcontext) -> CUresult;
    pub fn cuCtxGetDevice: PFN_cuCtxGetDevice(device: *mut CUdevice) -> CUresult;
    pub fn cuCtxSynchronize: PFN_cuCtxSynchronize() -> CUresult;
    pub fn cuCtxGetStreamPriorityRange: PFN_cuCtxGetStreamPriorityRange(
        leastPriority: *mut c_int,
        greatestPriority: *mut c_int,
    ) -> CUresult;
    pub fn cuModuleLoadData: PFN_cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult;
    pub fn cuModuleUnload: PFN_cuModuleUnload(hmod: CUmodule) -> CUresult;
    pub fn cuModuleGetFunction: PFN_cuModuleGetFunction(
        hfunc: *mut CUfunction,
        hmod: CUmodule,
        name: *const c_char,
    ) -> CUresult;
    pub fn cuMemGetInfo_v2 as cuMemGetInfo: PFN_cuMemGetInfo_v2 as PFN_cuMemGetInfo(
        free: *mut usize,
        total: *mut usize,
    ) -> CUresult;
    pub fn cuMemAlloc_v2 as cuMemAlloc: PFN_cuMemAlloc_v2 as PFN_cuMemAlloc(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
    ) -> CUresult;
    pub fn cuMemAllocPitch_v2 as cuMemAllocPitch: PFN_cuMemAllocPitch_v2 as PFN_cuMemAllocPitch(
        dptr: *mut CUdeviceptr,
        pPitch: *mut usize,
        WidthInBytes: usize,
        Height: usize,
        ElementSizeBytes: c_uint,
    ) -> CUresult;
    pub fn cuMemFree_v2 as cuMemFree: PFN_cuMemFree_v2 as PFN_cuMemFree(dptr: CUdeviceptr) -> CUresult;
    pub fn cuMemGetAddressRange_v2 as cuMemGetAddressRange: PFN_cuMemGetAddressRange_v2 as PFN_cuMemGetAddressRange(
        pbase: *mut CUdeviceptr,
        psize: *mut usize,
        dptr: CUdeviceptr,
    ) -> CUresult;
    pub fn cuMemAllocHost_v2 as cuMemAllocHost: PFN_cuMemAllocHost_v2 as PFN_cuMemAllocHost(
        pp: *mut *mut c_void,
        bytesize: usize,
    ) -> CUresult;
    pub fn cuMemFreeHost: PFN_cuMemFreeHost(p: *mut c_void) -> CUresult;
    pub fn cuDeviceGetByPCIBusId: PFN_cuDeviceGetByPCIBusId(
        dev: *mut CUdevice,
        pciBusId: *const c_char,
    ) -> CUresult;
    pub fn cuDeviceGetPCIBusId: PFN_cuDeviceGetPCIBusId(
        pciBusId: *mut c_char,
        len: c_int,
        dev: CUdevice,
    ) -> CUresult;
    pub fn cuIpcGetMemHandle: PFN_cuIpcGetMemHandle(
        pHandle: *mut CUipcMemHandle,
        dptr: CUdeviceptr,
    ) -> CUresult;
    pub fn cuIpcOpenMemHandle_v2 as cuIpcOpenMemHandle: PFN_cuIpcOpenMemHandle_v2 as PFN_cuIpcOpenMemHandle(
        pdptr: *mut CUdeviceptr,
        handle: CUipcMemHandle,
        Flags: c_uint,
    ) -> CUresult;
    pub fn cuIpcCloseMemHandle: PFN_cuIpcCloseMemHandle(dptr: CUdeviceptr) -> CUresult;
    pub fn cuMemHostRegister_v2 as cuMemHostRegister: PFN_cuMemHostRegister_v2 as PFN_cuMemHostRegister(
        p: *mut c_void,
        bytesize: usize,
        Flags: c_uint,
    ) -> CUresult;
    pub fn cuMemHostUnregister: PFN_cuMemHostUnregister(p: *mut c_void) -> CUresult;
    pub fn cuMemcpy: PFN_cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize) -> CUresult;
    pub fn cuMemcpyHtoD_v2 as cuMemcpyHtoD: PFN_cuMemcpyHtoD_v2 as PFN_cuMemcpyHtoD(
        dstDevice: CUdeviceptr,
        srcHost: *const c_void,
        ByteCount: usize,
    ) -> CUresult;
    pub fn cuMemcpyDtoH_v2 as cuMemcpyDtoH: PFN_cuMemcpyDtoH_v2 as PFN_cuMemcpyDtoH(
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
    pub fn cuMemcpyDtoD_v2 as cuMemcpyDtoD: PFN_cuMemcpyDtoD_v2 as PFN_cuMemcpyDtoD(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
    pub fn cuMemcpy2D_v2 as cuMemcpy2D: PFN_cuMemcpy2D_v2 as PFN_cuMemcpy2D(
        pCopy: *const CUDA_MEMCPY2D,
    ) -> CUresult;
    pub fn cuMemcpy2DUnaligned_v2 as cuMemcpy2DUnaligned: PFN_cuMemcpy2DUnaligned_v2 as PFN_cuMemcpy2DUnaligned(
        pCopy: *const CUDA_MEMCPY2D,
    ) -> CUresult;
    pub fn cuMemcpy3D_v2 as cuMemcpy3D: PFN_cuMemcpy3D_v2 as PFN_cuMemcpy3D(
        pCopy: *const CUDA_MEMCPY3D,
    ) -> CUresult;
    pub fn cuMemcpyHtoDAsync_v2 as cuMemcpyHtoDAsync: PFN_cuMemcpyHtoDAsync_v2 as PFN_cuMemcpyHtoDAsync(
        dstDevice: CUdeviceptr,
        srcHost: *const c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuMemcpyDtoHAsync_v2 as cuMemcpyDtoHAsync: PFN_cuMemcpyDtoHAsync_v2 as PFN_cuMemcpyDtoHAsync(
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuMemcpyDtoDAsync_v2 as cuMemcpyDtoDAsync: PFN_cuMemcpyDtoDAsync_v2 as PFN_cuMemcpyDtoDAsync(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuMemcpy2DAsync_v2 as cuMemcpy2DAsync: PFN_cuMemcpy2DAsync_v2 as PFN_cuMemcpy2DAsync(
        pCopy: *const CUDA_MEMCPY2D,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuMemcpy3DAsync_v2 as cuMemcpy3DAsync: PFN_cuMemcpy3DAsync_v2 as PFN_cuMemcpy3DAsync(
        pCopy: *const CUDA_MEMCPY3D,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuMemsetD8_v2 as cuMemsetD8: PFN_cuMemsetD8_v2 as PFN_cuMemsetD8(
        dstDevice: CUdeviceptr,
        uc: c_uchar,
        N: usize,
    ) -> CUresult;
    pub fn cuMemsetD32_v2 as cuMemsetD32: PFN_cuMemsetD32_v2 as PFN_cuMemsetD32(
        dstDevice: CUdeviceptr,
        ui: c_uint,
        N: usize,
    ) -> CUresult;
    pub fn cuMemsetD8Async: PFN_cuMemsetD8Async(
        dstDevice: CUdeviceptr,
        uc: c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuMemsetD32Async: PFN_cuMemsetD32Async(
        dstDevice: CUdeviceptr,
        ui: c_uint,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuArray3DGetDescriptor_v2 as cuArray3DGetDescriptor: PFN_cuArray3DGetDescriptor_v2 as PFN_cuArray3DGetDescriptor(
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
        hArray: CUarray,
    ) -> CUresult;
    pub fn cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel(
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: c_uint,
    ) -> CUresult;
    pub fn cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy(
        hMipmappedArray: CUmipmappedArray,
    ) -> CUresult;
    pub fn cuMemGetHandleForAddressRange: PFN_cuMemGetHandleForAddressRange(
        handle: *mut c_void,
        dptr: CUdeviceptr,
        size: usize,
        handleType: CUmemRangeHandleType,
        flags: c_ulonglong,
    ) -> CUresult;
    pub fn cuMemAddressReserve: PFN_cuMemAddressReserve(
        ptr: *mut CUdeviceptr,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr,
        flags: c_ulonglong,
    ) -> CUresult;
    pub fn cuMemAddressFree: PFN_cuMemAddressFree(ptr: CUdeviceptr, size: usize) -> CUresult;
    pub fn cuMemCreate: PFN_cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle,
        size: usize,
        prop: *const CUmemAllocationProp,
        flags: c_ulonglong,
    ) -> CUresult;
    pub fn cuMemRelease: PFN_cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult;
    pub fn cuMemMap: PFN_cuMemMap(
        ptr: CUdeviceptr,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: c_ulonglong,
    ) -> CUresult;
    pub fn cuMemUnmap: PFN_cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult;
    pub fn cuMemSetAccess: PFN_cuMemSetAccess(
        ptr: CUdeviceptr,
        size: usize,
        desc: *const CUmemAccessDesc,
        count: usize,
    ) -> CUresult;
    pub fn cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle(
        shareableHandle: *mut c_void,
        handle: CUmemGenericAllocationHandle,
        handleType: CUmemAllocationHandleType,
        flags: c_ulonglong,
    ) -> CUresult;
    pub fn cuMemImportFromShareableHandle: PFN_cuMemImportFromShareableHandle(
        handle: *mut CUmemGenericAllocationHandle,
        osHandle: *mut c_void,
        shHandleType: CUmemAllocationHandleType,
    ) -> CUresult;
    pub fn cuMemGetAllocationGranularity: PFN_cuMemGetAllocationGranularity(
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) -> CUresult;
    pub fn cuStreamCreate: PFN_cuStreamCreate(phStream: *mut CUstream, Flags: c_uint) -> CUresult;
    pub fn cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority(
        phStream: *mut CUstream,
        flags: c_uint,
        priority: c_int,
    ) -> CUresult;
    pub fn cuStreamBeginCaptureToCig: PFN_cuStreamBeginCaptureToCig(
        hStream: CUstream,
        streamCigCaptureParams: *mut CUstreamCigCaptureParams,
    ) -> CUresult;
    pub fn cuStreamEndCaptureToCig: PFN_cuStreamEndCaptureToCig(hStream: CUstream) -> CUresult;
    pub fn cuStreamWaitEvent: PFN_cuStreamWaitEvent(
        hStream: CUstream,
        hEvent: CUevent,
        Flags: c_uint,
    ) -> CUresult;
    pub fn cuStreamBeginCapture_v2 as cuStreamBeginCapture: PFN_cuStreamBeginCapture_v2 as PFN_cuStreamBeginCapture(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
    ) -> CUresult;
    pub fn cuStreamEndCapture: PFN_cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult;
    pub fn cuStreamIsCapturing: PFN_cuStreamIsCapturing(
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> CUresult;
    pub fn cuStreamQuery: PFN_cuStreamQuery(hStream: CUstream) -> CUresult;
    pub fn cuStreamSynchronize: PFN_cuStreamSynchronize(hStream: CUstream) -> CUresult;
    pub fn cuStreamDestroy_v2 as cuStreamDestroy: PFN_cuStreamDestroy_v2 as PFN_cuStreamDestroy(
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuEventCreate: PFN_cuEventCreate(phEvent: *mut CUevent, Flags: c_uint) -> CUresult;
    pub fn cuEventRecord: PFN_cuEventRecord(hEvent: CUevent, hStream: CUstream) -> CUresult;
    pub fn cuEventQuery: PFN_cuEventQuery(hEvent: CUevent) -> CUresult;
    pub fn cuEventSynchronize: PFN_cuEventSynchronize(hEvent: CUevent) -> CUresult;
    pub fn cuEventDestroy_v2 as cuEventDestroy: PFN_cuEventDestroy_v2 as PFN_cuEventDestroy(
        hEvent: CUevent,
    ) -> CUresult;
    pub fn cuEventElapsedTime_v2: PFN_cuEventElapsedTime_v2(
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult;
    pub fn cuImportExternalMemory: PFN_cuImportExternalMemory(
        extMem_out: *mut CUexternalMemory,
        memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) -> CUresult;
    pub fn cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(
        devPtr: *mut CUdeviceptr,
        extMem: CUexternalMemory,
        bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) -> CUresult;
    pub fn cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(
        mipmap: *mut CUmipmappedArray,
        extMem: CUexternalMemory,
        mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) -> CUresult;
    pub fn cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(extMem: CUexternalMemory) -> CUresult;
    pub fn cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(
        extSem_out: *mut CUexternalSemaphore,
        semHandleDesc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) -> CUresult;
    pub fn cuSignalExternalSemaphoresAsync: PFN_cuSignalExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: c_uint,
        stream: CUstream,
    ) -> CUresult;
    pub fn cuWaitExternalSemaphoresAsync: PFN_cuWaitExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: c_uint,
        stream: CUstream,
    ) -> CUresult;
    pub fn cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(
        extSem: CUexternalSemaphore,
    ) -> CUresult;
    pub fn cuLaunchKernel: PFN_cuLaunchKernel(
        f: CUfunction,
        gridDimX: c_uint,
        gridDimY: c_uint,
        gridDimZ: c_uint,
        blockDimX: c_uint,
        blockDimY: c_uint,
        blockDimZ: c_uint,
        sharedMemBytes: c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> CUresult;
    pub fn cuLaunchHostFunc: PFN_cuLaunchHostFunc(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut c_void,
    ) -> CUresult;
    pub fn cuGraphCreate: PFN_cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) -> CUresult;
    pub fn cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) -> CUresult;
    pub fn cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphExternalSemaphoresSignalNodeGetParams: PFN_cuGraphExternalSemaphoresSignalNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphExternalSemaphoresWaitNodeGetParams: PFN_cuGraphExternalSemaphoresWaitNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphInstantiateWithFlags as cuGraphInstantiate: PFN_cuGraphInstantiateWithFlags as PFN_cuGraphInstantiate(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: c_ulonglong,
    ) -> CUresult;
    pub fn cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    pub fn cuGraphLaunch: PFN_cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
    pub fn cuGraphExecDestroy: PFN_cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult;
    pub fn cuGraphDestroy: PFN_cuGraphDestroy(hGraph: CUgraph) -> CUresult;
    pub fn cuGraphAddNode_v2 as cuGraphAddNode: PFN_cuGraphAddNode_v2 as PFN_cuGraphAddNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    pub fn cuGraphNodeSetParams: PFN_cuGraphNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    pub fn cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams_v2(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    pub fn cuGraphNodeGetParams: PFN_cuGraphNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    pub fn cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    pub fn cuTexObjectCreate: PFN_cuTexObjectCreate(
        pTexObject: *mut CUtexObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
        pTexDesc: *const CUDA_TEXTURE_DESC,
        pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
    ) -> CUresult;
    pub fn cuTexObjectDestroy: PFN_cuTexObjectDestroy(texObject: CUtexObject) -> CUresult;
    pub fn cuSurfObjectCreate: PFN_cuSurfObjectCreate(
        pSurfObject: *mut CUsurfObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
    ) -> CUresult;
    pub fn cuSurfObjectDestroy: PFN_cuSurfObjectDestroy(surfObject: CUsurfObject) -> CUresult;
    pub fn cuGraphicsUnregisterResource: PFN_cuGraphicsUnregisterResource(
        resource: CUgraphicsResource,
    ) -> CUresult;
    pub fn cuGraphicsSubResourceGetMappedArray: PFN_cuGraphicsSubResourceGetMappedArray(
        pArray: *mut CUarray,
        resource: CUgraphicsResource,
        arrayIndex: c_uint,
        mipLevel: c_uint,
    ) -> CUresult;
    pub fn cuGraphicsResourceGetMappedPointer_v2 as cuGraphicsResourceGetMappedPointer: PFN_cuGraphicsResourceGetMappedPointer_v2 as PFN_cuGraphicsResourceGetMappedPointer(
        pDevPtr: *mut CUdeviceptr,
        pSize: *mut usize,
        resource: CUgraphicsResource,
    ) -> CUresult;
    pub fn cuGraphicsMapResources: PFN_cuGraphicsMapResources(
        count: c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuGraphicsUnmapResources: PFN_cuGraphicsUnmapResources(
        count: c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult;
    pub fn cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync_ptsz(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: c_uint,
        stream: CUstream,
    ) -> CUresult;
    pub fn cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync_ptsz(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: c_uint,
        stream: CUstream,
    ) -> CUresult;
    pub fn cuCtxCreate_v2: PFN_cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult;
    pub fn cuEventElapsedTime: PFN_cuEventElapsedTime(
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult;
    pub fn cuGraphicsGLRegisterBuffer: PFN_cuGraphicsGLRegisterBuffer(
        pCudaResource: *mut CUgraphicsResource,
        buffer: c_uint,
        Flags: c_uint,
    ) -> CUresult;
    pub fn cuGraphicsGLRegisterImage: PFN_cuGraphicsGLRegisterImage(
        pCudaResource: *mut CUgraphicsResource,
        image: c_uint,
        target: c_uint,
        Flags: c_uint,
    ) -> CUresult;
}
