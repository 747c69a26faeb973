//! The types of the fields of [`CUgraphNodeParams_params`] for nodes without semaphores.
//!
//! These types give the union its layout. Graph nodes for kernels, events, host functions and the like are out of this
//! crate's scope: each type's page says what the type is, and NVIDIA's manual says how to use the type (mainly "Graph
//! Management", and for memory operations "Stream Memory Operations"). Each field with the name `context` is a union of
//! an ordinary and a green context; null means no preference.

#[cfg(doc)]
use crate::*; // for the links

/// The parameters of a kernel node. Since CUDA 12.2.
#[doc(alias = "cudaKernelNodeParamsV2")]
pub use crate::bindings::CUDA_KERNEL_NODE_PARAMS_v3;

/// A kernel of a `CUlibrary`. The kernel is not bound to a context. An opaque handle. Since CUDA 12.0.
#[doc(alias = "cudaKernel_t")]
pub use crate::bindings::CUkernel;

/// The parameters of a copy node: one 3D copy. Since CUDA 12.2.
#[doc(alias = "cudaMemcpyNodeParams")]
pub use crate::bindings::CUDA_MEMCPY_NODE_PARAMS;

/// The parameters of a memset node: the fields of [`CUDA_MEMSET_NODE_PARAMS`] and a context. Since CUDA 12.2.
#[doc(alias = "cudaMemsetParamsV2")]
pub use crate::bindings::CUDA_MEMSET_NODE_PARAMS_v2;

/// The parameters of a host node: a function that the CPU calls. Since CUDA 12.2.
#[doc(alias = "cudaHostNodeParamsV2")]
pub use crate::bindings::CUDA_HOST_NODE_PARAMS_v2;

/// A host function, for host nodes and [`cuLaunchHostFunc`]. The function receives `userData` and must not call CUDA.
#[doc(alias = "cudaHostFn_t")]
pub use crate::bindings::CUhostFn;

/// The parameters of a child graph node. Since CUDA 12.2.
#[doc(alias = "cudaChildGraphNodeParams")]
pub use crate::bindings::CUDA_CHILD_GRAPH_NODE_PARAMS;

/// Who owns the graph of a child graph node. Since CUDA 12.9.
///
/// - [`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE`]: the node gets a copy of the graph.
/// - [`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE`]: the graph to which the node is added takes the child graph over.
/// - [`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID`]: [`cuGraphNodeGetParams`] writes this value. The value prevents adding
///   a node with the returned graph, which the driver owns. Since CUDA 13.2.
#[doc(alias = "cudaGraphChildGraphNodeOwnership")]
pub use crate::bindings::CUgraphChildGraphNodeOwnership;
pub use crate::bindings::CUgraphChildGraphNodeOwnership_values::*;

/// The parameters of a node that records an event. Since CUDA 12.2.
#[doc(alias = "cudaEventRecordNodeParams")]
pub use crate::bindings::CUDA_EVENT_RECORD_NODE_PARAMS;

/// The parameters of a node that waits for an event. Since CUDA 12.2.
#[doc(alias = "cudaEventWaitNodeParams")]
pub use crate::bindings::CUDA_EVENT_WAIT_NODE_PARAMS;

/// The parameters of a node that allocates memory. Since CUDA 12.2.
#[doc(alias = "cudaMemAllocNodeParamsV2")]
pub use crate::bindings::CUDA_MEM_ALLOC_NODE_PARAMS_v2;

/// The properties of a memory pool, in a [`CUDA_MEM_ALLOC_NODE_PARAMS_v2`].
#[doc(alias = "cudaMemPoolProps")]
pub use crate::bindings::CUmemPoolProps;

/// The parameters of a node that frees memory. Since CUDA 12.2.
#[doc(alias = "cudaMemFreeNodeParams")]
pub use crate::bindings::CUDA_MEM_FREE_NODE_PARAMS;

/// The kind of a memory operation. It selects the field of a [`CUstreamBatchMemOpParams`] that the driver reads.
///
/// | constant | field |
/// |---|---|
/// | [`CU_STREAM_MEM_OP_WAIT_VALUE_32`], [`CU_STREAM_MEM_OP_WAIT_VALUE_64`] | `waitValue` |
/// | [`CU_STREAM_MEM_OP_WRITE_VALUE_32`], [`CU_STREAM_MEM_OP_WRITE_VALUE_64`] | `writeValue` |
/// | [`CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES`] | `flushRemoteWrites` |
/// | [`CU_STREAM_MEM_OP_BARRIER`] | `memoryBarrier` |
/// | [`CU_STREAM_MEM_OP_ATOMIC_REDUCTION`], since CUDA 13.1 | `atomicReduction` |
pub use crate::bindings::CUstreamBatchMemOpType;
pub use crate::bindings::CUstreamBatchMemOpType_values::*;

/// The operation of a [`CUstreamBatchMemOpParams_atomicReduction`]: `|`, `&` or `+`. Since CUDA 13.1.
pub use crate::bindings::CUstreamAtomicReductionOpType;
pub use crate::bindings::CUstreamAtomicReductionOpType_values::*;

