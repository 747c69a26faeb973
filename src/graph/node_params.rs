//! The other kinds of graph nodes: the types that [`CUgraphNodeParams`] brings along.
//!
//! They are here so that the union has its layout and its fields have their types. Graph nodes for kernels, events, host
//! functions and the like are out of this crate's scope: these pages say what a type is, and NVIDIA's manual says
//! how it is used ("Graph Management", and "Stream Management" for the rest). The types with a `context` take an
//! ordinary or a green context; null means no preference.

#[cfg(doc)]
use crate::*; // for the links

/// The parameters of a kernel node. Since CUDA 12.2.
#[doc(alias = "cudaKernelNodeParamsV2")]
pub use crate::bindings::CUDA_KERNEL_NODE_PARAMS_v3;

fields! {
    CUDA_KERNEL_NODE_PARAMS_v3:
    /// The kernel, or null if `kern` is used.
    func,
    /// The width of the grid in blocks.
    gridDimX,
    /// The height of the grid in blocks.
    gridDimY,
    /// The depth of the grid in blocks.
    gridDimZ,
    /// The width of a block in threads.
    blockDimX,
    /// The height of a block in threads.
    blockDimY,
    /// The depth of a block in threads.
    blockDimZ,
    /// The dynamic shared memory of a block in bytes.
    sharedMemBytes,
    /// An array of pointers to the kernel's arguments.
    kernelParams,
    /// The arguments in another form; null if `kernelParams` is used.
    extra,
    /// The kernel, read if `func` is null.
    kern,
    /// The context for `kern`; null for the current one.
    ctx,
}

/// A kernel of a library, in any context. An opaque handle of the driver. Since CUDA 12.0.
#[doc(alias = "cudaKernel_t")]
pub use crate::bindings::CUkernel;

/// The driver's private type behind [`CUkernel`].
pub use crate::bindings::CUkern_st;

/// The parameters of a copy node: one 3D copy. Since CUDA 12.2.
#[doc(alias = "cudaMemcpyNodeParams")]
pub use crate::bindings::CUDA_MEMCPY_NODE_PARAMS;

fields! {
    CUDA_MEMCPY_NODE_PARAMS:
    /// Must be 0.
    flags,
    /// Must be 0.
    reserved,
    /// The context in which the node runs.
    copyCtx,
    /// The copy.
    copyParams,
}

/// The parameters of a fill node: those of [`CUDA_MEMSET_NODE_PARAMS`], and a context. Since CUDA 12.2.
#[doc(alias = "cudaMemsetParamsV2")]
pub use crate::bindings::CUDA_MEMSET_NODE_PARAMS_v2;

/// The parameters of a host node: a function that the CPU calls. Since CUDA 12.2.
#[doc(alias = "cudaHostNodeParamsV2")]
pub use crate::bindings::CUDA_HOST_NODE_PARAMS_v2;

fields! {
    CUDA_HOST_NODE_PARAMS_v2:
    /// The function that the CPU calls.
    fn_,
    /// Its argument.
    userData,
    /// How the device waits for the function; 0 is the default.
    syncMode,
    /// The context in which the node runs; null for no preference.
    context,
}

/// The context in a [`CUDA_HOST_NODE_PARAMS_v2`].
pub use crate::bindings::CUDA_HOST_NODE_PARAMS_v2_context;

/// A host function, for host nodes and `cuLaunchHostFunc`. It must not call CUDA. It receives `userData`.
#[doc(alias = "cudaHostFn_t")]
pub use crate::bindings::CUhostFn;

/// The parameters of a child graph node. Since CUDA 12.2.
#[doc(alias = "cudaChildGraphNodeParams")]
pub use crate::bindings::CUDA_CHILD_GRAPH_NODE_PARAMS;

fields! {
    CUDA_CHILD_GRAPH_NODE_PARAMS:
    /// The graph.
    graph,
    /// Who owns the graph.
    ownership,
}

/// Who owns the graph of a child graph node. Since CUDA 12.9.
///
/// - [`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE`]: the node gets a copy.
/// - [`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE`]: the node takes the graph over.
/// - [`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID`]: the value that the driver returns for a node.
#[doc(alias = "cudaGraphChildGraphNodeOwnership")]
pub use crate::bindings::CUgraphChildGraphNodeOwnership;
pub use crate::bindings::CUgraphChildGraphNodeOwnership_values::*;

/// The parameters of a node that records an event. Since CUDA 12.2.
#[doc(alias = "cudaEventRecordNodeParams")]
pub use crate::bindings::CUDA_EVENT_RECORD_NODE_PARAMS;

