#![doc = page!("graph.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
pub mod node_params;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// The parameters of a node that signals external semaphores: two arrays of one length.
///
/// ```
/// use cuda_external_sys::*;
///
/// let mut semaphores: [CUexternalSemaphore; 1] = [std::ptr::null_mut()]; // imported ones
/// let params = [CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default()];
/// let node = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
///     extSemArray: semaphores.as_mut_ptr(),
///     paramsArray: params.as_ptr(),
///     numExtSems: 1,
/// };
/// assert_eq!(node.numExtSems as usize, params.len());
/// ```
#[doc(alias = "cudaExternalSemaphoreSignalNodeParams")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;

fields! {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2:
    /// The semaphores that the node signals. The node keeps a copy of the array.
    extSemArray,
    /// One entry for each semaphore. The node keeps a copy of the array.
    paramsArray,
    /// The number of entries in both arrays.
    numExtSems,
    /// The context in which the node runs; null for no preference. Since CUDA 13.4.
    context,
}

/// [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS`] as [`cuGraphAddNode`] takes it, inside a
/// [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose unused bytes
/// are 0, both forms mean the same to every driver: a null context, which is no preference. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreSignalNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;

/// The context of a [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2`], an ordinary or a green one. Since CUDA 13.4.
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context;

fields! {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context CUDA_HOST_NODE_PARAMS_v2_context CUDA_EVENT_RECORD_NODE_PARAMS_context CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_context CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_context:
    /// An ordinary context.
    ctx,
    /// A green context, which is a part of a device's processors.
    gCtx,
}

/// The parameters of a node that waits for external semaphores: two arrays of one length.
///
/// ```
/// use cuda_external_sys::*;
///
/// let mut semaphores: [CUexternalSemaphore; 1] = [std::ptr::null_mut()]; // imported ones
/// let params = [CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default()];
/// let node = CUDA_EXT_SEM_WAIT_NODE_PARAMS {
///     extSemArray: semaphores.as_mut_ptr(),
///     paramsArray: params.as_ptr(),
///     numExtSems: 1,
/// };
/// assert_eq!(node.numExtSems as usize, params.len());
/// ```
#[doc(alias = "cudaExternalSemaphoreWaitNodeParams")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS;

fields! {
    CUDA_EXT_SEM_WAIT_NODE_PARAMS CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2:
    /// The semaphores for which the node waits. The node keeps a copy of the array.
    extSemArray,
    /// One entry for each semaphore. The node keeps a copy of the array.
    paramsArray,
    /// The number of entries in both arrays.
    numExtSems,
    /// The context in which the node runs; null for no preference. Since CUDA 13.4.
    context,
}

/// [`CUDA_EXT_SEM_WAIT_NODE_PARAMS`] as [`cuGraphAddNode`] takes it, inside a
/// [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose unused bytes
/// are 0, both forms mean the same to every driver: a null context, which is no preference. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreWaitNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2;

/// The context of a [`CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2`], an ordinary or a green one. Since CUDA 13.4.
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context;

/// The memory that [`cuGraphAddMemsetNode`] fills, and the value: rows of elements, each of 1, 2 or 4 bytes.
#[doc(alias = "cudaMemsetParams")]
pub use crate::bindings::CUDA_MEMSET_NODE_PARAMS;

fields! {
    CUDA_MEMSET_NODE_PARAMS CUDA_MEMSET_NODE_PARAMS_v2:
    /// The address of the first element, aligned to `elementSize`.
    dst,
    /// The distance from one row to the next in bytes. Not read if `height` is 1.
    pitch,
    /// The value of each element; its low `elementSize` bytes are used.
    value,
    /// The size of an element in bytes: 1, 2 or 4.
    elementSize,
    /// The number of elements in a row.
    width,
    /// The number of rows.
    height,
    /// The context in which the node runs.
    ctx,
}

/// A graph: nodes of work and the dependencies between them. From [`cuGraphCreate`].
#[doc(alias = "cudaGraph_t")]
pub use crate::bindings::CUgraph;

/// The driver's private type behind [`CUgraph`].
pub use crate::bindings::CUgraph_st;

/// An instantiated graph, which can be launched. From [`cuGraphInstantiate`].
#[doc(alias = "cudaGraphExec_t")]
pub use crate::bindings::CUgraphExec;

/// The driver's private type behind [`CUgraphExec`].
pub use crate::bindings::CUgraphExec_st;

/// A node of a [`CUgraph`], which owns it.
#[doc(alias = "cudaGraphNode_t")]
pub use crate::bindings::CUgraphNode;

/// The driver's private type behind [`CUgraphNode`].
pub use crate::bindings::CUgraphNode_st;

/// A node's kind and its parameters, for [`cuGraphAddNode`] and its relatives.
///
/// Begin with `default()`: all bytes that are not used must be zero. Then set `type_` and the field of `params`
/// that goes with it. Reading another field of the union is undefined behavior. Since CUDA 12.2.
///
/// ```
/// use cuda_external_sys::*;
///
/// /// A node that waits until a timeline semaphore has the value 7.
/// fn wait_node(semaphore: &mut CUexternalSemaphore, wait: &mut CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) -> CUgraphNodeParams {
///     wait.params.fence.value = 7;
///     let mut node = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, ..Default::default() };
///     node.params.extSemWait = CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
///         extSemArray: semaphore,
///         paramsArray: wait,
///         numExtSems: 1,
///         ..Default::default()
///     };
///     node
/// }
/// # wait_node(&mut std::ptr::null_mut(), &mut Default::default());
/// ```
#[doc(alias = "cudaGraphNodeParams")]
pub use crate::bindings::CUgraphNodeParams;