/// The integer type of a [`CUstreamBatchMemOpParams_atomicReduction`]: unsigned, 32 or 64 bits. Since CUDA 13.1.
pub use crate::bindings::CUstreamAtomicReductionDataType;
pub use crate::bindings::CUstreamAtomicReductionDataType_values::*;

/// The parameters of a conditional node. Since CUDA 12.3.
#[doc(alias = "cudaConditionalNodeParams")]
pub use crate::bindings::CUDA_CONDITIONAL_NODE_PARAMS;

/// A handle of the condition of a conditional node: an opaque 64-bit number. Since CUDA 12.3.
#[doc(alias = "cudaGraphConditionalHandle")]
pub use crate::bindings::CUgraphConditionalHandle;

/// What a conditional node does. Since CUDA 12.3.
///
/// - [`CU_GRAPH_COND_TYPE_IF`]: runs the first body if the condition is not 0, and otherwise the second body, if any. A
///   second body is possible since CUDA 12.8.
/// - [`CU_GRAPH_COND_TYPE_WHILE`]: runs the body as long as the condition is not 0.
/// - [`CU_GRAPH_COND_TYPE_SWITCH`]: runs the body whose index is the condition, if there is such a body. Since
///   CUDA 12.8.
#[doc(alias = "cudaGraphConditionalNodeType")]
pub use crate::bindings::CUgraphConditionalNodeType;
pub use crate::bindings::CUgraphConditionalNodeType_values::*;

/// The attributes of one or more copies. Since CUDA 12.8; in a [`CUDA_MEMCPY_BATCH_NODE_PARAMS_V1`] since CUDA 13.5.
#[doc(alias = "cudaMemcpyAttributes")]
pub use crate::bindings::CUmemcpyAttributes;

/// When a copy may read its source. Since CUDA 12.8.
///
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_INVALID`]: the number 0, which is not allowed.
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_STREAM`]: in the order of the stream.
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL`]: only during the call that enqueues the copy.
/// - [`CU_MEMCPY_SRC_ACCESS_ORDER_ANY`]: at any time.
#[doc(alias = "cudaMemcpySrcAccessOrder")]
pub use crate::bindings::CUmemcpySrcAccessOrder;
pub use crate::bindings::CUmemcpySrcAccessOrder_values::*;

/// The kind of a [`CUfabricCpyOperand`]: a pointer or a logical endpoint. Since CUDA 13.5.
pub use crate::bindings::CUfabricCpyOperandType;
pub use crate::bindings::CUfabricCpyOperandType_values::*;

/// The ID of a logical endpoint of a fabric. Since CUDA 13.3.
pub use crate::bindings::CUlogicalEndpointId;

/// The parameters of a node with several operations.
///
/// - [`CUDA_BATCH_MEM_OP_NODE_PARAMS_v2`]: memory operations. Since CUDA 12.2.
/// - [`CUDA_MEMCPY_BATCH_NODE_PARAMS_V1`]: copies. Since CUDA 13.5.
/// - [`CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1`]: copies over a fabric. Since CUDA 13.5.
pub use crate::bindings::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1, CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
};

/// The preferred context in the parameters of a node: an ordinary context (`ctx`) or a green one (`gCtx`). Since CUDA
/// 13.4; for nodes with several copies since CUDA 13.5.
pub use crate::bindings::{
    CUDA_EVENT_RECORD_NODE_PARAMS_context, CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context,
    CUDA_HOST_NODE_PARAMS_v2_context, CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context,
};

/// One memory operation of a [`CUDA_BATCH_MEM_OP_NODE_PARAMS_v2`], or a part of such an operation. In the union
/// [`CUstreamBatchMemOpParams`] each field except `pad` begins with the kind of operation. The field `atomicReduction`
/// exists since CUDA 13.1.
pub use crate::bindings::{
    CUstreamBatchMemOpParams, CUstreamBatchMemOpParams_atomicReduction,
    CUstreamBatchMemOpParams_flushRemoteWrites, CUstreamBatchMemOpParams_memoryBarrier,
    CUstreamBatchMemOpParams_waitValue, CUstreamBatchMemOpParams_waitValue_operand,
    CUstreamBatchMemOpParams_writeValue, CUstreamBatchMemOpParams_writeValue_operand,
};

/// One copy of a [`CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1`], or an operand of such a copy: its source or its
/// destination. An operand is a pointer, or an offset in a logical endpoint. Since CUDA 13.5.
pub use crate::bindings::{
    CUDA_FABRIC_COPY_BATCH_OP, CUfabricCpyOperand, CUfabricCpyOperand_op, CUfabricCpyOperand_op_le,
    CUfabricCpyOperand_op_ptr,
};

/// [`cuuint32_t`] and [`cuuint64_t`] are cuda.h's unsigned integers of 32 and 64 bits. [`CUkern_st`] is the driver's
/// private struct, to which a [`CUkernel`] points.
pub use crate::bindings::{CUkern_st, cuuint32_t, cuuint64_t};