fields! {
    CUDA_EVENT_RECORD_NODE_PARAMS:
    /// The event that the node records.
    event,
    /// The context in which the node runs; null for no preference.
    context,
}

/// The context in a [`CUDA_EVENT_RECORD_NODE_PARAMS`].
pub use crate::bindings::CUDA_EVENT_RECORD_NODE_PARAMS_context;

/// The parameters of a node that waits for an event. Since CUDA 12.2.
#[doc(alias = "cudaEventWaitNodeParams")]
pub use crate::bindings::CUDA_EVENT_WAIT_NODE_PARAMS;

fields! {
    CUDA_EVENT_WAIT_NODE_PARAMS:
    /// The event for which the node waits.
    event,
}

/// The parameters of a node that allocates memory. Since CUDA 12.2.
#[doc(alias = "cudaMemAllocNodeParamsV2")]
pub use crate::bindings::CUDA_MEM_ALLOC_NODE_PARAMS_v2;

fields! {
    CUDA_MEM_ALLOC_NODE_PARAMS_v2:
    /// Where the memory is.
    poolProps,
    /// An array of devices and their access.
    accessDescs,
    /// The number of entries in the array.
    accessDescCount,
    /// The size in bytes.
    bytesize,
    /// Receives the address.
    dptr,
}

/// The properties of a memory pool, in a [`CUDA_MEM_ALLOC_NODE_PARAMS_v2`].
#[doc(alias = "cudaMemPoolProps")]
pub use crate::bindings::CUmemPoolProps;

fields! {
    CUmemPoolProps:
    /// [`CU_MEM_ALLOCATION_TYPE_PINNED`].
    allocType,
    /// The handle types that the pool's memory can be exported with.
    handleTypes,
    /// Where the memory is.
    location,
    /// For [`CU_MEM_HANDLE_TYPE_WIN32`], a pointer to Windows security attributes; otherwise null.
    win32SecurityAttributes,
    /// The greatest size of the pool in bytes; 0 for the default.
    maxSize,
    /// Bits about the use of the pool; 0 for none.
    usage,
    /// 1 requests memory that other PCI Express devices can access; otherwise 0.
    gpuDirectRDMACapable,
    /// Must be zero, as `default()` leaves it.
    reserved,
}

/// The parameters of a node that frees memory. Since CUDA 12.2.
#[doc(alias = "cudaMemFreeNodeParams")]
pub use crate::bindings::CUDA_MEM_FREE_NODE_PARAMS;

fields! {
    CUDA_MEM_FREE_NODE_PARAMS:
    /// The address of the memory that the node frees.
    dptr,
}

/// The parameters of a node with several memory operations. Since CUDA 12.2.
pub use crate::bindings::CUDA_BATCH_MEM_OP_NODE_PARAMS_v2;

fields! {
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2:
    /// The context in which the node runs.
    ctx,
    /// The number of operations.
    count,
    /// The operations.
    paramArray,
    /// Must be 0.
    flags,
}

/// One memory operation of a [`CUDA_BATCH_MEM_OP_NODE_PARAMS_v2`]. Every field of the union begins with the kind of
/// operation.
pub use crate::bindings::CUstreamBatchMemOpParams;

fields! {
    CUstreamBatchMemOpParams:
    /// The kind of operation, which every other field of the union begins with too.
    operation,
    /// For [`CU_STREAM_MEM_OP_WAIT_VALUE_32`] and [`CU_STREAM_MEM_OP_WAIT_VALUE_64`].
    waitValue,
    /// For [`CU_STREAM_MEM_OP_WRITE_VALUE_32`] and [`CU_STREAM_MEM_OP_WRITE_VALUE_64`].
    writeValue,
    /// For [`CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES`].
    flushRemoteWrites,
    /// For [`CU_STREAM_MEM_OP_BARRIER`].
    memoryBarrier,
    /// For [`CU_STREAM_MEM_OP_ATOMIC_REDUCTION`].
    atomicReduction,
    /// All bytes of the union, which `default()` sets to zero.
    pad,
}

/// A wait until a value in memory compares as wanted, in a [`CUstreamBatchMemOpParams`].
pub use crate::bindings::CUstreamBatchMemOpParams_waitValue;

fields! {
    CUstreamBatchMemOpParams_waitValue CUstreamBatchMemOpParams_writeValue:
    /// The kind of operation.
    operation,
    /// The address of the value in memory.
    address,
    /// The value to compare with or to write.
    operand,
    /// How to compare or write; 0 is the default.
    flags,
    /// For the driver. Its value does not matter.
    alias,
}

/// The value of a [`CUstreamBatchMemOpParams_waitValue`], of 32 or 64 bits.
pub use crate::bindings::CUstreamBatchMemOpParams_waitValue_operand;

