//! The functions of [`crate::graph`].

#[cfg(doc)]
use crate::*; // for the links

/// Adds a node that signals external semaphores to a graph: in each launch it signals its semaphores once
/// everything that it depends on is done.
///
/// It does in a graph what [`cuSignalExternalSemaphoresAsync`] does in a stream.
///
/// # Parameters
///
/// - `phGraphNode`: where the node is put. It lives in the graph and goes with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after, none of them twice; null for none.
/// - `numDependencies`: how many these are.
/// - `nodeParams`: the semaphores and what is done to each. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, a dependency that is not in the graph or is there twice.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of semaphore that graphs do not take.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointers must be valid for their types and numbers. The semaphores must live for as long as the
/// graph, or one instantiated from it, may be launched. One thread at a time may use a graph.
///
/// Undone by [`cuGraphDestroy`] of the graph. Since CUDA 11.2. Source: driver API manual, "Graph
/// Management".
#[doc(alias = "cudaGraphAddExternalSemaphoresSignalNode")]
pub use crate::bindings::cuGraphAddExternalSemaphoresSignalNode;

/// Reads what a node that signals external semaphores was given.
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `params_out`: filled in. Its two arrays are the node's own: they are there until the node gets other
///   parameters or goes, and must not be written.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or another kind of node.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `params_out` must be valid, and the node's graph must not be destroyed. One thread at a time may use a
/// graph.
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExternalSemaphoresSignalNodeGetParams")]
pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeGetParams;

/// Gives a node that signals external semaphores other parameters.
///
/// It changes the graph, and what is instantiated from it later; for what is instantiated already there is
/// [`cuGraphExecExternalSemaphoresSignalNodeSetParams`].
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: the semaphores and what is done to each. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`]: a null pointer, another kind of node, a
///   handle that is none.
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

/// Gives a node of an instantiated graph other parameters, from the next launch on.
///
/// The cheap way to launch one graph again and again with other values of a timeline semaphore. Launches
/// that are enqueued or running already keep theirs, and the graph that it was instantiated from is not
/// changed.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
/// - `hNode`: the node, in the graph that it was instantiated from; it must still be there.
/// - `nodeParams`: the semaphores and what is done to each, as many as before.
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

/// Adds a node that waits for external semaphores to a graph: in each launch what depends on it starts once
/// its waits are over.
///
/// It does in a graph what [`cuWaitExternalSemaphoresAsync`] does in a stream.
///
/// # Parameters
///
/// - `phGraphNode`: where the node is put. It lives in the graph and goes with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after, none of them twice; null for none.
/// - `numDependencies`: how many these are.
/// - `nodeParams`: the semaphores and what is done to each. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, a dependency that is not in the graph or is there twice.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of semaphore that graphs do not take.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointers must be valid for their types and numbers. The semaphores must live for as long as the
/// graph, or one instantiated from it, may be launched. One thread at a time may use a graph.
///
/// Undone by [`cuGraphDestroy`] of the graph. Since CUDA 11.2. Source: driver API manual, "Graph
/// Management".
#[doc(alias = "cudaGraphAddExternalSemaphoresWaitNode")]
pub use crate::bindings::cuGraphAddExternalSemaphoresWaitNode;

/// Reads what a node that waits for external semaphores was given.
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `params_out`: filled in. Its two arrays are the node's own: they are there until the node gets other
///   parameters or goes, and must not be written.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or another kind of node.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `params_out` must be valid, and the node's graph must not be destroyed. One thread at a time may use a
/// graph.
///
/// Since CUDA 11.2. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExternalSemaphoresWaitNodeGetParams")]
pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeGetParams;

/// Gives a node that waits for external semaphores other parameters.
///
/// It changes the graph, and what is instantiated from it later; for what is instantiated already there is
/// [`cuGraphExecExternalSemaphoresWaitNodeSetParams`].
///
/// # Parameters
///
/// - `hNode`: the node.
/// - `nodeParams`: the semaphores and what is done to each. The driver copies both arrays.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`]: a null pointer, another kind of node, a
///   handle that is none.
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

/// Gives a node of an instantiated graph other parameters, from the next launch on.
///
/// The cheap way to launch one graph again and again with other values of a timeline semaphore. Launches
/// that are enqueued or running already keep theirs, and the graph that it was instantiated from is not
/// changed.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
/// - `hNode`: the node, in the graph that it was instantiated from; it must still be there.
/// - `nodeParams`: the semaphores and what is done to each, as many as before.
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

/// Makes an empty graph.
///
/// # Parameters
///
/// - `phGraph`: where the graph is put.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `phGraph` must be valid.
///
/// Undone by [`cuGraphDestroy`]. Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphCreate")]
pub use crate::bindings::cuGraphCreate;

/// Adds a node that sets device memory: work for the semaphore nodes to stand around.
///
/// # Parameters
///
/// - `phGraphNode`: where the node is put. It lives in the graph and goes with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after; null for none.
/// - `numDependencies`: how many these are.
/// - `memsetParams`: what is set to what. Copied.
/// - `ctx`: the context to run in; that of the memory.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, an element size other than 1, 2 or 4.
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: `ctx` is none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The memory must be there in every launch. One thread at a time may use a graph.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphAddMemsetNode")]
pub use crate::bindings::cuGraphAddMemsetNode;

/// Makes a graph ready for launching. The result is a copy: the graph itself may be changed or destroyed.
///
/// # Parameters
///
/// - `phGraphExec`: where the instantiated graph is put.
/// - `hGraph`: the graph.
/// - `flags`: 0, or `CUDA_GRAPH_INSTANTIATE_FLAG_` bits of cuda.h, which this crate does not bind.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the graph cannot be run, for example because it has a cycle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `phGraphExec` must be valid. One thread at a time may use a graph.
///
/// Undone by [`cuGraphExecDestroy`]. Since CUDA 11.4. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphInstantiate")]
pub use crate::bindings::cuGraphInstantiateWithFlags;

/// Enqueues one run of an instantiated graph in a stream.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph. Its launches run one after the other, never side by side.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a handle is none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What its nodes use (memory, semaphores) must live until the run is over. One thread at a time may use a
/// graph.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphLaunch")]
pub use crate::bindings::cuGraphLaunch;

/// Frees an instantiated graph. A run that is under way is finished first.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the handle is none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuGraphInstantiateWithFlags`] and be destroyed once only.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExecDestroy")]
pub use crate::bindings::cuGraphExecDestroy;

/// Frees a graph and its nodes. What was instantiated from it stays.
///
/// # Parameters
///
/// - `hGraph`: the graph.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the handle is none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuGraphCreate`] and be destroyed once only.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphDestroy")]
pub use crate::bindings::cuGraphDestroy;

pub use crate::bindings::{
    cuGraphAddNode_v2, cuGraphExecNodeSetParams, cuGraphNodeGetParams, cuGraphNodeSetParams,
};

pub use crate::bindings::{cuGraphAddNode, cuGraphInstantiate};
