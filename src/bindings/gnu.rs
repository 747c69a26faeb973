pub type cuuint32_t = u32;
pub type cuuint64_t = u64;
pub type CUdeviceptr = ::core::ffi::c_ulonglong;
pub type CUdevice = ::core::ffi::c_int;
pub type CUcontext = *mut CUctx_st;
pub type CUfunction = *mut CUfunc_st;
pub type CUkernel = *mut CUkern_st;
pub type CUarray = *mut CUarray_st;
pub type CUmipmappedArray = *mut CUmipmappedArray_st;
pub type CUevent = *mut CUevent_st;
pub type CUstream = *mut CUstream_st;
pub type CUtexObject = ::core::ffi::c_ulonglong;
pub type CUsurfObject = ::core::ffi::c_ulonglong;
pub type CUexternalMemory = *mut CUextMemory_st;
pub type CUexternalSemaphore = *mut CUextSemaphore_st;
pub type CUgraph = *mut CUgraph_st;
pub type CUgraphNode = *mut CUgraphNode_st;
pub type CUgraphExec = *mut CUgraphExec_st;
pub type CUgraphConditionalHandle = cuuint64_t;
pub type CUgreenCtx = *mut CUgreenCtx_st;
pub type CUstreamBatchMemOpParams = CUstreamBatchMemOpParams_union;
pub type CUhostFn = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void),
>;
pub type CUgraphEdgeData = CUgraphEdgeData_st;
pub type CUexecAffinitySmCount = CUexecAffinitySmCount_st;
pub type CUexecAffinityParam = CUexecAffinityParam_st;
pub type CUctxCigParam = CUctxCigParam_st;
pub type CUctxCreateParams = CUctxCreateParams_st;
pub type CUstreamCigParam = CUstreamCigParam_st;
pub type CUstreamCigCaptureParams = CUstreamCigCaptureParams_st;
pub type CUDA_MEMCPY2D_v2 = CUDA_MEMCPY2D;
pub type CUmemGenericAllocationHandle = ::core::ffi::c_ulonglong;
pub type CUgraphNodeParams = CUgraphNodeParams_st;
pub type CUlogicalEndpointId = cuuint32_t;
pub type CUfabricCpyOperand = CUfabricCpyOperand_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUctx_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUfunc_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUkern_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUarray_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUmipmappedArray_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUevent_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUstream_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUextMemory_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUextSemaphore_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUgraph_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphNode_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphExec_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct CUgreenCtx_st {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUuuid {
    /// The 16 bytes, in the order in which Vulkan's `deviceUUID` and `nvidia-smi` have them. `c_char` is signed on x86-64: compare byte by byte after a cast.
    pub bytes: [::core::ffi::c_char; 16usize],
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstream_flags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamBatchMemOpType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamAtomicReductionOpType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamAtomicReductionDataType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub address: CUdeviceptr,
    pub context: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub alias: CUdeviceptr,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub address: CUdeviceptr,
    pub context: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub alias: CUdeviceptr,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
    pub reductionOp: CUstreamAtomicReductionOpType,
    pub dataType: CUstreamAtomicReductionDataType,
    pub address: CUdeviceptr,
    pub value: cuuint64_t,
    pub alias: CUdeviceptr,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 {
    pub ctx: CUcontext,
    pub count: ::core::ffi::c_uint,
    pub paramArray: *mut CUstreamBatchMemOpParams,
    pub flags: ::core::ffi::c_uint,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUarray_format(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUaddress_mode(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfilter_mode(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevice_attribute(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemorytype(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresourcetype(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_KERNEL_NODE_PARAMS_v3 {
    pub func: CUfunction,
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
    pub extra: *mut *mut ::core::ffi::c_void,
    pub kern: CUkernel,
    pub ctx: CUcontext,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_MEMSET_NODE_PARAMS {
    /// The first element's address, aligned to `elementSize`.
    pub dst: CUdeviceptr,
    /// Bytes from one row to the next. Not read where `height` is 1.
    pub pitch: usize,
    /// What each element is set to; its low `elementSize` bytes are used.
    pub value: ::core::ffi::c_uint,
    /// Bytes of one element: 1, 2 or 4.
    pub elementSize: ::core::ffi::c_uint,
    /// Elements in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_MEMSET_NODE_PARAMS_v2 {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: ::core::ffi::c_uint,
    pub elementSize: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
    pub ctx: CUcontext,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_HOST_NODE_PARAMS_v2 {
    pub fn_: CUhostFn,
    pub userData: *mut ::core::ffi::c_void,
    pub syncMode: ::core::ffi::c_uint,
    pub context: CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphConditionalNodeType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    pub handle: CUgraphConditionalHandle,
    pub type_: CUgraphConditionalNodeType,
    pub size: ::core::ffi::c_uint,
    pub phGraph_out: *mut CUgraph,
    pub ctx: CUcontext,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphNodeType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUgraphEdgeData_st {
    pub from_port: ::core::ffi::c_uchar,
    pub to_port: ::core::ffi::c_uchar,
    pub type_: ::core::ffi::c_uchar,
    pub reserved: [::core::ffi::c_uchar; 5usize],
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexecAffinityType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUexecAffinitySmCount_st {
    pub val: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUexecAffinityParam_st {
    pub type_: CUexecAffinityType,
    pub param: CUexecAffinityParam_st__bindgen_ty_1,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcigDataType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUctxCigParam_st {
    pub sharedDataType: CUcigDataType,
    pub sharedData: *mut ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUctxCreateParams_st {
    pub execAffinityParams: *mut CUexecAffinityParam,
    pub numExecAffinityParams: ::core::ffi::c_int,
    pub cigParams: *mut CUctxCigParam,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCigDataType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUstreamCigParam_st {
    pub streamSharedDataType: CUstreamCigDataType,
    pub streamSharedData: *mut ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUstreamCigCaptureParams_st {
    pub streamCigParams: *mut CUstreamCigParam,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresult(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_MEMCPY2D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_MEMCPY3D {
    /// Where in a row the source begins, in bytes (not elements).
    pub srcXInBytes: usize,
    /// The source's first row.
    pub srcY: usize,
    /// The source's first slice or layer.
    pub srcZ: usize,
    /// Must be 0. A mip level is chosen by `cuMipmappedArrayGetLevel`.
    pub srcLOD: usize,
    /// What the source is: it decides which of the next three fields is read.
    pub srcMemoryType: CUmemorytype,
    /// The source for [`CU_MEMORYTYPE_HOST`].
    pub srcHost: *const ::core::ffi::c_void,
    /// The source for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`].
    pub srcDevice: CUdeviceptr,
    /// The source for [`CU_MEMORYTYPE_ARRAY`].
    pub srcArray: CUarray,
    /// Must be null.
    pub reserved0: *mut ::core::ffi::c_void,
    /// Bytes from one source row to the next. Not read for an array.
    pub srcPitch: usize,
    /// Rows from one source slice to the next. Not read for an array.
    pub srcHeight: usize,
    /// Where in a row the destination begins, in bytes (not elements).
    pub dstXInBytes: usize,
    /// The destination's first row.
    pub dstY: usize,
    /// The destination's first slice or layer.
    pub dstZ: usize,
    /// Must be 0. A mip level is chosen by `cuMipmappedArrayGetLevel`.
    pub dstLOD: usize,
    /// What the destination is: it decides which of the next three fields is read.
    pub dstMemoryType: CUmemorytype,
    /// The destination for [`CU_MEMORYTYPE_HOST`].
    pub dstHost: *mut ::core::ffi::c_void,
    /// The destination for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`].
    pub dstDevice: CUdeviceptr,
    /// The destination for [`CU_MEMORYTYPE_ARRAY`].
    pub dstArray: CUarray,
    /// Must be null.
    pub reserved1: *mut ::core::ffi::c_void,
    /// Bytes from one destination row to the next. Not read for an array.
    pub dstPitch: usize,
    /// Rows from one destination slice to the next. Not read for an array.
    pub dstHeight: usize,
    /// Bytes to copy of each row: elements times their size.
    pub WidthInBytes: usize,
    /// Rows to copy; 1 for an array of one dimension.
    pub Height: usize,
    /// Slices or layers to copy; 1 where there are none.
    pub Depth: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_MEMCPY_NODE_PARAMS {
    pub flags: ::core::ffi::c_int,
    pub reserved: ::core::ffi::c_int,
    pub copyCtx: CUcontext,
    pub copyParams: CUDA_MEMCPY3D,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_ARRAY3D_DESCRIPTOR {
    /// Elements in a row. Never 0.
    pub Width: usize,
    /// Rows, or 0 for an array of one dimension.
    pub Height: usize,
    /// Slices of a 3D array; the number of layers where [`CUDA_ARRAY3D_LAYERED`] is set, 6 times the number of cubes where [`CUDA_ARRAY3D_CUBEMAP`] is; else 0.
    pub Depth: usize,
    /// What one channel of an element is.
    pub Format: CUarray_format,
    /// Channels in an element: 1, 2 or 4. Three-channel formats do not exist in CUDA.
    pub NumChannels: ::core::ffi::c_uint,
    /// `CUDA_ARRAY3D_` flags, combined by `|`.
    pub Flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_RESOURCE_DESC {
    pub resType: CUresourcetype,
    pub res: CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub hArray: CUarray,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    pub hMipmappedArray: CUmipmappedArray,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    pub devPtr: CUdeviceptr,
    pub format: CUarray_format,
    pub numChannels: ::core::ffi::c_uint,
    pub sizeInBytes: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    pub devPtr: CUdeviceptr,
    pub format: CUarray_format,
    pub numChannels: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 {
    pub reserved: [::core::ffi::c_int; 32usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_TEXTURE_DESC {
    pub addressMode: [CUaddress_mode; 3usize],
    pub filterMode: CUfilter_mode,
    pub flags: ::core::ffi::c_uint,
    pub maxAnisotropy: ::core::ffi::c_uint,
    pub mipmapFilterMode: CUfilter_mode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub borderColor: [f32; 4usize],
    pub reserved: [::core::ffi::c_int; 12usize],
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresourceViewFormat(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_RESOURCE_VIEW_DESC {
    pub format: CUresourceViewFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: ::core::ffi::c_uint,
    pub lastMipmapLevel: ::core::ffi::c_uint,
    pub firstLayer: ::core::ffi::c_uint,
    pub lastLayer: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexternalMemoryHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    /// What kind of handle this is. It decides which arm of `handle` is read.
    pub type_: CUexternalMemoryHandleType,
    /// The handle: one arm of the union, the one that goes with `type_`.
    pub handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle,
    /// Size in bytes of the whole exported allocation, not of the buffer in it: for Vulkan the `allocationSize` of its `VkMemoryAllocateInfo`, for Direct3D 12 the `SizeInBytes` of `GetResourceAllocationInfo`, for NvSciBuf the object's size attribute. Zero is an error; the driver does not notice a number that is too large before a buffer is mapped.
    pub size: ::core::ffi::c_ulonglong,
    /// 0 or [`CUDA_EXTERNAL_MEMORY_DEDICATED`], which must be set exactly where the exporter made a dedicated allocation.
    pub flags: ::core::ffi::c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 {
    /// The shared handle, or null where `name` is used. An NT handle stays the caller's, who closes it with `CloseHandle` at any time after the import. A KMT handle is never closed: it is only a number.
    pub handle: *mut ::core::ffi::c_void,
    /// The name that the handle was created with, as UTF-16 that ends in a zero; or null where `handle` is used. Exactly one of the two is not null. It must be null for the KMT types.
    pub name: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
    /// Where the buffer begins, in bytes from the start of the memory object: the offset that the exporter bound its buffer at, with the alignment that the exporter's API asks for. 0 for a dedicated import.
    pub offset: ::core::ffi::c_ulonglong,
    /// Size of the mapping in bytes. `offset + size` must not exceed the size of the memory object.
    pub size: ::core::ffi::c_ulonglong,
    /// Must be 0.
    pub flags: ::core::ffi::c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    /// Where level 0 begins, in bytes from the start of the memory object: the offset that the exporter bound its image at.
    pub offset: ::core::ffi::c_ulonglong,
    /// Format, extent and kind of level 0, which must be those of the exporter's image.
    pub arrayDesc: CUDA_ARRAY3D_DESCRIPTOR,
    /// How many mip levels there are, level 0 included: the image's own count, and never 0. 1 for memory imported from NvSciBuf.
    pub numLevels: ::core::ffi::c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexternalSemaphoreHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    /// What kind of handle this is. It decides which arm of `handle` is read, and which arm of `params` a signal or wait of this semaphore reads.
    pub type_: CUexternalSemaphoreHandleType,
    /// The handle: one arm of the union, the one that goes with `type_`.
    pub handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle,
    /// Must be 0.
    pub flags: ::core::ffi::c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 {
    /// The shared handle, or null where `name` is used. An NT handle stays the caller's, who closes it with `CloseHandle` at any time after the import. A KMT handle is never closed: it is only a number.
    pub handle: *mut ::core::ffi::c_void,
    /// The name that the handle was created with, as UTF-16 that ends in a zero; or null where `handle` is used. Exactly one of the two is not null. It must be null for the KMT types.
    pub name: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    /// What to set the semaphore to. The semaphore's handle type decides which member is read.
    pub params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params,
    /// 0, or for NvSciSync [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`].
    pub flags: ::core::ffi::c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params {
    /// For the types that count: both timeline semaphores, D3D12_FENCE and D3D11_FENCE. A binary semaphore (OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT) reads nothing.
    pub fence: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence,
    /// For NVSCISYNC.
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync,
    /// For D3D11_KEYED_MUTEX and D3D11_KEYED_MUTEX_KMT.
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 12usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence {
    /// What the semaphore is set to. For a timeline semaphore it must be larger than the value that it has.
    pub value: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex {
    /// The key that the mutex is released with: the next owner acquires it by the same one.
    pub key: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    /// What to wait for. The semaphore's handle type decides which member is read.
    pub params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params,
    /// 0, or for NvSciSync [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`].
    pub flags: ::core::ffi::c_uint,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params {
    /// For the types that count: both timeline semaphores, D3D12_FENCE and D3D11_FENCE. A binary semaphore (OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT) reads nothing.
    pub fence: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence,
    /// For NVSCISYNC.
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync,
    /// For D3D11_KEYED_MUTEX and D3D11_KEYED_MUTEX_KMT.
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uint; 10usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence {
    /// The wait ends once the semaphore has this value or a larger one.
    pub value: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex {
    /// The key to acquire the mutex by: the one that its last owner released it with.
    pub key: ::core::ffi::c_ulonglong,
    /// How long to wait, in milliseconds. `u32::MAX`, which is `INFINITE` on Windows, waits for ever.
    pub timeoutMs: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
    /// The semaphores that the node signals. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each of them. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    /// How many there are in both arrays.
    pub numExtSems: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
    /// The semaphores that the node signals. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each of them. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    /// How many there are in both arrays.
    pub numExtSems: ::core::ffi::c_uint,
    /// Which context the node should run in; null for no preference.
    pub context: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS {
    /// The semaphores that the node waits for. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each of them. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    /// How many there are in both arrays.
    pub numExtSems: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
    /// The semaphores that the node waits for. The node keeps a copy of the array.
    pub extSemArray: *mut CUexternalSemaphore,
    /// One entry for each of them. The node keeps a copy of the array.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    /// How many there are in both arrays.
    pub numExtSems: ::core::ffi::c_uint,
    /// Which context the node should run in; null for no preference.
    pub context: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationHandleType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAccess_flags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemLocationType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationGranularity_flags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemRangeHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmemAllocationProp {
    /// [`CU_MEM_ALLOCATION_TYPE_PINNED`].
    pub type_: CUmemAllocationType,
    /// What the allocation can be exported as: for an FD that another API or process imports, [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`]. It cannot be added later.
    pub requestedHandleTypes: CUmemAllocationHandleType,
    /// Where the memory is to be.
    pub location: CUmemLocation,
    /// For [`CU_MEM_HANDLE_TYPE_WIN32`], a pointer to a Windows `OBJECT_ATTRIBUTES` that says who may open the handle; else null.
    pub win32HandleMetaData: *mut ::core::ffi::c_void,
    /// Rarely used properties.
    pub allocFlags: CUmemAllocationProp_allocFlags,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUmemAllocationProp_allocFlags {
    /// 1 asks for memory that the hardware may compress; else 0.
    pub compressionType: ::core::ffi::c_uchar,
    /// 1 asks for memory that other PCI Express devices can reach; else 0.
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    /// A hint about what the memory is for; 0 for none.
    pub usage: ::core::ffi::c_ushort,
    /// Must be zero, as `default()` leaves it.
    pub reserved: [::core::ffi::c_uchar; 4usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmemAccessDesc {
    /// Who is given access: a device.
    pub location: CUmemLocation,
    /// What that device may do.
    pub flags: CUmemAccess_flags,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmemPoolProps {
    pub allocType: CUmemAllocationType,
    pub handleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    pub maxSize: usize,
    pub usage: ::core::ffi::c_ushort,
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    pub reserved: [::core::ffi::c_uchar; 53usize],
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemcpySrcAccessOrder(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmemcpyAttributes {
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    pub srcLocHint: CUmemLocation,
    pub dstLocHint: CUmemLocation,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v2 {
    pub poolProps: CUmemPoolProps,
    pub accessDescs: *const CUmemAccessDesc,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUDA_MEM_FREE_NODE_PARAMS {
    pub dptr: CUdeviceptr,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphChildGraphNodeOwnership(pub ::core::ffi::c_int);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS {
    pub graph: CUgraph,
    pub ownership: CUgraphChildGraphNodeOwnership,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EVENT_RECORD_NODE_PARAMS {
    pub event: CUevent,
    pub context: CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EVENT_WAIT_NODE_PARAMS {
    pub event: CUevent,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 {
    pub count: usize,
    pub dsts: *mut CUdeviceptr,
    pub srcs: *mut CUdeviceptr,
    pub sizes: *mut usize,
    pub attrs: *mut CUmemcpyAttributes,
    pub attrsIdxs: *mut usize,
    pub numAttrs: usize,
    pub context: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 {
    pub numOps: usize,
    pub opList: *mut CUDA_FABRIC_COPY_BATCH_OP,
    pub flags: ::core::ffi::c_ulonglong,
    pub context: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUgraphNodeParams_st {
    pub type_: CUgraphNodeType,
    pub reserved0: [::core::ffi::c_int; 3usize],
    pub context: CUgraphNodeParams_st__bindgen_ty_1,
    pub reserved2: ::core::ffi::c_longlong,
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfabricCpyOperandType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUfabricCpyOperand_st {
    pub type_: CUfabricCpyOperandType,
    pub op: CUfabricCpyOperand_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1 {
    pub ptr: CUdeviceptr,
    pub locHint: CUmemLocation,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2 {
    pub id: CUlogicalEndpointId,
    pub offset: cuuint64_t,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_FABRIC_COPY_BATCH_OP {
    pub src: CUfabricCpyOperand,
    pub dst: CUfabricCpyOperand,
    pub size: usize,
    pub flags: ::core::ffi::c_uint,
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
pub const CU_STREAM_DEFAULT: CUstream_flags = CUstream_flags(0);
pub const CU_STREAM_NON_BLOCKING: CUstream_flags = CUstream_flags(1);
pub const CU_STREAM_MEM_OP_WAIT_VALUE_32: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
    1,
);
pub const CU_STREAM_MEM_OP_WRITE_VALUE_32: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
    2,
);
pub const CU_STREAM_MEM_OP_WAIT_VALUE_64: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
    4,
);
pub const CU_STREAM_MEM_OP_WRITE_VALUE_64: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
    5,
);
pub const CU_STREAM_MEM_OP_BARRIER: CUstreamBatchMemOpType = CUstreamBatchMemOpType(6);
pub const CU_STREAM_MEM_OP_ATOMIC_REDUCTION: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
    8,
);
pub const CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
    3,
);
pub const CU_STREAM_ATOMIC_REDUCTION_OP_OR: CUstreamAtomicReductionOpType = CUstreamAtomicReductionOpType(
    6,
);
pub const CU_STREAM_ATOMIC_REDUCTION_OP_AND: CUstreamAtomicReductionOpType = CUstreamAtomicReductionOpType(
    5,
);
pub const CU_STREAM_ATOMIC_REDUCTION_OP_ADD: CUstreamAtomicReductionOpType = CUstreamAtomicReductionOpType(
    0,
);
pub const CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32: CUstreamAtomicReductionDataType = CUstreamAtomicReductionDataType(
    14,
);
pub const CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64: CUstreamAtomicReductionDataType = CUstreamAtomicReductionDataType(
    22,
);
pub const CU_AD_FORMAT_UNSIGNED_INT8: CUarray_format = CUarray_format(1);
pub const CU_AD_FORMAT_UNSIGNED_INT16: CUarray_format = CUarray_format(2);
pub const CU_AD_FORMAT_UNSIGNED_INT32: CUarray_format = CUarray_format(3);
pub const CU_AD_FORMAT_SIGNED_INT8: CUarray_format = CUarray_format(8);
pub const CU_AD_FORMAT_SIGNED_INT16: CUarray_format = CUarray_format(9);
pub const CU_AD_FORMAT_SIGNED_INT32: CUarray_format = CUarray_format(10);
pub const CU_AD_FORMAT_HALF: CUarray_format = CUarray_format(16);
pub const CU_AD_FORMAT_FLOAT: CUarray_format = CUarray_format(32);
pub const CU_AD_FORMAT_NV12: CUarray_format = CUarray_format(176);
pub const CU_AD_FORMAT_UNORM_INT8X1: CUarray_format = CUarray_format(192);
pub const CU_AD_FORMAT_UNORM_INT8X2: CUarray_format = CUarray_format(193);
pub const CU_AD_FORMAT_UNORM_INT8X4: CUarray_format = CUarray_format(194);
pub const CU_AD_FORMAT_UNORM_INT16X1: CUarray_format = CUarray_format(195);
pub const CU_AD_FORMAT_UNORM_INT16X2: CUarray_format = CUarray_format(196);
pub const CU_AD_FORMAT_UNORM_INT16X4: CUarray_format = CUarray_format(197);
pub const CU_AD_FORMAT_SNORM_INT8X1: CUarray_format = CUarray_format(198);
pub const CU_AD_FORMAT_SNORM_INT8X2: CUarray_format = CUarray_format(199);
pub const CU_AD_FORMAT_SNORM_INT8X4: CUarray_format = CUarray_format(200);
pub const CU_AD_FORMAT_SNORM_INT16X1: CUarray_format = CUarray_format(201);
pub const CU_AD_FORMAT_SNORM_INT16X2: CUarray_format = CUarray_format(202);
pub const CU_AD_FORMAT_SNORM_INT16X4: CUarray_format = CUarray_format(203);
pub const CU_AD_FORMAT_BC1_UNORM: CUarray_format = CUarray_format(145);
pub const CU_AD_FORMAT_BC1_UNORM_SRGB: CUarray_format = CUarray_format(146);
pub const CU_AD_FORMAT_BC2_UNORM: CUarray_format = CUarray_format(147);
pub const CU_AD_FORMAT_BC2_UNORM_SRGB: CUarray_format = CUarray_format(148);
pub const CU_AD_FORMAT_BC3_UNORM: CUarray_format = CUarray_format(149);
pub const CU_AD_FORMAT_BC3_UNORM_SRGB: CUarray_format = CUarray_format(150);
pub const CU_AD_FORMAT_BC4_UNORM: CUarray_format = CUarray_format(151);
pub const CU_AD_FORMAT_BC4_SNORM: CUarray_format = CUarray_format(152);
pub const CU_AD_FORMAT_BC5_UNORM: CUarray_format = CUarray_format(153);
pub const CU_AD_FORMAT_BC5_SNORM: CUarray_format = CUarray_format(154);
pub const CU_AD_FORMAT_BC6H_UF16: CUarray_format = CUarray_format(155);
pub const CU_AD_FORMAT_BC6H_SF16: CUarray_format = CUarray_format(156);
pub const CU_AD_FORMAT_BC7_UNORM: CUarray_format = CUarray_format(157);
pub const CU_AD_FORMAT_BC7_UNORM_SRGB: CUarray_format = CUarray_format(158);
pub const CU_AD_FORMAT_P010: CUarray_format = CUarray_format(159);
pub const CU_AD_FORMAT_P016: CUarray_format = CUarray_format(161);
pub const CU_AD_FORMAT_NV16: CUarray_format = CUarray_format(162);
pub const CU_AD_FORMAT_P210: CUarray_format = CUarray_format(163);
pub const CU_AD_FORMAT_P216: CUarray_format = CUarray_format(164);
pub const CU_AD_FORMAT_YUY2: CUarray_format = CUarray_format(165);
pub const CU_AD_FORMAT_Y210: CUarray_format = CUarray_format(166);
pub const CU_AD_FORMAT_Y216: CUarray_format = CUarray_format(167);
pub const CU_AD_FORMAT_AYUV: CUarray_format = CUarray_format(168);
pub const CU_AD_FORMAT_Y410: CUarray_format = CUarray_format(169);
pub const CU_AD_FORMAT_Y416: CUarray_format = CUarray_format(177);
pub const CU_AD_FORMAT_Y444_PLANAR8: CUarray_format = CUarray_format(178);
pub const CU_AD_FORMAT_Y444_PLANAR10: CUarray_format = CUarray_format(179);
pub const CU_AD_FORMAT_YUV444_8bit_SemiPlanar: CUarray_format = CUarray_format(180);
pub const CU_AD_FORMAT_YUV444_16bit_SemiPlanar: CUarray_format = CUarray_format(181);
pub const CU_AD_FORMAT_UNORM_INT_101010_2: CUarray_format = CUarray_format(80);
pub const CU_AD_FORMAT_UINT8_PACKED_422: CUarray_format = CUarray_format(81);
pub const CU_AD_FORMAT_UINT8_PACKED_444: CUarray_format = CUarray_format(82);
pub const CU_AD_FORMAT_UINT8_SEMIPLANAR_420: CUarray_format = CUarray_format(83);
pub const CU_AD_FORMAT_UINT16_SEMIPLANAR_420: CUarray_format = CUarray_format(84);
pub const CU_AD_FORMAT_UINT8_SEMIPLANAR_422: CUarray_format = CUarray_format(85);
pub const CU_AD_FORMAT_UINT16_SEMIPLANAR_422: CUarray_format = CUarray_format(86);
pub const CU_AD_FORMAT_UINT8_SEMIPLANAR_444: CUarray_format = CUarray_format(87);
pub const CU_AD_FORMAT_UINT16_SEMIPLANAR_444: CUarray_format = CUarray_format(88);
pub const CU_AD_FORMAT_UINT8_PLANAR_420: CUarray_format = CUarray_format(89);
pub const CU_AD_FORMAT_UINT16_PLANAR_420: CUarray_format = CUarray_format(90);
pub const CU_AD_FORMAT_UINT8_PLANAR_422: CUarray_format = CUarray_format(91);
pub const CU_AD_FORMAT_UINT16_PLANAR_422: CUarray_format = CUarray_format(92);
pub const CU_AD_FORMAT_UINT8_PLANAR_444: CUarray_format = CUarray_format(93);
pub const CU_AD_FORMAT_UINT16_PLANAR_444: CUarray_format = CUarray_format(94);
pub const CU_AD_FORMAT_MAX: CUarray_format = CUarray_format(2147483647);
pub const CU_TR_ADDRESS_MODE_WRAP: CUaddress_mode = CUaddress_mode(0);
pub const CU_TR_ADDRESS_MODE_CLAMP: CUaddress_mode = CUaddress_mode(1);
pub const CU_TR_ADDRESS_MODE_MIRROR: CUaddress_mode = CUaddress_mode(2);
pub const CU_TR_ADDRESS_MODE_BORDER: CUaddress_mode = CUaddress_mode(3);
pub const CU_TR_FILTER_MODE_POINT: CUfilter_mode = CUfilter_mode(0);
pub const CU_TR_FILTER_MODE_LINEAR: CUfilter_mode = CUfilter_mode(1);
pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    1,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: CUdevice_attribute = CUdevice_attribute(
    2,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: CUdevice_attribute = CUdevice_attribute(
    3,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: CUdevice_attribute = CUdevice_attribute(
    4,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: CUdevice_attribute = CUdevice_attribute(5);
pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: CUdevice_attribute = CUdevice_attribute(6);
pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: CUdevice_attribute = CUdevice_attribute(7);
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    8,
);
pub const CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    8,
);
pub const CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: CUdevice_attribute = CUdevice_attribute(
    9,
);
pub const CU_DEVICE_ATTRIBUTE_WARP_SIZE: CUdevice_attribute = CUdevice_attribute(10);
pub const CU_DEVICE_ATTRIBUTE_MAX_PITCH: CUdevice_attribute = CUdevice_attribute(11);
pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    12,
);
pub const CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    12,
);
pub const CU_DEVICE_ATTRIBUTE_CLOCK_RATE: CUdevice_attribute = CUdevice_attribute(13);
pub const CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
    14,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_OVERLAP: CUdevice_attribute = CUdevice_attribute(15);
pub const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: CUdevice_attribute = CUdevice_attribute(
    16,
);
pub const CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT: CUdevice_attribute = CUdevice_attribute(
    17,
);
pub const CU_DEVICE_ATTRIBUTE_INTEGRATED: CUdevice_attribute = CUdevice_attribute(18);
pub const CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: CUdevice_attribute = CUdevice_attribute(
    19,
);
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: CUdevice_attribute = CUdevice_attribute(20);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH: CUdevice_attribute = CUdevice_attribute(
    21,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH: CUdevice_attribute = CUdevice_attribute(
    22,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    23,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH: CUdevice_attribute = CUdevice_attribute(
    24,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    25,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH: CUdevice_attribute = CUdevice_attribute(
    26,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    27,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    28,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
    29,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH: CUdevice_attribute = CUdevice_attribute(
    27,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    28,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: CUdevice_attribute = CUdevice_attribute(
    29,
);
pub const CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
    30,
);
pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS: CUdevice_attribute = CUdevice_attribute(
    31,
);
pub const CU_DEVICE_ATTRIBUTE_ECC_ENABLED: CUdevice_attribute = CUdevice_attribute(32);
pub const CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: CUdevice_attribute = CUdevice_attribute(33);
pub const CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: CUdevice_attribute = CUdevice_attribute(34);
pub const CU_DEVICE_ATTRIBUTE_TCC_DRIVER: CUdevice_attribute = CUdevice_attribute(35);
pub const CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: CUdevice_attribute = CUdevice_attribute(
    36,
);
pub const CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: CUdevice_attribute = CUdevice_attribute(
    37,
);
pub const CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: CUdevice_attribute = CUdevice_attribute(38);
pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
    39,
);
pub const CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: CUdevice_attribute = CUdevice_attribute(
    40,
);
pub const CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: CUdevice_attribute = CUdevice_attribute(
    41,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    42,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
    43,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER: CUdevice_attribute = CUdevice_attribute(
    44,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH: CUdevice_attribute = CUdevice_attribute(
    45,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    46,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
    47,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
    48,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
    49,
);
pub const CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: CUdevice_attribute = CUdevice_attribute(50);
pub const CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
    51,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH: CUdevice_attribute = CUdevice_attribute(
    52,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    53,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
    54,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH: CUdevice_attribute = CUdevice_attribute(
    55,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH: CUdevice_attribute = CUdevice_attribute(
    56,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    57,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH: CUdevice_attribute = CUdevice_attribute(
    58,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    59,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH: CUdevice_attribute = CUdevice_attribute(
    60,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    61,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
    62,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    63,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    64,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
    65,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH: CUdevice_attribute = CUdevice_attribute(
    66,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    67,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
    68,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH: CUdevice_attribute = CUdevice_attribute(
    69,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: CUdevice_attribute = CUdevice_attribute(
    70,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    71,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: CUdevice_attribute = CUdevice_attribute(
    72,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    73,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
    74,
);
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: CUdevice_attribute = CUdevice_attribute(
    75,
);
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: CUdevice_attribute = CUdevice_attribute(
    76,
);
pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: CUdevice_attribute = CUdevice_attribute(
    77,
);
pub const CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    78,
);
pub const CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    79,
);
pub const CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    80,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
    81,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
    82,
);
pub const CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: CUdevice_attribute = CUdevice_attribute(
    83,
);
pub const CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD: CUdevice_attribute = CUdevice_attribute(
    84,
);
pub const CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID: CUdevice_attribute = CUdevice_attribute(
    85,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    86,
);
pub const CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: CUdevice_attribute = CUdevice_attribute(
    87,
);
pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: CUdevice_attribute = CUdevice_attribute(
    88,
);
pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: CUdevice_attribute = CUdevice_attribute(
    89,
);
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    90,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: CUdevice_attribute = CUdevice_attribute(
    91,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1: CUdevice_attribute = CUdevice_attribute(
    92,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1: CUdevice_attribute = CUdevice_attribute(
    93,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1: CUdevice_attribute = CUdevice_attribute(
    94,
);
pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: CUdevice_attribute = CUdevice_attribute(
    95,
);
pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH: CUdevice_attribute = CUdevice_attribute(
    96,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: CUdevice_attribute = CUdevice_attribute(
    97,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES: CUdevice_attribute = CUdevice_attribute(
    98,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    99,
);
pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: CUdevice_attribute = CUdevice_attribute(
    100,
);
pub const CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: CUdevice_attribute = CUdevice_attribute(
    101,
);
pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    102,
);
pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    102,
);
pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    103,
);
pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    104,
);
pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    105,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
    106,
);
pub const CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    107,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: CUdevice_attribute = CUdevice_attribute(
    108,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE: CUdevice_attribute = CUdevice_attribute(
    109,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    110,
);
pub const CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    111,
);
pub const CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    112,
);
pub const CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    113,
);
pub const CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    114,
);
pub const CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    115,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    116,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: CUdevice_attribute = CUdevice_attribute(
    117,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING: CUdevice_attribute = CUdevice_attribute(
    118,
);
pub const CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES: CUdevice_attribute = CUdevice_attribute(
    119,
);
pub const CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: CUdevice_attribute = CUdevice_attribute(
    120,
);
pub const CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    121,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS: CUdevice_attribute = CUdevice_attribute(
    122,
);
pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR: CUdevice_attribute = CUdevice_attribute(
    123,
);
pub const CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    124,
);
pub const CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    125,
);
pub const CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT: CUdevice_attribute = CUdevice_attribute(
    126,
);
pub const CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    127,
);
pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    128,
);
pub const CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS: CUdevice_attribute = CUdevice_attribute(
    129,
);
pub const CU_DEVICE_ATTRIBUTE_NUMA_CONFIG: CUdevice_attribute = CUdevice_attribute(130);
pub const CU_DEVICE_ATTRIBUTE_NUMA_ID: CUdevice_attribute = CUdevice_attribute(131);
pub const CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    132,
);
pub const CU_DEVICE_ATTRIBUTE_MPS_ENABLED: CUdevice_attribute = CUdevice_attribute(133);
pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID: CUdevice_attribute = CUdevice_attribute(134);
pub const CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    135,
);
pub const CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK: CUdevice_attribute = CUdevice_attribute(
    136,
);
pub const CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH: CUdevice_attribute = CUdevice_attribute(
    137,
);
pub const CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    138,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID: CUdevice_attribute = CUdevice_attribute(
    139,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID: CUdevice_attribute = CUdevice_attribute(
    140,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    141,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    142,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    143,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    144,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    145,
);
pub const CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    146,
);
pub const CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    147,
);
pub const CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    148,
);
pub const CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT: CUdevice_attribute = CUdevice_attribute(
    149,
);
pub const CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
    150,
);
pub const CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    151,
);
pub const CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    152,
);
pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    153,
);
pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    154,
);
pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    155,
);
pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    156,
);
pub const CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT: CUdevice_attribute = CUdevice_attribute(
    157,
);
pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES: CUdevice_attribute = CUdevice_attribute(
    158,
);
pub const CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    159,
);
pub const CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE: CUdevice_attribute = CUdevice_attribute(
    160,
);
pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
    161,
);
pub const CU_DEVICE_ATTRIBUTE_MAX: CUdevice_attribute = CUdevice_attribute(162);
pub const CU_MEMORYTYPE_HOST: CUmemorytype = CUmemorytype(1);
pub const CU_MEMORYTYPE_DEVICE: CUmemorytype = CUmemorytype(2);
pub const CU_MEMORYTYPE_ARRAY: CUmemorytype = CUmemorytype(3);
pub const CU_MEMORYTYPE_UNIFIED: CUmemorytype = CUmemorytype(4);
pub const CU_RESOURCE_TYPE_ARRAY: CUresourcetype = CUresourcetype(0);
pub const CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: CUresourcetype = CUresourcetype(1);
pub const CU_RESOURCE_TYPE_LINEAR: CUresourcetype = CUresourcetype(2);
pub const CU_RESOURCE_TYPE_PITCH2D: CUresourcetype = CUresourcetype(3);
pub const CU_GRAPH_COND_TYPE_IF: CUgraphConditionalNodeType = CUgraphConditionalNodeType(
    0,
);
pub const CU_GRAPH_COND_TYPE_WHILE: CUgraphConditionalNodeType = CUgraphConditionalNodeType(
    1,
);
pub const CU_GRAPH_COND_TYPE_SWITCH: CUgraphConditionalNodeType = CUgraphConditionalNodeType(
    2,
);
pub const CU_GRAPH_NODE_TYPE_KERNEL: CUgraphNodeType = CUgraphNodeType(0);
pub const CU_GRAPH_NODE_TYPE_MEMCPY: CUgraphNodeType = CUgraphNodeType(1);
pub const CU_GRAPH_NODE_TYPE_MEMSET: CUgraphNodeType = CUgraphNodeType(2);
pub const CU_GRAPH_NODE_TYPE_HOST: CUgraphNodeType = CUgraphNodeType(3);
pub const CU_GRAPH_NODE_TYPE_GRAPH: CUgraphNodeType = CUgraphNodeType(4);
pub const CU_GRAPH_NODE_TYPE_EMPTY: CUgraphNodeType = CUgraphNodeType(5);
pub const CU_GRAPH_NODE_TYPE_WAIT_EVENT: CUgraphNodeType = CUgraphNodeType(6);
pub const CU_GRAPH_NODE_TYPE_EVENT_RECORD: CUgraphNodeType = CUgraphNodeType(7);
pub const CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: CUgraphNodeType = CUgraphNodeType(8);
pub const CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: CUgraphNodeType = CUgraphNodeType(9);
pub const CU_GRAPH_NODE_TYPE_MEM_ALLOC: CUgraphNodeType = CUgraphNodeType(10);
pub const CU_GRAPH_NODE_TYPE_MEM_FREE: CUgraphNodeType = CUgraphNodeType(11);
pub const CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: CUgraphNodeType = CUgraphNodeType(12);
pub const CU_GRAPH_NODE_TYPE_CONDITIONAL: CUgraphNodeType = CUgraphNodeType(13);
pub const CU_GRAPH_NODE_TYPE_MEMCPY_BATCH: CUgraphNodeType = CUgraphNodeType(14);
pub const CU_GRAPH_NODE_TYPE_RESERVED_16: CUgraphNodeType = CUgraphNodeType(16);
pub const CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE: CUgraphNodeType = CUgraphNodeType(17);
pub const CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: CUgraphNodeType = CUgraphNodeType(18);
pub const CU_EXEC_AFFINITY_TYPE_SM_COUNT: CUexecAffinityType = CUexecAffinityType(0);
pub const CU_EXEC_AFFINITY_TYPE_MAX: CUexecAffinityType = CUexecAffinityType(1);
pub const CIG_DATA_TYPE_D3D12_COMMAND_QUEUE: CUcigDataType = CUcigDataType(1);
pub const CIG_DATA_TYPE_NV_BLOB: CUcigDataType = CUcigDataType(2);
pub const STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST: CUstreamCigDataType = CUstreamCigDataType(
    1,
);
pub const STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV: CUstreamCigDataType = CUstreamCigDataType(
    2,
);
pub const CUDA_SUCCESS: CUresult = CUresult(0);
pub const CUDA_ERROR_INVALID_VALUE: CUresult = CUresult(1);
pub const CUDA_ERROR_OUT_OF_MEMORY: CUresult = CUresult(2);
pub const CUDA_ERROR_NOT_INITIALIZED: CUresult = CUresult(3);
pub const CUDA_ERROR_DEINITIALIZED: CUresult = CUresult(4);
pub const CUDA_ERROR_PROFILER_DISABLED: CUresult = CUresult(5);
pub const CUDA_ERROR_PROFILER_NOT_INITIALIZED: CUresult = CUresult(6);
pub const CUDA_ERROR_PROFILER_ALREADY_STARTED: CUresult = CUresult(7);
pub const CUDA_ERROR_PROFILER_ALREADY_STOPPED: CUresult = CUresult(8);
pub const CUDA_ERROR_STUB_LIBRARY: CUresult = CUresult(34);
pub const CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER: CUresult = CUresult(36);
pub const CUDA_ERROR_DEVICE_UNAVAILABLE: CUresult = CUresult(46);
pub const CUDA_ERROR_MULTICAST_RESOURCE_FULL: CUresult = CUresult(47);
pub const CUDA_ERROR_NO_DEVICE: CUresult = CUresult(100);
pub const CUDA_ERROR_INVALID_DEVICE: CUresult = CUresult(101);
pub const CUDA_ERROR_DEVICE_NOT_LICENSED: CUresult = CUresult(102);
pub const CUDA_ERROR_INVALID_IMAGE: CUresult = CUresult(200);
pub const CUDA_ERROR_INVALID_CONTEXT: CUresult = CUresult(201);
pub const CUDA_ERROR_CONTEXT_ALREADY_CURRENT: CUresult = CUresult(202);
pub const CUDA_ERROR_MAP_FAILED: CUresult = CUresult(205);
pub const CUDA_ERROR_UNMAP_FAILED: CUresult = CUresult(206);
pub const CUDA_ERROR_ARRAY_IS_MAPPED: CUresult = CUresult(207);
pub const CUDA_ERROR_ALREADY_MAPPED: CUresult = CUresult(208);
pub const CUDA_ERROR_NO_BINARY_FOR_GPU: CUresult = CUresult(209);
pub const CUDA_ERROR_ALREADY_ACQUIRED: CUresult = CUresult(210);
pub const CUDA_ERROR_NOT_MAPPED: CUresult = CUresult(211);
pub const CUDA_ERROR_NOT_MAPPED_AS_ARRAY: CUresult = CUresult(212);
pub const CUDA_ERROR_NOT_MAPPED_AS_POINTER: CUresult = CUresult(213);
pub const CUDA_ERROR_ECC_UNCORRECTABLE: CUresult = CUresult(214);
pub const CUDA_ERROR_UNSUPPORTED_LIMIT: CUresult = CUresult(215);
pub const CUDA_ERROR_CONTEXT_ALREADY_IN_USE: CUresult = CUresult(216);
pub const CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: CUresult = CUresult(217);
pub const CUDA_ERROR_INVALID_PTX: CUresult = CUresult(218);
pub const CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: CUresult = CUresult(219);
pub const CUDA_ERROR_NVLINK_UNCORRECTABLE: CUresult = CUresult(220);
pub const CUDA_ERROR_JIT_COMPILER_NOT_FOUND: CUresult = CUresult(221);
pub const CUDA_ERROR_UNSUPPORTED_PTX_VERSION: CUresult = CUresult(222);
pub const CUDA_ERROR_JIT_COMPILATION_DISABLED: CUresult = CUresult(223);
pub const CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY: CUresult = CUresult(224);
pub const CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC: CUresult = CUresult(225);
pub const CUDA_ERROR_CONTAINED: CUresult = CUresult(226);
pub const CUDA_ERROR_INSUFFICIENT_LOADER_VERSION: CUresult = CUresult(227);
pub const CUDA_ERROR_INVALID_SOURCE: CUresult = CUresult(300);
pub const CUDA_ERROR_FILE_NOT_FOUND: CUresult = CUresult(301);
pub const CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: CUresult = CUresult(302);
pub const CUDA_ERROR_SHARED_OBJECT_INIT_FAILED: CUresult = CUresult(303);
pub const CUDA_ERROR_OPERATING_SYSTEM: CUresult = CUresult(304);
pub const CUDA_ERROR_INVALID_HANDLE: CUresult = CUresult(400);
pub const CUDA_ERROR_ILLEGAL_STATE: CUresult = CUresult(401);
pub const CUDA_ERROR_LOSSY_QUERY: CUresult = CUresult(402);
pub const CUDA_ERROR_NOT_FOUND: CUresult = CUresult(500);
pub const CUDA_ERROR_NOT_READY: CUresult = CUresult(600);
pub const CUDA_ERROR_ILLEGAL_ADDRESS: CUresult = CUresult(700);
pub const CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: CUresult = CUresult(701);
pub const CUDA_ERROR_LAUNCH_TIMEOUT: CUresult = CUresult(702);
pub const CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING: CUresult = CUresult(703);
pub const CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = CUresult(704);
pub const CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = CUresult(705);
pub const CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE: CUresult = CUresult(708);
pub const CUDA_ERROR_CONTEXT_IS_DESTROYED: CUresult = CUresult(709);
pub const CUDA_ERROR_ASSERT: CUresult = CUresult(710);
pub const CUDA_ERROR_TOO_MANY_PEERS: CUresult = CUresult(711);
pub const CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED: CUresult = CUresult(712);
pub const CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED: CUresult = CUresult(713);
pub const CUDA_ERROR_HARDWARE_STACK_ERROR: CUresult = CUresult(714);
pub const CUDA_ERROR_ILLEGAL_INSTRUCTION: CUresult = CUresult(715);
pub const CUDA_ERROR_MISALIGNED_ADDRESS: CUresult = CUresult(716);
pub const CUDA_ERROR_INVALID_ADDRESS_SPACE: CUresult = CUresult(717);
pub const CUDA_ERROR_INVALID_PC: CUresult = CUresult(718);
pub const CUDA_ERROR_LAUNCH_FAILED: CUresult = CUresult(719);
pub const CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: CUresult = CUresult(720);
pub const CUDA_ERROR_TENSOR_MEMORY_LEAK: CUresult = CUresult(721);
pub const CUDA_ERROR_NOT_PERMITTED: CUresult = CUresult(800);
pub const CUDA_ERROR_NOT_SUPPORTED: CUresult = CUresult(801);
pub const CUDA_ERROR_SYSTEM_NOT_READY: CUresult = CUresult(802);
pub const CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: CUresult = CUresult(803);
pub const CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: CUresult = CUresult(804);
pub const CUDA_ERROR_MPS_CONNECTION_FAILED: CUresult = CUresult(805);
pub const CUDA_ERROR_MPS_RPC_FAILURE: CUresult = CUresult(806);
pub const CUDA_ERROR_MPS_SERVER_NOT_READY: CUresult = CUresult(807);
pub const CUDA_ERROR_MPS_MAX_CLIENTS_REACHED: CUresult = CUresult(808);
pub const CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED: CUresult = CUresult(809);
pub const CUDA_ERROR_MPS_CLIENT_TERMINATED: CUresult = CUresult(810);
pub const CUDA_ERROR_CDP_NOT_SUPPORTED: CUresult = CUresult(811);
pub const CUDA_ERROR_CDP_VERSION_MISMATCH: CUresult = CUresult(812);
pub const CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: CUresult = CUresult(900);
pub const CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: CUresult = CUresult(901);
pub const CUDA_ERROR_STREAM_CAPTURE_MERGE: CUresult = CUresult(902);
pub const CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: CUresult = CUresult(903);
pub const CUDA_ERROR_STREAM_CAPTURE_UNJOINED: CUresult = CUresult(904);
pub const CUDA_ERROR_STREAM_CAPTURE_ISOLATION: CUresult = CUresult(905);
pub const CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: CUresult = CUresult(906);
pub const CUDA_ERROR_CAPTURED_EVENT: CUresult = CUresult(907);
pub const CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: CUresult = CUresult(908);
pub const CUDA_ERROR_TIMEOUT: CUresult = CUresult(909);
pub const CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: CUresult = CUresult(910);
pub const CUDA_ERROR_EXTERNAL_DEVICE: CUresult = CUresult(911);
pub const CUDA_ERROR_INVALID_CLUSTER_SIZE: CUresult = CUresult(912);
pub const CUDA_ERROR_FUNCTION_NOT_LOADED: CUresult = CUresult(913);
pub const CUDA_ERROR_INVALID_RESOURCE_TYPE: CUresult = CUresult(914);
pub const CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION: CUresult = CUresult(915);
pub const CUDA_ERROR_KEY_ROTATION: CUresult = CUresult(916);
pub const CUDA_ERROR_STREAM_DETACHED: CUresult = CUresult(917);
pub const CUDA_ERROR_GRAPH_RECAPTURE_FAILURE: CUresult = CUresult(918);
pub const CUDA_ERROR_FABRIC_NOT_READY: CUresult = CUresult(919);
pub const CUDA_ERROR_UNKNOWN: CUresult = CUresult(999);
pub const CU_RES_VIEW_FORMAT_NONE: CUresourceViewFormat = CUresourceViewFormat(0);
pub const CU_RES_VIEW_FORMAT_UINT_1X8: CUresourceViewFormat = CUresourceViewFormat(1);
pub const CU_RES_VIEW_FORMAT_UINT_2X8: CUresourceViewFormat = CUresourceViewFormat(2);
pub const CU_RES_VIEW_FORMAT_UINT_4X8: CUresourceViewFormat = CUresourceViewFormat(3);
pub const CU_RES_VIEW_FORMAT_SINT_1X8: CUresourceViewFormat = CUresourceViewFormat(4);
pub const CU_RES_VIEW_FORMAT_SINT_2X8: CUresourceViewFormat = CUresourceViewFormat(5);
pub const CU_RES_VIEW_FORMAT_SINT_4X8: CUresourceViewFormat = CUresourceViewFormat(6);
pub const CU_RES_VIEW_FORMAT_UINT_1X16: CUresourceViewFormat = CUresourceViewFormat(7);
pub const CU_RES_VIEW_FORMAT_UINT_2X16: CUresourceViewFormat = CUresourceViewFormat(8);
pub const CU_RES_VIEW_FORMAT_UINT_4X16: CUresourceViewFormat = CUresourceViewFormat(9);
pub const CU_RES_VIEW_FORMAT_SINT_1X16: CUresourceViewFormat = CUresourceViewFormat(10);
pub const CU_RES_VIEW_FORMAT_SINT_2X16: CUresourceViewFormat = CUresourceViewFormat(11);
pub const CU_RES_VIEW_FORMAT_SINT_4X16: CUresourceViewFormat = CUresourceViewFormat(12);
pub const CU_RES_VIEW_FORMAT_UINT_1X32: CUresourceViewFormat = CUresourceViewFormat(13);
pub const CU_RES_VIEW_FORMAT_UINT_2X32: CUresourceViewFormat = CUresourceViewFormat(14);
pub const CU_RES_VIEW_FORMAT_UINT_4X32: CUresourceViewFormat = CUresourceViewFormat(15);
pub const CU_RES_VIEW_FORMAT_SINT_1X32: CUresourceViewFormat = CUresourceViewFormat(16);
pub const CU_RES_VIEW_FORMAT_SINT_2X32: CUresourceViewFormat = CUresourceViewFormat(17);
pub const CU_RES_VIEW_FORMAT_SINT_4X32: CUresourceViewFormat = CUresourceViewFormat(18);
pub const CU_RES_VIEW_FORMAT_FLOAT_1X16: CUresourceViewFormat = CUresourceViewFormat(19);
pub const CU_RES_VIEW_FORMAT_FLOAT_2X16: CUresourceViewFormat = CUresourceViewFormat(20);
pub const CU_RES_VIEW_FORMAT_FLOAT_4X16: CUresourceViewFormat = CUresourceViewFormat(21);
pub const CU_RES_VIEW_FORMAT_FLOAT_1X32: CUresourceViewFormat = CUresourceViewFormat(22);
pub const CU_RES_VIEW_FORMAT_FLOAT_2X32: CUresourceViewFormat = CUresourceViewFormat(23);
pub const CU_RES_VIEW_FORMAT_FLOAT_4X32: CUresourceViewFormat = CUresourceViewFormat(24);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC1: CUresourceViewFormat = CUresourceViewFormat(
    25,
);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC2: CUresourceViewFormat = CUresourceViewFormat(
    26,
);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC3: CUresourceViewFormat = CUresourceViewFormat(
    27,
);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC4: CUresourceViewFormat = CUresourceViewFormat(
    28,
);
pub const CU_RES_VIEW_FORMAT_SIGNED_BC4: CUresourceViewFormat = CUresourceViewFormat(29);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC5: CUresourceViewFormat = CUresourceViewFormat(
    30,
);
pub const CU_RES_VIEW_FORMAT_SIGNED_BC5: CUresourceViewFormat = CUresourceViewFormat(31);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC6H: CUresourceViewFormat = CUresourceViewFormat(
    32,
);
pub const CU_RES_VIEW_FORMAT_SIGNED_BC6H: CUresourceViewFormat = CUresourceViewFormat(
    33,
);
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC7: CUresourceViewFormat = CUresourceViewFormat(
    34,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    1,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    2,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    3,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    4,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    5,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    6,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    7,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    8,
);
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
    9,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    1,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    2,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    3,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    4,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    5,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    6,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    7,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    8,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    9,
);
pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
    10,
);
pub const CU_MEM_HANDLE_TYPE_NONE: CUmemAllocationHandleType = CUmemAllocationHandleType(
    0,
);
pub const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType(
    1,
);
pub const CU_MEM_HANDLE_TYPE_WIN32: CUmemAllocationHandleType = CUmemAllocationHandleType(
    2,
);
pub const CU_MEM_HANDLE_TYPE_WIN32_KMT: CUmemAllocationHandleType = CUmemAllocationHandleType(
    4,
);
pub const CU_MEM_HANDLE_TYPE_FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType(
    8,
);
pub const CU_MEM_HANDLE_TYPE_MAX: CUmemAllocationHandleType = CUmemAllocationHandleType(
    2147483647,
);
pub const CU_MEM_ACCESS_FLAGS_PROT_NONE: CUmemAccess_flags = CUmemAccess_flags(0);
pub const CU_MEM_ACCESS_FLAGS_PROT_READ: CUmemAccess_flags = CUmemAccess_flags(1);
pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: CUmemAccess_flags = CUmemAccess_flags(3);
pub const CU_MEM_ACCESS_FLAGS_PROT_MAX: CUmemAccess_flags = CUmemAccess_flags(
    2147483647,
);
pub const CU_MEM_LOCATION_TYPE_INVALID: CUmemLocationType = CUmemLocationType(0);
pub const CU_MEM_LOCATION_TYPE_NONE: CUmemLocationType = CUmemLocationType(0);
pub const CU_MEM_LOCATION_TYPE_DEVICE: CUmemLocationType = CUmemLocationType(1);
pub const CU_MEM_LOCATION_TYPE_HOST: CUmemLocationType = CUmemLocationType(2);
pub const CU_MEM_LOCATION_TYPE_HOST_NUMA: CUmemLocationType = CUmemLocationType(3);
pub const CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: CUmemLocationType = CUmemLocationType(
    4,
);
pub const CU_MEM_LOCATION_TYPE_INVISIBLE: CUmemLocationType = CUmemLocationType(5);
pub const CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN: CUmemLocationType = CUmemLocationType(
    6,
);
pub const CU_MEM_LOCATION_TYPE_MAX: CUmemLocationType = CUmemLocationType(2147483647);
pub const CU_MEM_ALLOCATION_TYPE_INVALID: CUmemAllocationType = CUmemAllocationType(0);
pub const CU_MEM_ALLOCATION_TYPE_PINNED: CUmemAllocationType = CUmemAllocationType(1);
pub const CU_MEM_ALLOCATION_TYPE_MANAGED: CUmemAllocationType = CUmemAllocationType(2);
pub const CU_MEM_ALLOCATION_TYPE_MAX: CUmemAllocationType = CUmemAllocationType(
    2147483647,
);
pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: CUmemAllocationGranularity_flags = CUmemAllocationGranularity_flags(
    0,
);
pub const CU_MEM_ALLOC_GRANULARITY_RECOMMENDED: CUmemAllocationGranularity_flags = CUmemAllocationGranularity_flags(
    1,
);
pub const CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD: CUmemRangeHandleType = CUmemRangeHandleType(
    1,
);
pub const CU_MEM_RANGE_HANDLE_TYPE_MAX: CUmemRangeHandleType = CUmemRangeHandleType(
    2147483647,
);
pub const CU_MEMCPY_SRC_ACCESS_ORDER_INVALID: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
    0,
);
pub const CU_MEMCPY_SRC_ACCESS_ORDER_STREAM: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
    1,
);
pub const CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
    2,
);
pub const CU_MEMCPY_SRC_ACCESS_ORDER_ANY: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
    3,
);
pub const CU_MEMCPY_SRC_ACCESS_ORDER_MAX: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
    2147483647,
);
pub const CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE: CUgraphChildGraphNodeOwnership = CUgraphChildGraphNodeOwnership(
    0,
);
pub const CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE: CUgraphChildGraphNodeOwnership = CUgraphChildGraphNodeOwnership(
    1,
);
pub const CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID: CUgraphChildGraphNodeOwnership = CUgraphChildGraphNodeOwnership(
    -1,
);
pub const CU_FABRIC_COPY_OPERAND_TYPE_POINTER: CUfabricCpyOperandType = CUfabricCpyOperandType(
    1,
);
pub const CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT: CUfabricCpyOperandType = CUfabricCpyOperandType(
    2,
);
pub const CU_FABRIC_COPY_OPERAND_TYPE_MAX: CUfabricCpyOperandType = CUfabricCpyOperandType(
    2147483647,
);
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_union {
    pub operation: CUstreamBatchMemOpType,
    pub waitValue: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st,
    pub writeValue: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st,
    pub flushRemoteWrites: CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st,
    pub memoryBarrier: CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st,
    pub atomicReduction: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st,
    pub pad: [cuuint64_t; 6usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1 {
    pub value: cuuint32_t,
    pub value64: cuuint64_t,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1 {
    pub value: cuuint32_t,
    pub value64: cuuint64_t,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUexecAffinityParam_st__bindgen_ty_1 {
    pub smCount: CUexecAffinitySmCount,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
    pub array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
    pub linear: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
    pub reserved: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {
    /// A file descriptor: for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`], and for the type DMABUF_FD. A successful import takes it over, and the caller neither closes nor uses it any more.
    pub fd: ::core::ffi::c_int,
    /// A Windows handle, or the name of one: for the types OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_HEAP, D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT.
    pub win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32,
    /// An `NvSciBufObj`: for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF`]. It stays the caller's, who keeps it for as long as the import lives.
    pub nvSciBufObject: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle {
    /// A file descriptor: for [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`] and [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`]. A successful import takes it over, and the caller neither closes nor uses it any more.
    pub fd: ::core::ffi::c_int,
    /// A Windows handle, or the name of one: for the types OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_FENCE, D3D11_FENCE, D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT and TIMELINE_SEMAPHORE_WIN32.
    pub win32: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32,
    /// An `NvSciSyncObj`: for [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC`]. It stays the caller's, who keeps it for as long as the import lives.
    pub nvSciSyncObj: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync {
    /// An `NvSciSyncFence` of the caller's, which the call fills in, whatever it held before. Whoever waits for this signal is given that fence.
    pub fence: *mut ::core::ffi::c_void,
    /// Makes the union 8 bytes long on every platform.
    pub reserved: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync {
    /// The `NvSciSyncFence` that the signaller filled in.
    pub fence: *mut ::core::ffi::c_void,
    /// Makes the union 8 bytes long on every platform.
    pub reserved: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context {
    /// An ordinary context.
    pub ctx: CUcontext,
    /// A green context, which is a part of a device's processors.
    pub gCtx: CUgreenCtx,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUgraphNodeParams_st__bindgen_ty_1 {
    pub reserved1: [::core::ffi::c_longlong; 29usize],
    pub kernel: CUDA_KERNEL_NODE_PARAMS_v3,
    pub memcpy: CUDA_MEMCPY_NODE_PARAMS,
    pub memset: CUDA_MEMSET_NODE_PARAMS_v2,
    pub host: CUDA_HOST_NODE_PARAMS_v2,
    pub graph: CUDA_CHILD_GRAPH_NODE_PARAMS,
    pub eventWait: CUDA_EVENT_WAIT_NODE_PARAMS,
    pub eventRecord: CUDA_EVENT_RECORD_NODE_PARAMS,
    pub extSemSignal: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
    pub extSemWait: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2,
    pub alloc: CUDA_MEM_ALLOC_NODE_PARAMS_v2,
    pub free: CUDA_MEM_FREE_NODE_PARAMS,
    pub memOp: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    pub conditional: CUDA_CONDITIONAL_NODE_PARAMS,
    pub memcpyBatch: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
    pub fabricCpyBatch: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1,
    pub asBytes: [::core::ffi::c_char; 232usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUfabricCpyOperand_st__bindgen_ty_1 {
    pub ptr: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1,
    pub le: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2,
}
impl Default
for CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default
for CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamBatchMemOpParams_union {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_KERNEL_NODE_PARAMS_v3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEMSET_NODE_PARAMS_v2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_HOST_NODE_PARAMS_v2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_CONDITIONAL_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUexecAffinityParam_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUexecAffinityParam_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUctxCigParam_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUctxCreateParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamCigParam_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUstreamCigCaptureParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEMCPY2D {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEMCPY3D {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEMCPY_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_ARRAY3D_DESCRIPTOR {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_TEXTURE_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_RESOURCE_VIEW_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXT_SEM_WAIT_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUmemAllocationProp {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUmemAccessDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUmemPoolProps {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUmemcpyAttributes {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEM_ALLOC_NODE_PARAMS_v2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_CHILD_GRAPH_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EVENT_RECORD_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_EVENT_WAIT_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUgraphNodeParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUgraphNodeParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUfabricCpyOperand_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUfabricCpyOperand_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for CUDA_FABRIC_COPY_BATCH_OP {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
driver_functions! {
    #[must_use]
    pub fn cuGetErrorString: PFN_cuGetErrorString(
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> CUresult;
    #[must_use]
    pub fn cuGetErrorName: PFN_cuGetErrorName(
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> CUresult;
    #[must_use]
    pub fn cuInit: PFN_cuInit(Flags: ::core::ffi::c_uint) -> CUresult;
    #[must_use]
    pub fn cuDriverGetVersion: PFN_cuDriverGetVersion(driverVersion: *mut ::core::ffi::c_int) -> CUresult;
    #[must_use]
    pub fn cuDeviceGet: PFN_cuDeviceGet(device: *mut CUdevice, ordinal: ::core::ffi::c_int) -> CUresult;
    #[must_use]
    pub fn cuDeviceGetCount: PFN_cuDeviceGetCount(count: *mut ::core::ffi::c_int) -> CUresult;
    #[must_use]
    pub fn cuDeviceGetName: PFN_cuDeviceGetName(
        name: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice,
    ) -> CUresult;
    #[must_use]
    pub fn cuDeviceGetUuid_v2: PFN_cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
    #[must_use]
    pub fn cuDeviceGetLuid: PFN_cuDeviceGetLuid(
        luid: *mut ::core::ffi::c_char,
        deviceNodeMask: *mut ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
    #[must_use]
    pub fn cuDeviceGetAttribute: PFN_cuDeviceGetAttribute(
        pi: *mut ::core::ffi::c_int,
        attrib: CUdevice_attribute,
        dev: CUdevice,
    ) -> CUresult;
    #[must_use]
    pub fn cuDeviceGetNvSciSyncAttributes: PFN_cuDeviceGetNvSciSyncAttributes(
        nvSciSyncAttrList: *mut ::core::ffi::c_void,
        dev: CUdevice,
        flags: ::core::ffi::c_int,
    ) -> CUresult;
    #[must_use]
    pub fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) -> CUresult;
    #[must_use]
    pub fn cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> CUresult;
    #[must_use]
    pub fn cuCtxCreate_v4: PFN_cuCtxCreate_v4(
        pctx: *mut CUcontext,
        ctxCreateParams: *mut CUctxCreateParams,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
    #[must_use]
    pub fn cuCtxDestroy_v2: PFN_cuCtxDestroy_v2(ctx: CUcontext) -> CUresult;
    #[must_use]
    pub fn cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2(ctx: CUcontext) -> CUresult;
    #[must_use]
    pub fn cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2(pctx: *mut CUcontext) -> CUresult;
    #[must_use]
    pub fn cuCtxSetCurrent: PFN_cuCtxSetCurrent(ctx: CUcontext) -> CUresult;
    #[must_use]
    pub fn cuCtxGetCurrent: PFN_cuCtxGetCurrent(pctx: *mut CUcontext) -> CUresult;
    #[must_use]
    pub fn cuCtxGetDevice: PFN_cuCtxGetDevice(device: *mut CUdevice) -> CUresult;
    #[must_use]
    pub fn cuCtxSynchronize: PFN_cuCtxSynchronize() -> CUresult;
    #[must_use]
    pub fn cuMemGetInfo_v2: PFN_cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult;
    #[must_use]
    pub fn cuMemAlloc_v2: PFN_cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult;
    #[must_use]
    pub fn cuMemFree_v2: PFN_cuMemFree_v2(dptr: CUdeviceptr) -> CUresult;
    #[must_use]
    pub fn cuMemcpyHtoD_v2: PFN_cuMemcpyHtoD_v2(
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpyDtoH_v2: PFN_cuMemcpyDtoH_v2(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpyDtoD_v2: PFN_cuMemcpyDtoD_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpy2D_v2: PFN_cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
    #[must_use]
    pub fn cuMemcpy2DUnaligned_v2: PFN_cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
    #[must_use]
    pub fn cuMemcpy3D_v2: PFN_cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D) -> CUresult;
    #[must_use]
    pub fn cuMemcpyHtoDAsync_v2: PFN_cuMemcpyHtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpyDtoHAsync_v2: PFN_cuMemcpyDtoHAsync_v2(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpyDtoDAsync_v2: PFN_cuMemcpyDtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpy2DAsync_v2: PFN_cuMemcpy2DAsync_v2(
        pCopy: *const CUDA_MEMCPY2D,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemcpy3DAsync_v2: PFN_cuMemcpy3DAsync_v2(
        pCopy: *const CUDA_MEMCPY3D,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemsetD8_v2: PFN_cuMemsetD8_v2(
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemsetD32_v2: PFN_cuMemsetD32_v2(
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemsetD8Async: PFN_cuMemsetD8Async(
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemsetD32Async: PFN_cuMemsetD32Async(
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuArray3DGetDescriptor_v2: PFN_cuArray3DGetDescriptor_v2(
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
        hArray: CUarray,
    ) -> CUresult;
    #[must_use]
    pub fn cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel(
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: ::core::ffi::c_uint,
    ) -> CUresult;
    #[must_use]
    pub fn cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) -> CUresult;
    #[must_use]
    pub fn cuMemGetHandleForAddressRange: PFN_cuMemGetHandleForAddressRange(
        handle: *mut ::core::ffi::c_void,
        dptr: CUdeviceptr,
        size: usize,
        handleType: CUmemRangeHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemAddressReserve: PFN_cuMemAddressReserve(
        ptr: *mut CUdeviceptr,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemAddressFree: PFN_cuMemAddressFree(ptr: CUdeviceptr, size: usize) -> CUresult;
    #[must_use]
    pub fn cuMemCreate: PFN_cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle,
        size: usize,
        prop: *const CUmemAllocationProp,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemRelease: PFN_cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult;
    #[must_use]
    pub fn cuMemMap: PFN_cuMemMap(
        ptr: CUdeviceptr,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemUnmap: PFN_cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult;
    #[must_use]
    pub fn cuMemSetAccess: PFN_cuMemSetAccess(
        ptr: CUdeviceptr,
        size: usize,
        desc: *const CUmemAccessDesc,
        count: usize,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle(
        shareableHandle: *mut ::core::ffi::c_void,
        handle: CUmemGenericAllocationHandle,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemImportFromShareableHandle: PFN_cuMemImportFromShareableHandle(
        handle: *mut CUmemGenericAllocationHandle,
        osHandle: *mut ::core::ffi::c_void,
        shHandleType: CUmemAllocationHandleType,
    ) -> CUresult;
    #[must_use]
    pub fn cuMemGetAllocationGranularity: PFN_cuMemGetAllocationGranularity(
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) -> CUresult;
    #[must_use]
    pub fn cuStreamCreate: PFN_cuStreamCreate(
        phStream: *mut CUstream,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
    #[must_use]
    pub fn cuStreamBeginCaptureToCig: PFN_cuStreamBeginCaptureToCig(
        hStream: CUstream,
        streamCigCaptureParams: *mut CUstreamCigCaptureParams,
    ) -> CUresult;
    #[must_use]
    pub fn cuStreamEndCaptureToCig: PFN_cuStreamEndCaptureToCig(hStream: CUstream) -> CUresult;
    #[must_use]
    pub fn cuStreamQuery: PFN_cuStreamQuery(hStream: CUstream) -> CUresult;
    #[must_use]
    pub fn cuStreamSynchronize: PFN_cuStreamSynchronize(hStream: CUstream) -> CUresult;
    #[must_use]
    pub fn cuStreamDestroy_v2: PFN_cuStreamDestroy_v2(hStream: CUstream) -> CUresult;
    #[must_use]
    pub fn cuImportExternalMemory: PFN_cuImportExternalMemory(
        extMem_out: *mut CUexternalMemory,
        memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) -> CUresult;
    #[must_use]
    pub fn cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(
        devPtr: *mut CUdeviceptr,
        extMem: CUexternalMemory,
        bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) -> CUresult;
    #[must_use]
    pub fn cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(
        mipmap: *mut CUmipmappedArray,
        extMem: CUexternalMemory,
        mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) -> CUresult;
    #[must_use]
    pub fn cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(extMem: CUexternalMemory) -> CUresult;
    #[must_use]
    pub fn cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(
        extSem_out: *mut CUexternalSemaphore,
        semHandleDesc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) -> CUresult;
    #[must_use]
    pub fn cuSignalExternalSemaphoresAsync: PFN_cuSignalExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuWaitExternalSemaphoresAsync: PFN_cuWaitExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(extSem: CUexternalSemaphore) -> CUresult;
    #[must_use]
    pub fn cuGraphCreate: PFN_cuGraphCreate(phGraph: *mut CUgraph, flags: ::core::ffi::c_uint) -> CUresult;
    #[must_use]
    pub fn cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExternalSemaphoresSignalNodeGetParams: PFN_cuGraphExternalSemaphoresSignalNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExternalSemaphoresWaitNodeGetParams: PFN_cuGraphExternalSemaphoresWaitNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphLaunch: PFN_cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
    #[must_use]
    pub fn cuGraphExecDestroy: PFN_cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult;
    #[must_use]
    pub fn cuGraphDestroy: PFN_cuGraphDestroy(hGraph: CUgraph) -> CUresult;
    #[must_use]
    pub fn cuGraphAddNode_v2: PFN_cuGraphAddNode_v2(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphNodeSetParams: PFN_cuGraphNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphNodeGetParams: PFN_cuGraphNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    #[must_use]
    pub fn cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
    #[must_use]
    pub fn cuTexObjectCreate: PFN_cuTexObjectCreate(
        pTexObject: *mut CUtexObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
        pTexDesc: *const CUDA_TEXTURE_DESC,
        pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
    ) -> CUresult;
    #[must_use]
    pub fn cuTexObjectDestroy: PFN_cuTexObjectDestroy(texObject: CUtexObject) -> CUresult;
    #[must_use]
    pub fn cuSurfObjectCreate: PFN_cuSurfObjectCreate(
        pSurfObject: *mut CUsurfObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
    ) -> CUresult;
    #[must_use]
    pub fn cuSurfObjectDestroy: PFN_cuSurfObjectDestroy(surfObject: CUsurfObject) -> CUresult;
    #[must_use]
    pub fn cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync_ptsz(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
    #[must_use]
    pub fn cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync_ptsz(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
}
c_enum! {
    CUstream_flags, CUstream_flags_values:
    CU_STREAM_DEFAULT,
    CU_STREAM_NON_BLOCKING,
}
c_enum! {
    CUstreamBatchMemOpType, CUstreamBatchMemOpType_values:
    CU_STREAM_MEM_OP_WAIT_VALUE_32,
    CU_STREAM_MEM_OP_WRITE_VALUE_32,
    CU_STREAM_MEM_OP_WAIT_VALUE_64,
    CU_STREAM_MEM_OP_WRITE_VALUE_64,
    CU_STREAM_MEM_OP_BARRIER,
    CU_STREAM_MEM_OP_ATOMIC_REDUCTION,
    CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES,
}
c_enum! {
    CUstreamAtomicReductionOpType, CUstreamAtomicReductionOpType_values:
    CU_STREAM_ATOMIC_REDUCTION_OP_OR,
    CU_STREAM_ATOMIC_REDUCTION_OP_AND,
    CU_STREAM_ATOMIC_REDUCTION_OP_ADD,
}
c_enum! {
    CUstreamAtomicReductionDataType, CUstreamAtomicReductionDataType_values:
    CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32,
    CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64,
}
c_enum! {
    CUarray_format, CUarray_format_values:
    CU_AD_FORMAT_UNSIGNED_INT8,
    CU_AD_FORMAT_UNSIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32,
    CU_AD_FORMAT_SIGNED_INT8,
    CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_SIGNED_INT32,
    CU_AD_FORMAT_HALF,
    CU_AD_FORMAT_FLOAT,
    CU_AD_FORMAT_NV12,
    CU_AD_FORMAT_UNORM_INT8X1,
    CU_AD_FORMAT_UNORM_INT8X2,
    CU_AD_FORMAT_UNORM_INT8X4,
    CU_AD_FORMAT_UNORM_INT16X1,
    CU_AD_FORMAT_UNORM_INT16X2,
    CU_AD_FORMAT_UNORM_INT16X4,
    CU_AD_FORMAT_SNORM_INT8X1,
    CU_AD_FORMAT_SNORM_INT8X2,
    CU_AD_FORMAT_SNORM_INT8X4,
    CU_AD_FORMAT_SNORM_INT16X1,
    CU_AD_FORMAT_SNORM_INT16X2,
    CU_AD_FORMAT_SNORM_INT16X4,
    CU_AD_FORMAT_BC1_UNORM,
    CU_AD_FORMAT_BC1_UNORM_SRGB,
    CU_AD_FORMAT_BC2_UNORM,
    CU_AD_FORMAT_BC2_UNORM_SRGB,
    CU_AD_FORMAT_BC3_UNORM,
    CU_AD_FORMAT_BC3_UNORM_SRGB,
    CU_AD_FORMAT_BC4_UNORM,
    CU_AD_FORMAT_BC4_SNORM,
    CU_AD_FORMAT_BC5_UNORM,
    CU_AD_FORMAT_BC5_SNORM,
    CU_AD_FORMAT_BC6H_UF16,
    CU_AD_FORMAT_BC6H_SF16,
    CU_AD_FORMAT_BC7_UNORM,
    CU_AD_FORMAT_BC7_UNORM_SRGB,
    CU_AD_FORMAT_P010,
    CU_AD_FORMAT_P016,
    CU_AD_FORMAT_NV16,
    CU_AD_FORMAT_P210,
    CU_AD_FORMAT_P216,
    CU_AD_FORMAT_YUY2,
    CU_AD_FORMAT_Y210,
    CU_AD_FORMAT_Y216,
    CU_AD_FORMAT_AYUV,
    CU_AD_FORMAT_Y410,
    CU_AD_FORMAT_Y416,
    CU_AD_FORMAT_Y444_PLANAR8,
    CU_AD_FORMAT_Y444_PLANAR10,
    CU_AD_FORMAT_YUV444_8bit_SemiPlanar,
    CU_AD_FORMAT_YUV444_16bit_SemiPlanar,
    CU_AD_FORMAT_UNORM_INT_101010_2,
    CU_AD_FORMAT_UINT8_PACKED_422,
    CU_AD_FORMAT_UINT8_PACKED_444,
    CU_AD_FORMAT_UINT8_SEMIPLANAR_420,
    CU_AD_FORMAT_UINT16_SEMIPLANAR_420,
    CU_AD_FORMAT_UINT8_SEMIPLANAR_422,
    CU_AD_FORMAT_UINT16_SEMIPLANAR_422,
    CU_AD_FORMAT_UINT8_SEMIPLANAR_444,
    CU_AD_FORMAT_UINT16_SEMIPLANAR_444,
    CU_AD_FORMAT_UINT8_PLANAR_420,
    CU_AD_FORMAT_UINT16_PLANAR_420,
    CU_AD_FORMAT_UINT8_PLANAR_422,
    CU_AD_FORMAT_UINT16_PLANAR_422,
    CU_AD_FORMAT_UINT8_PLANAR_444,
    CU_AD_FORMAT_UINT16_PLANAR_444,
    CU_AD_FORMAT_MAX,
}
c_enum! {
    CUaddress_mode, CUaddress_mode_values:
    CU_TR_ADDRESS_MODE_WRAP,
    CU_TR_ADDRESS_MODE_CLAMP,
    CU_TR_ADDRESS_MODE_MIRROR,
    CU_TR_ADDRESS_MODE_BORDER,
}
c_enum! {
    CUfilter_mode, CUfilter_mode_values:
    CU_TR_FILTER_MODE_POINT,
    CU_TR_FILTER_MODE_LINEAR,
}
c_enum! {
    CUdevice_attribute, CUdevice_attribute_values:
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
    CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
    CU_DEVICE_ATTRIBUTE_GPU_OVERLAP,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT,
    CU_DEVICE_ATTRIBUTE_INTEGRATED,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES,
    CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
    CU_DEVICE_ATTRIBUTE_ECC_ENABLED,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,
    CU_DEVICE_ATTRIBUTE_TCC_DRIVER,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
    CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
    CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH,
    CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY,
    CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD,
    CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID,
    CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
    CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1,
    CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES,
    CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
    CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE,
    CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING,
    CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES,
    CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
    CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT,
    CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS,
    CU_DEVICE_ATTRIBUTE_NUMA_CONFIG,
    CU_DEVICE_ATTRIBUTE_NUMA_ID,
    CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MPS_ENABLED,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID,
    CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK,
    CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH,
    CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID,
    CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT,
    CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT,
    CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES,
    CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MAX,
}
c_enum! {
    CUmemorytype, CUmemorytype_values:
    CU_MEMORYTYPE_HOST,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_ARRAY,
    CU_MEMORYTYPE_UNIFIED,
}
c_enum! {
    CUresourcetype, CUresourcetype_values:
    CU_RESOURCE_TYPE_ARRAY,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
    CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_PITCH2D,
}
c_enum! {
    CUgraphConditionalNodeType, CUgraphConditionalNodeType_values:
    CU_GRAPH_COND_TYPE_IF,
    CU_GRAPH_COND_TYPE_WHILE,
    CU_GRAPH_COND_TYPE_SWITCH,
}
c_enum! {
    CUgraphNodeType, CUgraphNodeType_values:
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_HOST,
    CU_GRAPH_NODE_TYPE_GRAPH,
    CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
    CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    CU_GRAPH_NODE_TYPE_CONDITIONAL,
    CU_GRAPH_NODE_TYPE_MEMCPY_BATCH,
    CU_GRAPH_NODE_TYPE_RESERVED_16,
    CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE,
    CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH,
}
c_enum! {
    CUexecAffinityType, CUexecAffinityType_values:
    CU_EXEC_AFFINITY_TYPE_SM_COUNT,
    CU_EXEC_AFFINITY_TYPE_MAX,
}
c_enum! {
    CUcigDataType, CUcigDataType_values:
    CIG_DATA_TYPE_D3D12_COMMAND_QUEUE,
    CIG_DATA_TYPE_NV_BLOB,
}
c_enum! {
    CUstreamCigDataType, CUstreamCigDataType_values:
    STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST,
    STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV,
}
c_enum! {
    CUresult, CUresult_values:
    CUDA_SUCCESS,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_OUT_OF_MEMORY,
    CUDA_ERROR_NOT_INITIALIZED,
    CUDA_ERROR_DEINITIALIZED,
    CUDA_ERROR_PROFILER_DISABLED,
    CUDA_ERROR_PROFILER_NOT_INITIALIZED,
    CUDA_ERROR_PROFILER_ALREADY_STARTED,
    CUDA_ERROR_PROFILER_ALREADY_STOPPED,
    CUDA_ERROR_STUB_LIBRARY,
    CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
    CUDA_ERROR_DEVICE_UNAVAILABLE,
    CUDA_ERROR_MULTICAST_RESOURCE_FULL,
    CUDA_ERROR_NO_DEVICE,
    CUDA_ERROR_INVALID_DEVICE,
    CUDA_ERROR_DEVICE_NOT_LICENSED,
    CUDA_ERROR_INVALID_IMAGE,
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_CONTEXT_ALREADY_CURRENT,
    CUDA_ERROR_MAP_FAILED,
    CUDA_ERROR_UNMAP_FAILED,
    CUDA_ERROR_ARRAY_IS_MAPPED,
    CUDA_ERROR_ALREADY_MAPPED,
    CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUDA_ERROR_ALREADY_ACQUIRED,
    CUDA_ERROR_NOT_MAPPED,
    CUDA_ERROR_NOT_MAPPED_AS_ARRAY,
    CUDA_ERROR_NOT_MAPPED_AS_POINTER,
    CUDA_ERROR_ECC_UNCORRECTABLE,
    CUDA_ERROR_UNSUPPORTED_LIMIT,
    CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
    CUDA_ERROR_NVLINK_UNCORRECTABLE,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    CUDA_ERROR_JIT_COMPILATION_DISABLED,
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
    CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
    CUDA_ERROR_CONTAINED,
    CUDA_ERROR_INSUFFICIENT_LOADER_VERSION,
    CUDA_ERROR_INVALID_SOURCE,
    CUDA_ERROR_FILE_NOT_FOUND,
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
    CUDA_ERROR_OPERATING_SYSTEM,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_ILLEGAL_STATE,
    CUDA_ERROR_LOSSY_QUERY,
    CUDA_ERROR_NOT_FOUND,
    CUDA_ERROR_NOT_READY,
    CUDA_ERROR_ILLEGAL_ADDRESS,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUDA_ERROR_LAUNCH_TIMEOUT,
    CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
    CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
    CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUDA_ERROR_ASSERT,
    CUDA_ERROR_TOO_MANY_PEERS,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
    CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUDA_ERROR_MISALIGNED_ADDRESS,
    CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUDA_ERROR_INVALID_PC,
    CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
    CUDA_ERROR_TENSOR_MEMORY_LEAK,
    CUDA_ERROR_NOT_PERMITTED,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_SYSTEM_NOT_READY,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
    CUDA_ERROR_MPS_CONNECTION_FAILED,
    CUDA_ERROR_MPS_RPC_FAILURE,
    CUDA_ERROR_MPS_SERVER_NOT_READY,
    CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
    CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
    CUDA_ERROR_MPS_CLIENT_TERMINATED,
    CUDA_ERROR_CDP_NOT_SUPPORTED,
    CUDA_ERROR_CDP_VERSION_MISMATCH,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
    CUDA_ERROR_STREAM_CAPTURE_MERGE,
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
    CUDA_ERROR_CAPTURED_EVENT,
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
    CUDA_ERROR_TIMEOUT,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
    CUDA_ERROR_EXTERNAL_DEVICE,
    CUDA_ERROR_INVALID_CLUSTER_SIZE,
    CUDA_ERROR_FUNCTION_NOT_LOADED,
    CUDA_ERROR_INVALID_RESOURCE_TYPE,
    CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
    CUDA_ERROR_KEY_ROTATION,
    CUDA_ERROR_STREAM_DETACHED,
    CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
    CUDA_ERROR_FABRIC_NOT_READY,
    CUDA_ERROR_UNKNOWN,
}
c_enum! {
    CUresourceViewFormat, CUresourceViewFormat_values:
    CU_RES_VIEW_FORMAT_NONE,
    CU_RES_VIEW_FORMAT_UINT_1X8,
    CU_RES_VIEW_FORMAT_UINT_2X8,
    CU_RES_VIEW_FORMAT_UINT_4X8,
    CU_RES_VIEW_FORMAT_SINT_1X8,
    CU_RES_VIEW_FORMAT_SINT_2X8,
    CU_RES_VIEW_FORMAT_SINT_4X8,
    CU_RES_VIEW_FORMAT_UINT_1X16,
    CU_RES_VIEW_FORMAT_UINT_2X16,
    CU_RES_VIEW_FORMAT_UINT_4X16,
    CU_RES_VIEW_FORMAT_SINT_1X16,
    CU_RES_VIEW_FORMAT_SINT_2X16,
    CU_RES_VIEW_FORMAT_SINT_4X16,
    CU_RES_VIEW_FORMAT_UINT_1X32,
    CU_RES_VIEW_FORMAT_UINT_2X32,
    CU_RES_VIEW_FORMAT_UINT_4X32,
    CU_RES_VIEW_FORMAT_SINT_1X32,
    CU_RES_VIEW_FORMAT_SINT_2X32,
    CU_RES_VIEW_FORMAT_SINT_4X32,
    CU_RES_VIEW_FORMAT_FLOAT_1X16,
    CU_RES_VIEW_FORMAT_FLOAT_2X16,
    CU_RES_VIEW_FORMAT_FLOAT_4X16,
    CU_RES_VIEW_FORMAT_FLOAT_1X32,
    CU_RES_VIEW_FORMAT_FLOAT_2X32,
    CU_RES_VIEW_FORMAT_FLOAT_4X32,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC1,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC2,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC3,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC4,
    CU_RES_VIEW_FORMAT_SIGNED_BC4,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC5,
    CU_RES_VIEW_FORMAT_SIGNED_BC5,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC6H,
    CU_RES_VIEW_FORMAT_SIGNED_BC6H,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC7,
}
c_enum! {
    CUexternalMemoryHandleType, CUexternalMemoryHandleType_values:
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD,
}
c_enum! {
    CUexternalSemaphoreHandleType, CUexternalSemaphoreHandleType_values:
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
}
c_enum! {
    CUmemAllocationHandleType, CUmemAllocationHandleType_values:
    CU_MEM_HANDLE_TYPE_NONE,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    CU_MEM_HANDLE_TYPE_WIN32,
    CU_MEM_HANDLE_TYPE_WIN32_KMT,
    CU_MEM_HANDLE_TYPE_FABRIC,
    CU_MEM_HANDLE_TYPE_MAX,
}
c_enum! {
    CUmemAccess_flags, CUmemAccess_flags_values:
    CU_MEM_ACCESS_FLAGS_PROT_NONE,
    CU_MEM_ACCESS_FLAGS_PROT_READ,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    CU_MEM_ACCESS_FLAGS_PROT_MAX,
}
c_enum! {
    CUmemLocationType, CUmemLocationType_values:
    CU_MEM_LOCATION_TYPE_INVALID,
    CU_MEM_LOCATION_TYPE_NONE,
    CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST,
    CU_MEM_LOCATION_TYPE_HOST_NUMA,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
    CU_MEM_LOCATION_TYPE_INVISIBLE,
    CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN,
    CU_MEM_LOCATION_TYPE_MAX,
}
c_enum! {
    CUmemAllocationType, CUmemAllocationType_values:
    CU_MEM_ALLOCATION_TYPE_INVALID,
    CU_MEM_ALLOCATION_TYPE_PINNED,
    CU_MEM_ALLOCATION_TYPE_MANAGED,
    CU_MEM_ALLOCATION_TYPE_MAX,
}
c_enum! {
    CUmemAllocationGranularity_flags, CUmemAllocationGranularity_flags_values:
    CU_MEM_ALLOC_GRANULARITY_MINIMUM,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
}
c_enum! {
    CUmemRangeHandleType, CUmemRangeHandleType_values:
    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD,
    CU_MEM_RANGE_HANDLE_TYPE_MAX,
}
c_enum! {
    CUmemcpySrcAccessOrder, CUmemcpySrcAccessOrder_values:
    CU_MEMCPY_SRC_ACCESS_ORDER_INVALID,
    CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
    CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    CU_MEMCPY_SRC_ACCESS_ORDER_MAX,
}
c_enum! {
    CUgraphChildGraphNodeOwnership, CUgraphChildGraphNodeOwnership_values:
    CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE,
    CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
    CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID,
}
c_enum! {
    CUfabricCpyOperandType, CUfabricCpyOperandType_values:
    CU_FABRIC_COPY_OPERAND_TYPE_POINTER,
    CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT,
    CU_FABRIC_COPY_OPERAND_TYPE_MAX,
}
