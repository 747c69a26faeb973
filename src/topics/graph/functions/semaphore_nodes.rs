//! The functions for the two kinds of semaphore nodes.

#[cfg(doc)]
use crate::*; // for the links

/// Adds a node to a graph that signals external semaphores. In each launch the node signals them when everything that
/// it depends on is done.
///
/// It does in a graph what [`cuSignalExternalSemaphoresAsync`] does in a stream. cuda.h 13.5 announces that this
/// function will be deprecated in favor of [`cuGraphAddNode`](cuGraphAddNode_v2).
///
/// # Parameters
///
/// - `phGraphNode`: receives the node. It belongs to the graph and is destroyed with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after, without duplicates; null for none.
/// - `numDependencies`: their number.
/// - `nodeParams`: the semaphores and each one's parameters. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: `phGraphNode`, `hGraph` or `nodeParams` is null, or a dependency is not in the graph or
///   is given twice.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of semaphore that graphs do not support.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Each array must have as many entries as its count says. The semaphores must live as long as the graph, or an
/// instance of it, may be launched. Only one thread at a time may use a graph.
///
/// *Measured* on driver 580.159.04: a null `extSemArray` or `paramsArray` ends the process with SIGSEGV. The semaphores
/// themselves are not checked when the node is added; a launch with a null semaphore ends the process with SIGSEGV.
///
/// [`cuGraphDestroy`] of the graph removes the node. Since CUDA 11.2. Source: driver API manual, "Graph
/// Management".
#[doc(alias = "cudaGraphAddExternalSemaphoresSignalNode")]
pub use crate::bindings::cuGraphAddExternalSemaphoresSignalNode;

/// Returns the parameters of a node that signals external semaphores.
///
/// cuda.h 13.5 announces that this function will be deprecated in favor of [`cuGraphNodeGetParams`].
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `params_out`: receives the parameters. Its two arrays belong to the node. They are valid until the node's
///   parameters change or the node is destroyed, and must not be written.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or another kind of node.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `params_out` must be valid, and the node's graph must not be destroyed. Only one thread at a time may use a
/// graph.
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExternalSemaphoresSignalNodeGetParams")]
pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeGetParams;

/// Sets the parameters of a node that signals external semaphores.
///
/// It changes the graph, and instances that are created from it later. To update an existing instance, use
/// [`cuGraphExecExternalSemaphoresSignalNodeSetParams`]. cuda.h 13.5 announces that this function will be deprecated
/// in favor of [`cuGraphNodeSetParams`].
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: the semaphores and each one's parameters. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`]: a null pointer, another kind of node, an
///   invalid handle.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddExternalSemaphoresSignalNode`].
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExternalSemaphoresSignalNodeSetParams")]
pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeSetParams;

/// Sets the parameters of a node of an instantiated graph, from the next launch on.
///
/// A graph can thus be launched many times, each time with other values of a timeline semaphore. Launches that are
/// already enqueued or running keep their values. The graph from which it was instantiated does not change. cuda.h
/// 13.5 announces that this function will be deprecated in favor of [`cuGraphExecNodeSetParams`].
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
/// - `hNode`: the node in the graph that it was instantiated from. It must still exist.
/// - `nodeParams`: the semaphores and each one's parameters, as many as before.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: another number of semaphores, another kind of node, a node of another
///   graph, a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddExternalSemaphoresSignalNode`].
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExecExternalSemaphoresSignalNodeSetParams")]
pub use crate::bindings::cuGraphExecExternalSemaphoresSignalNodeSetParams;

/// Adds a node to a graph that waits for external semaphores. In each launch the work that depends on the node starts
/// when the waits are over.
///
/// It does in a graph what [`cuWaitExternalSemaphoresAsync`] does in a stream. cuda.h 13.5 announces that this
/// function will be deprecated in favor of [`cuGraphAddNode`](cuGraphAddNode_v2).
///
/// # Parameters
///
/// - `phGraphNode`: receives the node. It belongs to the graph and is destroyed with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after, without duplicates; null for none.
/// - `numDependencies`: their number.
/// - `nodeParams`: the semaphores and each one's parameters. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: `phGraphNode`, `hGraph` or `nodeParams` is null, or a dependency is not in the graph or
///   is given twice.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of semaphore that graphs do not support.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Each array must have as many entries as its count says. The semaphores must live as long as the graph, or an
/// instance of it, may be launched. Only one thread at a time may use a graph.
///
/// *Measured* on driver 580.159.04: a null `extSemArray` or `paramsArray` ends the process with SIGSEGV. The semaphores
/// themselves are not checked when the node is added; a launch with a null semaphore ends the process with SIGSEGV.
///
/// [`cuGraphDestroy`] of the graph removes the node. Since CUDA 11.2. Source: driver API manual, "Graph
/// Management".
#[doc(alias = "cudaGraphAddExternalSemaphoresWaitNode")]
pub use crate::bindings::cuGraphAddExternalSemaphoresWaitNode;

/// Returns the parameters of a node that waits for external semaphores.
///
/// cuda.h 13.5 announces that this function will be deprecated in favor of [`cuGraphNodeGetParams`].
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `params_out`: receives the parameters. Its two arrays belong to the node. They are valid until the node's
///   parameters change or the node is destroyed, and must not be written.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or another kind of node.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `params_out` must be valid, and the node's graph must not be destroyed. Only one thread at a time may use a
/// graph.
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExternalSemaphoresWaitNodeGetParams")]
pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeGetParams;

/// Sets the parameters of a node that waits for external semaphores.
///
/// It changes the graph, and instances that are created from it later. To update an existing instance, use
/// [`cuGraphExecExternalSemaphoresWaitNodeSetParams`]. cuda.h 13.5 announces that this function will be deprecated in
/// favor of [`cuGraphNodeSetParams`].
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: the semaphores and each one's parameters. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`]: a null pointer, another kind of node, an
///   invalid handle.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddExternalSemaphoresWaitNode`].
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExternalSemaphoresWaitNodeSetParams")]
pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeSetParams;

/// Sets the parameters of a node of an instantiated graph, from the next launch on.
///
/// A graph can thus be launched many times, each time with other values of a timeline semaphore. Launches that are
/// already enqueued or running keep their values. The graph from which it was instantiated does not change. cuda.h
/// 13.5 announces that this function will be deprecated in favor of [`cuGraphExecNodeSetParams`].
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
/// - `hNode`: the node in the graph that it was instantiated from. It must still exist.
/// - `nodeParams`: the semaphores and each one's parameters, as many as before.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: another number of semaphores, another kind of node, a node of another
///   graph, a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphAddExternalSemaphoresWaitNode`].
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExecExternalSemaphoresWaitNodeSetParams")]
pub use crate::bindings::cuGraphExecExternalSemaphoresWaitNodeSetParams;
