//! The functions for graphs themselves, and for a node that fills memory.

#[cfg(doc)]
use crate::*; // for the links

/// Creates an empty graph.
///
/// # Parameters
///
/// - `phGraph`: receives the graph.
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
/// Destroy it with [`cuGraphDestroy`]. Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphCreate")]
pub use crate::bindings::cuGraphCreate;

/// Adds a node that fills device memory with a value, for example between the semaphore nodes.
///
/// cuda.h 13.5 announces that this function will be deprecated in favor of
/// [`cuGraphAddNode`](cuGraphAddNode_v2).
///
/// # Parameters
///
/// - `phGraphNode`: receives the node. It belongs to the graph and is destroyed with it.
/// - `hGraph`: the graph.
/// - `dependencies`: the nodes that it comes after; null for none.
/// - `numDependencies`: their number.
/// - `memsetParams`: the memory and the value. Copied.
/// - `ctx`: the context in which the node runs: that of the memory.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, an element size other than 1, 2 or 4.
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: `ctx` is not a valid context.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The memory must be valid in every launch. Only one thread at a time may use a graph.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphAddMemsetNode")]
pub use crate::bindings::cuGraphAddMemsetNode;

/// Instantiates a graph, so that it can be launched. The result is a copy: the graph itself may be changed or
/// destroyed afterwards.
///
/// # Parameters
///
/// - `phGraphExec`: receives the instantiated graph.
/// - `hGraph`: the graph.
/// - `flags`: 0, or the `CUDA_GRAPH_INSTANTIATE_FLAG_` bits of cuda.h, which this crate does not bind.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the graph cannot be run, for example because it has a cycle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `phGraphExec` must be valid. Only one thread at a time may use a graph.
///
/// Destroy it with [`cuGraphExecDestroy`]. Since CUDA 11.4. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphInstantiate")]
pub use crate::bindings::cuGraphInstantiateWithFlags;

/// The same as [`cuGraphInstantiateWithFlags`]. Before CUDA 12.0 the name stood for a function with other parameters.
#[doc(alias = "cudaGraphInstantiate")]
pub use crate::bindings::cuGraphInstantiate;

/// Enqueues one launch of an instantiated graph in a stream.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph. Its launches run one after the other, never concurrently.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The memory and semaphores that its nodes use must live until the launch is done. Only one thread at a time may use
/// a graph.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphLaunch")]
pub use crate::bindings::cuGraphLaunch;

/// Destroys an instantiated graph. A launch that is running completes first.
///
/// # Parameters
///
/// - `hGraphExec`: the instantiated graph.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuGraphInstantiateWithFlags`] and be destroyed only once.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphExecDestroy")]
pub use crate::bindings::cuGraphExecDestroy;

/// Destroys a graph and its nodes. Graphs that were instantiated from it are not affected.
///
/// # Parameters
///
/// - `hGraph`: the graph.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuGraphCreate`] and be destroyed only once.
///
/// Since CUDA 10.0. Source: driver API manual, "Graph Management".
#[doc(alias = "cudaGraphDestroy")]
pub use crate::bindings::cuGraphDestroy;
