#![doc = page!("graph.md")]

#[cfg(doc)]
use crate::*; // for the links

#[path = "other_node_params.rs"]
pub mod node_params;

/// The parameters of a node that signals external semaphores: two arrays of one length. [Graphs](self) has an example.
#[doc(alias = "cudaExternalSemaphoreSignalNodeParams")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;

/// The form of [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS`] that [`cuGraphAddNode`] takes, inside a [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose unused
/// bytes are 0, both forms mean the same to every driver: a null context, which is no preference. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreSignalNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;

/// The parameters of a node that waits for external semaphores: two arrays of one length, as in
/// [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS`].
#[doc(alias = "cudaExternalSemaphoreWaitNodeParams")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS;

/// The form of [`CUDA_EXT_SEM_WAIT_NODE_PARAMS`] that [`cuGraphAddNode`] takes, inside a [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose unused
/// bytes are 0, both forms mean the same to every driver: a null context, which is no preference. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreWaitNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2;

/// The context of a semaphore node, an ordinary or a green one, in the node's parameters. Since CUDA 13.4.
pub use crate::bindings::{
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context, CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context,
};

/// The memory that [`cuGraphAddMemsetNode`] fills, and the value. The memory is rows of elements of 1, 2 or 4 bytes.
#[doc(alias = "cudaMemsetParams")]
pub use crate::bindings::CUDA_MEMSET_NODE_PARAMS;

/// A graph: nodes of work and the dependencies between them. From [`cuGraphCreate`].
#[doc(alias = "cudaGraph_t")]
pub use crate::bindings::CUgraph;

/// An instantiated graph, which can be launched. From [`cuGraphInstantiate`].
#[doc(alias = "cudaGraphExec_t")]
pub use crate::bindings::CUgraphExec;

/// A node of a [`CUgraph`], which owns it.
#[doc(alias = "cudaGraphNode_t")]
pub use crate::bindings::CUgraphNode;

/// A node's kind and its parameters, for [`cuGraphAddNode`] and its relatives.
///
/// Begin with `default()`: all bytes that are not used must be zero. Then set `type_` and the field of `params`
/// that goes with it. Reading another field of the union may be undefined behavior. [`cuGraphAddNode_v2`] has an
/// example. Since CUDA 12.2.
#[doc(alias = "cudaGraphNodeParams")]
pub use crate::bindings::CUgraphNodeParams;

/// The parameters in a [`CUgraphNodeParams`]: one field of the union, selected by its `type_`.
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

/// A kind of dependency between two nodes, for [`cuGraphAddNode`]. `default()` is an ordinary dependency: the second
/// node starts when the first one is done. Other kinds exist between kernels only. Since CUDA 12.3.
#[doc(alias = "cudaGraphEdgeData")]
pub use crate::bindings::CUgraphEdgeData;

/// A green context: a context that uses a part of a device's processors. An opaque handle of the driver: never
/// dereference it. Since CUDA 12.4.
pub use crate::bindings::CUgreenCtx;

/// The driver's private structs, to which [`CUgraph`], [`CUgraphExec`], [`CUgraphNode`] and [`CUgreenCtx`] point.
pub use crate::bindings::{CUgraph_st, CUgraphExec_st, CUgraphNode_st, CUgreenCtx_st};