fields! {
    CUgraphNodeParams:
    /// The kind of the node. It decides which field of `params` is read.
    type_,
    /// Must be zero, as `default()` leaves it.
    reserved0,
    /// The parameters: the field of the union that goes with `type_`. Its other bytes must be zero.
    params,
    /// Must be 0, as `default()` leaves it.
    reserved2,
}

/// The parameters in a [`CUgraphNodeParams`]: one field of the union, by its `type_`.
///
/// This crate documents the semaphore nodes. The other fields complete the layout; their types are in [`node_params`].
pub use crate::bindings::CUgraphNodeParams_params;

fields! {
    CUgraphNodeParams_params:
    /// All bytes of the union, which `default()` sets to zero.
    reserved1,
    /// For [`CU_GRAPH_NODE_TYPE_KERNEL`].
    kernel,
    /// For [`CU_GRAPH_NODE_TYPE_MEMCPY`].
    memcpy,
    /// For [`CU_GRAPH_NODE_TYPE_MEMSET`].
    memset,
    /// For [`CU_GRAPH_NODE_TYPE_HOST`].
    host,
    /// For [`CU_GRAPH_NODE_TYPE_GRAPH`].
    graph,
    /// For [`CU_GRAPH_NODE_TYPE_WAIT_EVENT`].
    eventWait,
    /// For [`CU_GRAPH_NODE_TYPE_EVENT_RECORD`].
    eventRecord,
    /// For [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL`].
    extSemSignal,
    /// For [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT`].
    extSemWait,
    /// For [`CU_GRAPH_NODE_TYPE_MEM_ALLOC`].
    alloc,
    /// For [`CU_GRAPH_NODE_TYPE_MEM_FREE`].
    free,
    /// For [`CU_GRAPH_NODE_TYPE_BATCH_MEM_OP`].
    memOp,
    /// For [`CU_GRAPH_NODE_TYPE_CONDITIONAL`]. Since CUDA 12.3.
    conditional,
    /// For [`CU_GRAPH_NODE_TYPE_MEMCPY_BATCH`]. Since CUDA 13.5.
    memcpyBatch,
    /// For [`CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH`]. Since CUDA 13.5.
    fabricCpyBatch,
    /// The union as bytes.
    asBytes,
}

/// The kind of a graph node.
///
/// | constant | field of [`CUgraphNodeParams_params`] |
/// |---|---|
/// | [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL`] | `extSemSignal` |
/// | [`CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT`] | `extSemWait` |
/// | [`CU_GRAPH_NODE_TYPE_MEMSET`] | `memset` |
/// | [`CU_GRAPH_NODE_TYPE_MEMCPY`] | `memcpy` |
/// | [`CU_GRAPH_NODE_TYPE_KERNEL`] | `kernel` |
/// | [`CU_GRAPH_NODE_TYPE_HOST`] | `host` |
/// | [`CU_GRAPH_NODE_TYPE_GRAPH`] | `graph` |
/// | [`CU_GRAPH_NODE_TYPE_EMPTY`] | none |
/// | [`CU_GRAPH_NODE_TYPE_WAIT_EVENT`], [`CU_GRAPH_NODE_TYPE_EVENT_RECORD`] | `eventWait`, `eventRecord` |
/// | [`CU_GRAPH_NODE_TYPE_MEM_ALLOC`], [`CU_GRAPH_NODE_TYPE_MEM_FREE`] | `alloc`, `free` |
/// | [`CU_GRAPH_NODE_TYPE_BATCH_MEM_OP`] | `memOp` |
/// | [`CU_GRAPH_NODE_TYPE_CONDITIONAL`] | `conditional` |
/// | [`CU_GRAPH_NODE_TYPE_MEMCPY_BATCH`], [`CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH`] | `memcpyBatch`, `fabricCpyBatch` |
#[doc(alias = "cudaGraphNodeType")]
pub use crate::bindings::CUgraphNodeType;
pub use crate::bindings::CUgraphNodeType_values::*;

/// A kind of dependency between two nodes, for [`cuGraphAddNode`]. `default()` is the ordinary one: the second
/// node starts when the first one is done. Other kinds exist between kernels only. Since CUDA 12.3.
#[doc(alias = "cudaGraphEdgeData")]
pub use crate::bindings::CUgraphEdgeData;

fields! {
    CUgraphEdgeData:
    /// The moment of the first node that the second one waits for; 0 is its end. Only kernel nodes have
    /// others.
    from_port,
    /// The part of the second node that waits; must be 0.
    to_port,
    /// The kind of dependency; 0 is the ordinary one.
    type_,
    /// Must be zero, as `default()` leaves it.
    reserved,
}

/// A green context: a context on a part of a device's processors. An opaque handle of the driver, never
/// dereferenced. Since CUDA 12.4.
pub use crate::bindings::CUgreenCtx;

/// The driver's private type behind [`CUgreenCtx`].
pub use crate::bindings::CUgreenCtx_st;
