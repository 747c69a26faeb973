//! The functions for nodes of any kind.

#[cfg(doc)]
use crate::*; // for the links

/// Adds a node of any kind to a graph.
///
/// It replaces the functions for one kind of node, such as [`cuGraphAddExternalSemaphoresSignalNode`] and
/// [`cuGraphAddExternalSemaphoresWaitNode`]. cuda.h 13.5 announces their deprecation. Only this function can give such a
/// node a context of its own.
///
/// cuda.h 13.5 also has a `cuGraphAddNode_v3`, which differs for kernel nodes only. The plain name means this function.
///
/// # Parameters
///
/// - `phGraphNode`: receives the node. It belongs to the graph and is destroyed with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after, each of them once; null for none.
/// - `dependencyData`: one entry for each dependency; null for ordinary dependencies.
/// - `numDependencies`: the number of dependencies.
/// - `nodeParams`: `type_` and the field of `params` that goes with it; all other bytes must be zero. The driver
///   copies the arrays of the semaphore nodes. For memory allocation and conditional nodes it also receives
///   results.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, an unknown `type_`, bytes that are not zero, a dependency
///   that is not in the graph or occurs twice.
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: an invalid context in the parameters.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of node or semaphore that graphs do not support.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Each array must have as many entries as its count says. The semaphores must live as long as the graph, or an
/// instance of it, may be launched. Only one thread at a time may use a graph.
///
/// # Example
///
/// ```no_run
/// use cuda_external_sys::*;
/// use std::ptr;
///
/// # #[cfg(any(feature = "load", feature = "link"))]
/// /// Adds a node that sets a timeline semaphore to `value` after `work`.
/// unsafe fn add_signal(
///     graph: CUgraph,
///     work: CUgraphNode,
///     mut semaphore: CUexternalSemaphore,
///     value: u64,
/// ) -> Result<CUgraphNode, CUresult> {
///     let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
///     signal.params.fence.value = value;
///     let mut params = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, ..Default::default() };
///     params.params.extSemSignal = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
///         extSemArray: &mut semaphore,
///         paramsArray: &signal,
///         numExtSems: 1,
///         ..Default::default()
///     };
///     let mut node = ptr::null_mut();
///     unsafe { cuGraphAddNode_v2(&mut node, graph, &work, ptr::null(), 1, &mut params).result()? };
///     Ok(node)
/// }
/// ```
///
/// [`cuGraphDestroy`] of the graph removes the node. Since CUDA 12.3. Source: driver API manual, "Graph
/// Management", and cuda.h 13.5 for the deprecation.
#[doc(alias = "cudaGraphAddNode")]
pub use crate::bindings::cuGraphAddNode_v2;

/// The same as [`cuGraphAddNode_v2`]. Before CUDA 13.0 the name stood for a function without `dependencyData`.
#[doc(alias = "cudaGraphAddNode")]
pub use crate::bindings::cuGraphAddNode;

/// Returns the parameters of a node of any kind.
///
/// They describe the node. They may differ from the parameters with which it was created, and may not be suitable for
/// creating another node, because the driver fills in defaults.
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: receives the parameters. The driver owns the memory that its pointers point to. It is valid until the
///   node is destroyed and must not be written.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or an invalid node.
/// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 13.2, driver 580.159.04 for
///   example (measured). The functions for one kind of node work there.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `nodeParams` must be valid, and the node's graph must not be destroyed. Only one thread at a time may use a
/// graph.
///
/// Since CUDA 13.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphNodeGetParams")]
pub use crate::bindings::cuGraphNodeGetParams;

/// Sets the parameters of a node of any kind.
///
/// It changes the graph, and instances that are created from it later. [`cuGraphExecNodeSetParams`] updates an
/// existing instance.
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: `type_`, which must be the node's, and the field of `params` that goes with it; all other
///   bytes are zero. The driver copies the arrays of the semaphore nodes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, another kind of node, bytes that are not zero.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a memory allocation or memory free node.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddNode_v2`].
///
/// Since CUDA 12.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphNodeSetParams")]
pub use crate::bindings::cuGraphNodeSetParams;

/// Sets the parameters of a node of any kind.
///
/// It differs from [`cuGraphNodeSetParams`] for kernel nodes only: it checks that the context is the kernel's.
/// Semaphore nodes do not need it (cuda.h 13.5).
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: as for [`cuGraphNodeSetParams`].
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuGraphNodeSetParams`].
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: the context of a kernel node is not its kernel's.
/// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 13.4.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddNode_v2`].
///
/// Since CUDA 13.4. Source: driver API manual, "Graph Management". It has not been run on a GPU yet.
#[doc(alias = "cudaGraphNodeSetParams")]
pub use crate::bindings::cuGraphNodeSetParams_v2;

/// Sets the parameters of a node in an instantiated graph, from the next launch on.
///
/// A graph can thus be launched many times, each time with other values of a timeline semaphore. Launches that are
/// already enqueued or running keep their values. The graph from which it was instantiated does not change.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
/// - `hNode`: the node, in the graph that it was instantiated from. It must not have been removed.
/// - `nodeParams`: as for [`cuGraphNodeSetParams`]. For semaphore nodes the number of semaphores and the context must not
///   change. For memset and memcpy nodes only the addresses of one-dimensional fills and copies may change, within
///   memory of the same context.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: another kind of node, another number of semaphores, another context, a node
///   of another graph, a null pointer.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a memory allocation or memory free node.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddNode_v2`].
///
/// Since CUDA 12.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExecNodeSetParams")]
pub use crate::bindings::cuGraphExecNodeSetParams;

/// Returns the nodes of a graph, for example those of a [captured](crate::capture) stream.
///
/// # Parameters
///
/// - `hGraph`: the graph.
/// - `nodes`: receives the nodes, or null to ask for their number alone. Entries behind the last node become null.
/// - `numNodes`: the number of entries of `nodes`; receives the number of nodes that were written, or of all nodes where
///   `nodes` is null.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid graph or a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `numNodes` must be valid, and `nodes` must be null or valid for writing `*numNodes` nodes. Only one thread at a
/// time may use a graph.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphGetNodes")]
pub use crate::bindings::cuGraphGetNodes;

/// Returns the kind of a node.
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `type_`: receives its kind.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid node or a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `type_` must be valid for writing a [`CUgraphNodeType`]. The node's graph must not be destroyed. Only one thread at a
/// time may use a graph.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphNodeGetType")]
pub use crate::bindings::cuGraphNodeGetType;
