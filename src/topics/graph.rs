#![doc = page!("graph.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

#[path = "other_node_params.rs"]
pub mod node_params;

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

/// The form of [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS`] that [`cuGraphAddNode`] takes, inside a [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose unused bytes
/// are 0, both forms mean the same to every driver: a null context, which is no preference. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreSignalNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;

/// The context of a [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2`], an ordinary or a green one. Since CUDA 13.4.
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context;

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

/// The form of [`CUDA_EXT_SEM_WAIT_NODE_PARAMS`] that [`cuGraphAddNode`] takes, inside a [`CUgraphNodeParams`].
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

/// The parameters in a [`CUgraphNodeParams`]: one field of the union, by its `type_`.
///
/// This crate documents the semaphore nodes. The other fields complete the layout; their types are in [`node_params`].
pub use crate::bindings::CUgraphNodeParams_params;

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

/// A green context: a context on a part of a device's processors. It is an opaque handle of the driver: never
/// dereference it. Since CUDA 12.4.
pub use crate::bindings::CUgreenCtx;

/// The driver's private type behind [`CUgreenCtx`].
pub use crate::bindings::CUgreenCtx_st;