fields! {
    CUstreamBatchMemOpParams_waitValue_operand CUstreamBatchMemOpParams_writeValue_operand:
    /// For an operation of 32 bits.
    value,
    /// For an operation of 64 bits.
    value64,
}

/// A write of a value to memory, in a [`CUstreamBatchMemOpParams`].
pub use crate::bindings::CUstreamBatchMemOpParams_writeValue;

/// The value of a [`CUstreamBatchMemOpParams_writeValue`], of 32 or 64 bits.
pub use crate::bindings::CUstreamBatchMemOpParams_writeValue_operand;

/// A flush of remote writes, in a [`CUstreamBatchMemOpParams`].
pub use crate::bindings::CUstreamBatchMemOpParams_flushRemoteWrites;

fields! {
    CUstreamBatchMemOpParams_flushRemoteWrites:
    /// The kind of operation.
    operation,
    /// Must be 0.
    flags,
}

/// A memory barrier, in a [`CUstreamBatchMemOpParams`].
pub use crate::bindings::CUstreamBatchMemOpParams_memoryBarrier;

fields! {
    CUstreamBatchMemOpParams_memoryBarrier:
    /// The kind of operation.
    operation,
    /// 0 for the whole system, 1 for the GPU only.
    flags,
}

/// An atomic operation on memory, in a [`CUstreamBatchMemOpParams`]. Since CUDA 13.1.
pub use crate::bindings::CUstreamBatchMemOpParams_atomicReduction;

fields! {
    CUstreamBatchMemOpParams_atomicReduction:
    /// The kind of operation.
    operation,
    /// Must be 0.
    flags,
    /// What is done with the two values.
    reductionOp,
    /// The type of the two values.
    dataType,
    /// The address of the value in memory.
    address,
    /// The other value.
    value,
    /// For the driver. Its value does not matter.
    alias,
}

/// The kind of a memory operation: which field of a [`CUstreamBatchMemOpParams`] is read.
///
/// | constant | field |
/// |---|---|
/// | [`CU_STREAM_MEM_OP_WAIT_VALUE_32`], [`CU_STREAM_MEM_OP_WAIT_VALUE_64`] | `waitValue` |
/// | [`CU_STREAM_MEM_OP_WRITE_VALUE_32`], [`CU_STREAM_MEM_OP_WRITE_VALUE_64`] | `writeValue` |
/// | [`CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES`] | `flushRemoteWrites` |
/// | [`CU_STREAM_MEM_OP_BARRIER`] | `memoryBarrier` |
/// | [`CU_STREAM_MEM_OP_ATOMIC_REDUCTION`] | `atomicReduction` |
pub use crate::bindings::CUstreamBatchMemOpType;
pub use crate::bindings::CUstreamBatchMemOpType_values::*;

/// The operation of a [`CUstreamBatchMemOpParams_atomicReduction`]: or, and, add. Since CUDA 13.1.
pub use crate::bindings::CUstreamAtomicReductionOpType;
pub use crate::bindings::CUstreamAtomicReductionOpType_values::*;

/// The type of the value of a [`CUstreamBatchMemOpParams_atomicReduction`]: unsigned, 32 or 64 bits. Since CUDA 13.1.
pub use crate::bindings::CUstreamAtomicReductionDataType;
pub use crate::bindings::CUstreamAtomicReductionDataType_values::*;

/// The parameters of a conditional node. Since CUDA 12.3.
#[doc(alias = "cudaConditionalNodeParams")]
pub use crate::bindings::CUDA_CONDITIONAL_NODE_PARAMS;

fields! {
    CUDA_CONDITIONAL_NODE_PARAMS:
    /// The condition.
    handle,
    /// What the node does with it.
    type_,
    /// The number of body graphs.
    size,
    /// Receives an array of the body graphs, which belongs to the node.
    phGraph_out,
    /// The context in which the node runs.
    ctx,
}

/// The condition of a conditional node: an opaque 64-bit number. Since CUDA 12.3.
#[doc(alias = "cudaGraphConditionalHandle")]
pub use crate::bindings::CUgraphConditionalHandle;

/// What a conditional node does. Since CUDA 12.3.
///
/// - [`CU_GRAPH_COND_TYPE_IF`]: runs its first body if the condition is not 0, else its second one, if it has one.
/// - [`CU_GRAPH_COND_TYPE_WHILE`]: runs its body as long as the condition is not 0.
/// - [`CU_GRAPH_COND_TYPE_SWITCH`]: runs the body whose index is the condition. Since CUDA 12.8.
#[doc(alias = "cudaGraphConditionalNodeType")]
pub use crate::bindings::CUgraphConditionalNodeType;
pub use crate::bindings::CUgraphConditionalNodeType_values::*;

