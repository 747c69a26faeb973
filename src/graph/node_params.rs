//! The parameters of the other kinds of graph nodes, which [`CUgraphNodeParams`] can hold.
//!
//! They are here for the layout of that union. The functions that they belong to are out of this crate's scope.

#[cfg(doc)]
use crate::*; // for the links

pub use crate::bindings::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_CONDITIONAL_NODE_PARAMS,
    CUDA_EVENT_RECORD_NODE_PARAMS, CUDA_EVENT_WAIT_NODE_PARAMS, CUDA_FABRIC_COPY_BATCH_OP,
    CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1, CUDA_HOST_NODE_PARAMS_v2, CUDA_KERNEL_NODE_PARAMS_v3,
    CUDA_MEM_ALLOC_NODE_PARAMS_v2, CUDA_MEM_FREE_NODE_PARAMS, CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
    CUDA_MEMCPY_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS_v2, CUevent, CUevent_st, CUfabricCpyOperand,
    CUfabricCpyOperandType, CUfunc_st, CUfunction, CUgraphChildGraphNodeOwnership, CUgraphConditionalHandle,
    CUgraphConditionalNodeType, CUhostFn, CUkern_st, CUkernel, CUlogicalEndpointId, CUmemPoolProps,
    CUmemcpyAttributes, CUmemcpySrcAccessOrder, CUstreamAtomicReductionDataType,
    CUstreamAtomicReductionOpType, CUstreamBatchMemOpParams, CUstreamBatchMemOpType, cuuint32_t, cuuint64_t,
};

pub use crate::bindings::CUfabricCpyOperandType_values::*;
pub use crate::bindings::CUgraphChildGraphNodeOwnership_values::*;
pub use crate::bindings::CUgraphConditionalNodeType_values::*;
pub use crate::bindings::CUmemcpySrcAccessOrder_values::*;
pub use crate::bindings::CUstreamAtomicReductionDataType_values::*;
pub use crate::bindings::CUstreamAtomicReductionOpType_values::*;
pub use crate::bindings::CUstreamBatchMemOpType_values::*;

pub use crate::bindings::{
    CUDA_EVENT_RECORD_NODE_PARAMS_context, CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context,
    CUDA_HOST_NODE_PARAMS_v2_context, CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context, CUfabricCpyOperand_op,
    CUfabricCpyOperand_op_le, CUfabricCpyOperand_op_ptr, CUstreamBatchMemOpParams_atomicReduction,
    CUstreamBatchMemOpParams_flushRemoteWrites, CUstreamBatchMemOpParams_memoryBarrier,
    CUstreamBatchMemOpParams_waitValue, CUstreamBatchMemOpParams_waitValue_operand,
    CUstreamBatchMemOpParams_writeValue, CUstreamBatchMemOpParams_writeValue_operand,
};