export_functions! {
    /// Creates an empty graph.
    ///
    /// # Parameters
    ///
    /// - `flags`: must be 0.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_OUT_OF_MEMORY`].
    ///
    /// # Safety
    ///
    /// `phGraph` must be valid for writing a pointer.
    ///
    /// Destroy it with [`cuGraphDestroy`].
    #[doc(alias = "cudaGraphCreate")]
    pub use crate::bindings::cuGraphCreate;

    /// Adds a node that fills device memory with a value, for example between the semaphore nodes.
    ///
    /// cuda.h 13.5 announces that this function will be deprecated in favor of
    /// [`cuGraphAddNode`](cuGraphAddNode_v2).
    ///
    /// # Parameters
    ///
    /// - `dependencies`: the nodes that the new node depends on; null for none.
    /// - `memsetParams`: the memory and the value. The driver reads them during the call.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, an element size other than 1, 2 or 4.
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: `ctx` is not a valid context.
    ///
    /// # Safety
    ///
    /// The memory must be valid in every launch. Only one thread at a time may use a graph.
    #[doc(alias = "cudaGraphAddMemsetNode")]
    pub use crate::bindings::cuGraphAddMemsetNode;

    /// Instantiates a graph for launches. The instance is a copy: the graph may be changed or destroyed afterwards.
    ///
    /// # Parameters
    ///
    /// - `flags`: 0, or bits of cuda.h's `CUDA_GRAPH_INSTANTIATE_FLAG_`, which this crate does not bind.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the graph cannot be run, for example because it has a cycle.
    ///
    /// # Safety
    ///
    /// `phGraphExec` must be valid for writing a pointer. Only one thread at a time may use a graph.
    ///
    /// Destroy it with [`cuGraphExecDestroy`].
    #[doc(alias = "cudaGraphInstantiate")]
    pub use crate::bindings::cuGraphInstantiateWithFlags;

    /// The same as [`cuGraphInstantiateWithFlags`]. Before CUDA 12.0 the name meant a function with other parameters.
    #[doc(alias = "cudaGraphInstantiate")]
    pub use crate::bindings::cuGraphInstantiate;

    /// Enqueues one launch of an instantiated graph in a stream.
    ///
    /// # Parameters
    ///
    /// - `hGraphExec`: the instantiated graph. Its launches run one after the other, never concurrently.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid handle.
    ///
    /// # Safety
    ///
    /// The memory and semaphores that its nodes use must live until the launch is done. Only one thread at a time may
    /// use a graph.
    #[doc(alias = "cudaGraphLaunch")]
    pub use crate::bindings::cuGraphLaunch;

    /// Destroys an instantiated graph. A launch that is running still completes.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid handle.
    ///
    /// # Safety
    ///
    /// The instantiated graph must come from [`cuGraphInstantiateWithFlags`] and be destroyed only once.
    #[doc(alias = "cudaGraphExecDestroy")]
    pub use crate::bindings::cuGraphExecDestroy;

    /// Destroys a graph and its nodes. Graphs that were instantiated from it are not affected.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid handle.
    ///
    /// # Safety
    ///
    /// The graph must come from [`cuGraphCreate`] or [`cuStreamEndCapture`] and be destroyed only once.
    #[doc(alias = "cudaGraphDestroy")]
    pub use crate::bindings::cuGraphDestroy;

    /// Adds a node of any kind to a graph.
    ///
    /// This function replaces those for one kind of node, such as [`cuGraphAddExternalSemaphoresSignalNode`] and
    /// [`cuGraphAddExternalSemaphoresWaitNode`], whose deprecation cuda.h 13.5 announces. It can also
    /// set the context of a semaphore node.
    ///
    /// cuda.h 13.5 also has a `cuGraphAddNode_v3`, which differs for kernel nodes only.
    ///
    /// # Parameters
    ///
    /// - `dependencies`: the nodes that the new node depends on, each of them once; null for none.
    /// - `dependencyData`: one entry for each dependency; null for ordinary dependencies.
    /// - `nodeParams`: `type_` and the field of `params` that goes with it; all other bytes must be zero. The driver
    ///   copies the arrays of the semaphore nodes. For memory allocation and conditional nodes the driver also writes
    ///   results to `nodeParams`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, an unknown `type_`, bytes that are not zero, a dependency
    ///   that is not in the graph or occurs twice.
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: an invalid context in the parameters.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of node or semaphore that graphs do not support.
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

    /// The same as [`cuGraphAddNode_v2`]. Before CUDA 13.0 the name meant a function without `dependencyData`.
    #[doc(alias = "cudaGraphAddNode")]
    pub use crate::bindings::cuGraphAddNode;

    /// Returns the parameters of a node of any kind.
    ///
    /// The parameters may differ from those with which the node was created, for example because the driver fills in
    /// defaults. The returned parameters may be unsuitable for creating another node.
    ///
    /// # Parameters
    ///
    /// - `nodeParams`: receives the parameters. The driver owns the memory that their pointers point to: this memory is
    ///   valid until the node is destroyed, and must not be written.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or an invalid node.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 13.2, for example driver
    ///   580.159.04 (*measured*). The functions for one kind of node work there.
    ///
    /// # Safety
    ///
    /// `nodeParams` must be valid for writing the parameters, and the node's graph must not be destroyed. Only one
    /// thread at a time may use a graph.
    ///
    /// Since CUDA 13.2. Source: driver API manual, "Graph Management".
    #[doc(alias = "cudaGraphNodeGetParams")]
    pub use crate::bindings::cuGraphNodeGetParams;

    /// Sets the parameters of a node of any kind.
    ///
    /// The call changes the graph, and thereby instances that are created later. [`cuGraphExecNodeSetParams`] updates
    /// an existing instance.
    ///
    /// # Parameters
    ///
    /// - `nodeParams`: `type_`, which must be the node's, and the field of `params` that goes with it; all other
    ///   bytes are zero. The driver copies the arrays of the semaphore nodes.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, another kind of node, bytes that are not zero.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: a memory allocation or memory free node.
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
    /// This version differs from [`cuGraphNodeSetParams`] for kernel nodes only: it checks that their context is the
    /// kernel's (cuda.h 13.5).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuGraphNodeSetParams`].
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: the context of a kernel node is not its kernel's.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 13.4.
    ///
    /// # Safety
    ///
    /// As for [`cuGraphAddNode_v2`].
    ///
    /// Since CUDA 13.4. Source: driver API manual, "Graph Management". This function has not been run on a GPU yet.
    #[doc(alias = "cudaGraphNodeSetParams")]
    pub use crate::bindings::cuGraphNodeSetParams_v2;

    /// Sets the parameters of a node in an instantiated graph, from the next launch on.
    ///
    /// A graph can thus be launched many times, each time with other values of a timeline semaphore. Launches that are
    /// already enqueued or running keep their values. The graph that was instantiated does not change.
    ///
    /// # Parameters
    ///
    /// - `hNode`: the node of the graph that was instantiated. It must not have been removed.
    /// - `nodeParams`: as for [`cuGraphNodeSetParams`]. For semaphore nodes the number of semaphores and the context
    ///   must not change. For memset and memcpy nodes only the addresses of one-dimensional fills and copies may
    ///   change, within memory of the same context.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: another kind of node, another number of semaphores, another context, a node
    ///   of another graph, a null pointer.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: a memory allocation or memory free node.
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
    /// - `nodes`: receives the nodes, or null to ask for their number only. Entries after the last node become null.
    /// - `numNodes`: the number of entries of `nodes`; receives the number of nodes that were written, or of all nodes
    ///   if `nodes` is null.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid graph or a null pointer.
    ///
    /// # Safety
    ///
    /// `numNodes` must be valid for reading and writing, and `nodes` must be null or valid for writing `*numNodes`
    /// nodes. Only one thread at a time may use a graph.
    #[doc(alias = "cudaGraphGetNodes")]
    pub use crate::bindings::cuGraphGetNodes;

    /// Returns the kind of a node.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an invalid node or a null pointer.
    ///
    /// # Safety
    ///
    /// `type_` must be valid for writing a [`CUgraphNodeType`]. The node's graph must not be destroyed. Only one thread
    /// at a time may use a graph.
    #[doc(alias = "cudaGraphNodeGetType")]
    pub use crate::bindings::cuGraphNodeGetType;

    /// Adds a node that signals external semaphores to a graph. In each launch the node signals them when the nodes on
    /// which it depends are done.
    ///
    /// The node signals as [`cuSignalExternalSemaphoresAsync`] does in a stream. cuda.h 13.5 announces that this
    /// function will be deprecated in favor of [`cuGraphAddNode`](cuGraphAddNode_v2).
    ///
    /// # Parameters
    ///
    /// - `phGraphNode`: receives the node, which belongs to the graph and is destroyed with it.
    /// - `hGraph`: the graph.
    /// - `dependencies`: the nodes that the new node depends on, without duplicates; null for none.
    /// - `numDependencies`: the length of `dependencies`.
    /// - `nodeParams`: the semaphores and each one's parameters. The driver copies both arrays.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `phGraphNode`, `hGraph` or `nodeParams` is null, or a dependency is not in the
    ///   graph or is given twice.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: a kind of semaphore that graphs do not support.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// Each array must have as many entries as its count says. The semaphores must live as long as the graph, or an
    /// instance of it, may be launched. Only one thread at a time may use a graph.
    ///
    /// *Measured* on driver 580.159.04: a null `extSemArray` or `paramsArray` ends the process with SIGSEGV. The call
    /// does not check the semaphores: a launch with a null semaphore ends the process with SIGSEGV.
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
    /// - `params_out`: receives the parameters. The two arrays belong to the node. They are valid until the node's
    ///   parameters change or the node is destroyed, and must not be written.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or another kind of node.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// `params_out` must be valid for writing the parameters, and the node's graph must not be destroyed. Only one
    /// thread at a time may use a graph.
    ///
    /// Since CUDA 11.2. Source: driver API manual, "Graph Management".
    #[doc(alias = "cudaGraphExternalSemaphoresSignalNodeGetParams")]
    pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeGetParams;

    /// Sets the parameters of a node that signals external semaphores.
    ///
    /// The call changes the graph, and thereby instances that are created later. To update an existing instance, use
    /// [`cuGraphExecExternalSemaphoresSignalNodeSetParams`]. cuda.h 13.5 announces that this function will be
    /// deprecated in favor of [`cuGraphNodeSetParams`].
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

    /// Sets the parameters of a signal node in an instantiated graph, from the next launch on.
    ///
    /// A graph can thus be launched many times, each time with other values of a timeline semaphore. Launches that are
    /// already enqueued or running keep their values. The graph that was instantiated does not change. cuda.h 13.5
    /// announces that this function will be deprecated in favor of [`cuGraphExecNodeSetParams`].
    ///
    /// # Parameters
    ///
    /// - `hGraphExec`: the instantiated graph.
    /// - `hNode`: the node of the graph that was instantiated. It must not have been removed.
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

    /// Adds a node that waits for external semaphores to a graph. In each launch the work that depends on the node
    /// starts when the waits have ended.
    ///
    /// The node waits as [`cuWaitExternalSemaphoresAsync`] does in a stream. The parameters, the measurements and the
    /// announced deprecation are those of [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_SUPPORTED`] and those of [every
    /// call](crate#errors-that-any-call-can-return), as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// # Safety
    ///
    /// As for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// [`cuGraphDestroy`] of the graph removes the node. Since CUDA 11.2. Source: driver API manual, "Graph
    /// Management".
    #[doc(alias = "cudaGraphAddExternalSemaphoresWaitNode")]
    pub use crate::bindings::cuGraphAddExternalSemaphoresWaitNode;

    /// Returns the parameters of a node that waits for external semaphores, as
    /// [`cuGraphExternalSemaphoresSignalNodeGetParams`] does for one that signals.
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`] and those of [every call](crate#errors-that-any-call-can-return), as for
    /// [`cuGraphExternalSemaphoresSignalNodeGetParams`].
    ///
    /// # Safety
    ///
    /// As for [`cuGraphExternalSemaphoresSignalNodeGetParams`].
    ///
    /// Since CUDA 11.2. Source: driver API manual, "Graph Management".
    #[doc(alias = "cudaGraphExternalSemaphoresWaitNodeGetParams")]
    pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeGetParams;

    /// Sets the parameters of a node that waits for external semaphores, as
    /// [`cuGraphExternalSemaphoresSignalNodeSetParams`] does for one that signals.
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_OUT_OF_MEMORY`] and those of [every
    /// call](crate#errors-that-any-call-can-return), as for [`cuGraphExternalSemaphoresSignalNodeSetParams`].
    ///
    /// # Safety
    ///
    /// As for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// Since CUDA 11.2. Source: driver API manual, "Graph Management".
    #[doc(alias = "cudaGraphExternalSemaphoresWaitNodeSetParams")]
    pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeSetParams;

    /// Sets the parameters of a wait node in an instantiated graph, from the next launch on, as
    /// [`cuGraphExecExternalSemaphoresSignalNodeSetParams`] does for a signal node.
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`] and those of [every call](crate#errors-that-any-call-can-return), as for
    /// [`cuGraphExecExternalSemaphoresSignalNodeSetParams`].
    ///
    /// # Safety
    ///
    /// As for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// Since CUDA 11.2. Source: driver API manual, "Graph Management".
    #[doc(alias = "cudaGraphExecExternalSemaphoresWaitNodeSetParams")]
    pub use crate::bindings::cuGraphExecExternalSemaphoresWaitNodeSetParams;
}