/// The parameters of a node with several copies. Since CUDA 13.5.
pub use crate::bindings::CUDA_MEMCPY_BATCH_NODE_PARAMS_V1;

fields! {
    CUDA_MEMCPY_BATCH_NODE_PARAMS_V1:
    /// The number of copies.
    count,
    /// The destination addresses.
    dsts,
    /// The source addresses.
    srcs,
    /// The sizes in bytes.
    sizes,
    /// An array of attributes.
    attrs,
    /// For each entry in `attrs`, the first copy that it is for.
    attrsIdxs,
    /// The number of entries in `attrs`.
    numAttrs,
    /// The context in which the node runs; null for no preference.
    context,
}

/// The context in a [`CUDA_MEMCPY_BATCH_NODE_PARAMS_V1`].
pub use crate::bindings::CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context;

/// The attributes of some copies in a [`CUDA_MEMCPY_BATCH_NODE_PARAMS_V1`]. Since CUDA 12.8.
#[doc(alias = "cudaMemcpyAttributes")]
pub use crate::bindings::CUmemcpyAttributes;

fields! {
    CUmemcpyAttributes:
    /// When the source may be read.
    srcAccessOrder,
    /// A hint about the location of the source.
    srcLocHint,
    /// A hint about the location of the destination.
    dstLocHint,
    /// Flags of the copy; 0 for none.
    flags,
}

/// When a copy may read its source. Since CUDA 12.8.
///
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_STREAM`]: in the order of the stream.
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL`]: before the call returns.
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_ANY`]: at any time.
#[doc(alias = "cudaMemcpySrcAccessOrder")]
pub use crate::bindings::CUmemcpySrcAccessOrder;
pub use crate::bindings::CUmemcpySrcAccessOrder_values::*;

/// The parameters of a node with copies over an NVLink fabric. Since CUDA 13.5.
pub use crate::bindings::CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1;

fields! {
    CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1:
    /// The number of copies.
    numOps,
    /// The copies.
    opList,
    /// Must be 0.
    flags,
    /// The context in which the node runs; null for no preference.
    context,
}

/// The context in a [`CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1`].
pub use crate::bindings::CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context;

/// One copy of a [`CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1`]. Since CUDA 13.5.
pub use crate::bindings::CUDA_FABRIC_COPY_BATCH_OP;

fields! {
    CUDA_FABRIC_COPY_BATCH_OP:
    /// The source.
    src,
    /// The destination.
    dst,
    /// The size in bytes; 0 does nothing.
    size,
    /// Must be 0.
    flags,
}

/// The source or destination of a [`CUDA_FABRIC_COPY_BATCH_OP`]. Since CUDA 13.5.
pub use crate::bindings::CUfabricCpyOperand;

fields! {
    CUfabricCpyOperand:
    /// The kind of operand. It decides which field of `op` is read.
    type_,
    /// The address.
    op,
}

/// The address in a [`CUfabricCpyOperand`]: the field that goes with its `type_`.
pub use crate::bindings::CUfabricCpyOperand_op;

fields! {
    CUfabricCpyOperand_op:
    /// For [`CU_FABRIC_COPY_OPERAND_TYPE_POINTER`].
    ptr,
    /// For [`CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT`].
    le,
}

/// A pointer, in a [`CUfabricCpyOperand_op`].
pub use crate::bindings::CUfabricCpyOperand_op_ptr;

fields! {
    CUfabricCpyOperand_op_ptr:
    /// The address.
    ptr,
    /// A hint about the location of the memory.
    locHint,
}

/// A place in a logical endpoint, in a [`CUfabricCpyOperand_op`].
pub use crate::bindings::CUfabricCpyOperand_op_le;

fields! {
    CUfabricCpyOperand_op_le:
    /// The logical endpoint.
    id,
    /// The offset in it, in bytes.
    offset,
}

/// The kind of a [`CUfabricCpyOperand`]: a pointer or a logical endpoint. Since CUDA 13.5.
pub use crate::bindings::CUfabricCpyOperandType;
pub use crate::bindings::CUfabricCpyOperandType_values::*;

/// The number of a logical endpoint of an NVLink fabric. Since CUDA 13.3.
pub use crate::bindings::CUlogicalEndpointId;

/// An unsigned integer of 32 bits, in cuda.h's spelling.
pub use crate::bindings::cuuint32_t;

/// An unsigned integer of 64 bits, in cuda.h's spelling.
pub use crate::bindings::cuuint64_t;
