#![doc = page!("graph.md")]

#[cfg(doc)]
use crate::*; // for the links

#[path = "other_node_params.rs"]
pub mod node_params;

/// The parameters of a signal node: an array of external semaphores, an array with the parameters of each signal, and
/// the length of both arrays. [Graphs](self) has an example.
#[doc(alias = "cudaExternalSemaphoreSignalNodeParams")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;

/// The second version of [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS`], for `extSemSignal` in a [`CUgraphNodeParams_params`].
///
/// **CUDA 13.4 added the field `context`: the struct grew from 24 to 32 bytes.** With a null `context` the node has no
/// preferred context. Code for an older cuda.h also has null in the 8 bytes of `context`, because all unused bytes of
/// a [`CUgraphNodeParams`] must be 0. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreSignalNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;

/// The parameters of a wait node: an array of external semaphores, an array with the parameters of each wait, and the
/// length of both arrays.
#[doc(alias = "cudaExternalSemaphoreWaitNodeParams")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS;

/// The second version of [`CUDA_EXT_SEM_WAIT_NODE_PARAMS`], for `extSemWait` in a [`CUgraphNodeParams_params`].
///
/// **CUDA 13.4 added the field `context`: the struct grew from 24 to 32 bytes.** With a null `context` the node has no
/// preferred context. Code for an older cuda.h also has null in the 8 bytes of `context`, because all unused bytes of
/// a [`CUgraphNodeParams`] must be 0. Since CUDA 12.2.
#[doc(alias = "cudaExternalSemaphoreWaitNodeParamsV2")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2;

/// The preferred context of a semaphore node: an ordinary context (`ctx`) or a green one (`gCtx`). Since CUDA 13.4.
pub use crate::bindings::{
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context, CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context,
};

/// The parameters of a memset node, for [`cuGraphAddMemsetNode`]: the value and the rows of memory that the node fills.
#[doc(alias = "cudaMemsetParams")]
pub use crate::bindings::CUDA_MEMSET_NODE_PARAMS;

/// A graph: nodes of work and the dependencies between the nodes. [`cuGraphCreate`] returns an empty graph.
#[doc(alias = "cudaGraph_t")]
pub use crate::bindings::CUgraph;

/// An instantiated graph, which [`cuGraphInstantiate`] returns and [`cuGraphLaunch`] launches.
#[doc(alias = "cudaGraphExec_t")]
pub use crate::bindings::CUgraphExec;

/// A node of a [`CUgraph`]. The graph owns the node.
#[doc(alias = "cudaGraphNode_t")]
pub use crate::bindings::CUgraphNode;

/// The kind and the parameters of a node, as [`cuGraphAddNode`] and [`cuGraphNodeSetParams`] take them.
///
/// Begin with `default()`: all bytes that are not used must be zero. Then set `type_` and the field of `params`
/// for this type. `params` is a union: reading another of its fields may be undefined behavior.
/// [`cuGraphAddNode_v2`] has an example. Since CUDA 12.2.
#[doc(alias = "cudaGraphNodeParams")]
pub use crate::bindings::CUgraphNodeParams;

/// The parameters in a [`CUgraphNodeParams`], whose `type_` selects one field of this union.
///
/// The types of the fields for nodes without semaphores are in [`node_params`].
pub use crate::bindings::CUgraphNodeParams_params;

/// The kind of a graph node. The table lacks two constants that cuda.h reserves.
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
/// node starts when the first one is done. For any other kind the first node must be a kernel node. For a programmatic
/// dependency (`type_` is 1) the second node must be a kernel node too. Since CUDA 12.3.
#[doc(alias = "cudaGraphEdgeData")]
pub use crate::bindings::CUgraphEdgeData;

/// A green context: a context that has a part of a device's multiprocessors. An opaque handle of the driver: never
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
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `phGraph` is null, or `flags` is not 0 (both *measured*).
    /// - [`CUDA_ERROR_OUT_OF_MEMORY`]: the manual gives no reason.
    ///
    /// # Safety
    ///
    /// `phGraph` must be valid for writing a pointer.
    ///
    /// Destroy the graph with [`cuGraphDestroy`].
    #[doc(alias = "cudaGraphCreate")]
    pub use crate::bindings::cuGraphCreate;

    /// Adds a memset node to a graph. In each launch the node fills device memory with a value.
    ///
    /// cuda.h 13.5 announces that this function will be deprecated in favor of
    /// [`cuGraphAddNode`](cuGraphAddNode_v2).
    ///
    /// # Parameters
    ///
    /// - `dependencies`: the nodes that the new node depends on, without duplicates; null for none.
    /// - `memsetParams`: the memory and the value. The driver copies this struct.
    /// - `ctx`: the context in which the node runs.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an element size other than 1, 2 or 4.
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: `ctx` is not a valid context.
    ///
    /// # Safety
    ///
    /// `phGraphNode` must be valid for writing a pointer, and `dependencies` must have `numDependencies` entries. The
    /// memory to fill must be valid in each launch. Only one thread at a time may use a graph.
    #[doc(alias = "cudaGraphAddMemsetNode")]
    pub use crate::bindings::cuGraphAddMemsetNode;

    /// Instantiates a graph for launches. The instance is a copy: the graph may be changed or destroyed afterwards. But
    /// [`cuGraphExecNodeSetParams`], which updates the instance, needs the graph's nodes.
    ///
    /// # Parameters
    ///
    /// - `flags`: 0, or bits that cuda.h names `CUDA_GRAPH_INSTANTIATE_FLAG_…` (not bound by this crate).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null graph or unknown flags (both *measured*), or an invalid graph, such as
    ///   one with a cycle.
    ///
    /// # Safety
    ///
    /// `phGraphExec` must be valid for writing a pointer. Only one thread at a time may use a graph.
    ///
    /// Destroy the instantiated graph with [`cuGraphExecDestroy`].
    #[doc(alias = "cudaGraphInstantiate")]
    pub use crate::bindings::cuGraphInstantiateWithFlags;

    /// The same as [`cuGraphInstantiateWithFlags`]. Before CUDA 12.0, `cuGraphInstantiate` had other parameters.
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
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `hGraphExec` is null or destroyed (*measured*).
    ///
    /// # Safety
    ///
    /// The memory and semaphores that the graph's nodes use must live until the launch is done. Only one thread at a
    /// time may use an instantiated graph. *Measured* on driver 580.159.04: a launch in a destroyed stream ends the
    /// process with SIGSEGV.
    #[doc(alias = "cudaGraphLaunch")]
    pub use crate::bindings::cuGraphLaunch;

    /// Destroys an instantiated graph. A launch that is running still completes.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the handle is null (*measured*).
    ///
    /// # Safety
    ///
    /// The instantiated graph must come from [`cuGraphInstantiateWithFlags`] and be destroyed only once.
    #[doc(alias = "cudaGraphExecDestroy")]
    pub use crate::bindings::cuGraphExecDestroy;

    /// Destroys a graph and its nodes. Graphs that were instantiated from this graph are not affected.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the graph is null or destroyed (*measured*).
    ///
    /// # Safety
    ///
    /// The graph must come from [`cuGraphCreate`] or [`cuStreamEndCapture`] and be destroyed only once.
    #[doc(alias = "cudaGraphDestroy")]
    pub use crate::bindings::cuGraphDestroy;

    /// Adds a node of any kind to a graph.
    ///
    /// cuda.h 13.5 announces the deprecation of the functions that add one kind of node, such as
    /// [`cuGraphAddExternalSemaphoresSignalNode`], in favor of this function. Unlike those functions, this function can
    /// set the preferred context of a semaphore node (since CUDA 13.4). CUDA 13.4 also added `cuGraphAddNode_v3`, which
    /// differs from this function for kernel nodes only.
    ///
    /// # Parameters
    ///
    /// - `dependencies`: the nodes that the new node depends on, without duplicates; null for none.
    /// - `dependencyData`: the kind of each dependency; null for ordinary dependencies.
    /// - `nodeParams`: `type_` and the field of `params` for this type; all other bytes must be zero. The driver
    ///   copies the arrays of a semaphore node. For memory allocation and conditional nodes the driver writes to
    ///   `nodeParams`, for example the address of the allocated memory.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `phGraphNode`, `hGraph` or `nodeParams` is null, `type_` is unknown, or a
    ///   reserved field is not zero (all *measured*).
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: an invalid context in `nodeParams`.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reason.
    ///
    /// # Safety
    ///
    /// `phGraphNode` must be valid for writing a pointer. Each array must have as many entries as its count says.
    /// Memory, semaphores and other objects that the node uses must live until the last launch of each instance of the
    /// graph is done. Only one thread at a time may use a graph.
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
    /// [`cuGraphDestroy`] destroys the node with its graph. This function exists since CUDA 12.3. Source: manual,
    /// "Graph Management".
    #[doc(alias = "cudaGraphAddNode")]
    pub use crate::bindings::cuGraphAddNode_v2;

    /// The same as [`cuGraphAddNode_v2`]. Before CUDA 13.0, `cuGraphAddNode` had no `dependencyData`.
    #[doc(alias = "cudaGraphAddNode")]
    pub use crate::bindings::cuGraphAddNode;

    /// Returns the parameters of a node of any kind.
    ///
    /// The returned parameters may differ from those with which the node was created, for example because the driver
    /// fills in defaults. The returned parameters may be unsuitable for creating another node.
    ///
    /// # Parameters
    ///
    /// - `nodeParams`: receives the parameters. The driver owns the memory to which the pointers in `nodeParams` point:
    ///   this memory is valid until the node is destroyed, and must not be written.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the manual gives no reason.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 13.2, for example 580.159.04
    ///   (*measured*). Such a driver has [`cuGraphExternalSemaphoresSignalNodeGetParams`] for signal nodes and
    ///   [`cuGraphExternalSemaphoresWaitNodeGetParams`] for wait nodes.
    ///
    /// # Safety
    ///
    /// `nodeParams` must be valid for writing a [`CUgraphNodeParams`]. The node's graph must not have been destroyed.
    /// Only one thread at a time may use a graph.
    ///
    /// Since CUDA 13.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphNodeGetParams")]
    pub use crate::bindings::cuGraphNodeGetParams;

    /// Sets the parameters of a node in a graph.
    ///
    /// Later calls of [`cuGraphInstantiate`] use the new parameters. [`cuGraphExecNodeSetParams`] updates an existing
    /// [`CUgraphExec`].
    ///
    /// # Parameters
    ///
    /// - `nodeParams`: `type_` (the kind of the node, which cannot change) and the field of `params` for this type;
    ///   all other bytes must be zero. The driver copies the arrays of a semaphore node.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or a `type_` that is not the node's (both *measured*), or nonzero
    ///   unused bytes.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: a memory allocation or memory free node.
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddNode_v2`].
    ///
    /// Since CUDA 12.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphNodeSetParams")]
    pub use crate::bindings::cuGraphNodeSetParams;

    /// Sets the parameters of a node in a graph, as [`cuGraphNodeSetParams`] does.
    ///
    /// The two functions differ for kernel nodes only: if both `func` and `ctx` are set in `nodeParams`, this function
    /// requires that `func` was loaded into the device context that underlies `ctx` (cuda.h 13.5).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_SUPPORTED`]: as for [`cuGraphNodeSetParams`].
    /// - [`CUDA_ERROR_INVALID_CONTEXT`]: for a kernel node, `func` was not loaded into the required context.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the driver is older than CUDA 13.4.
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddNode_v2`].
    ///
    /// Since CUDA 13.4. Source: manual, "Graph Management". This function has not been run on a GPU yet.
    #[doc(alias = "cudaGraphNodeSetParams")]
    pub use crate::bindings::cuGraphNodeSetParams_v2;

    /// Sets the parameters of a node in an instantiated graph, from the next launch on.
    ///
    /// Each launch can thus use new values of a timeline semaphore. Launches that are already enqueued or running keep
    /// the old parameters. The [`CUgraph`] that was instantiated does not change.
    ///
    /// # Parameters
    ///
    /// - `hNode`: a node of the [`CUgraph`] that was instantiated. The node must still be in that graph.
    /// - `nodeParams`: as for [`cuGraphNodeSetParams`]. For semaphore nodes the number of semaphores and the preferred
    ///   context must not change. For memset nodes the address and the value may change. For memcpy nodes the addresses
    ///   of 1D copies may change. The memory at a new address must belong to the same context as the memory at the old
    ///   address. For other nodes, see cuda.h.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null `hGraphExec` or `nodeParams` (both *measured*), a `type_` that is not the
    ///   node's, a change that is not allowed, or a node of another graph.
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: a memory allocation or memory free node.
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddNode_v2`].
    ///
    /// Since CUDA 12.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphExecNodeSetParams")]
    pub use crate::bindings::cuGraphExecNodeSetParams;

    /// Returns the nodes of a graph, for example those of a [captured](crate::capture) stream.
    ///
    /// # Parameters
    ///
    /// - `nodes`: receives the nodes; if null, only their number is returned. Entries after the last node become null.
    /// - `numNodes`: the number of entries of `nodes`; receives the number of nodes that were written, or of all nodes
    ///   if `nodes` is null.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the manual gives no reason.
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
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the manual gives no reason.
    ///
    /// # Safety
    ///
    /// `type_` must be valid for writing a [`CUgraphNodeType`]. The node's graph must not have been destroyed. Only one
    /// thread at a time may use a graph.
    #[doc(alias = "cudaGraphNodeGetType")]
    pub use crate::bindings::cuGraphNodeGetType;

    /// Adds a signal node to a graph. In each launch the node signals external semaphores when the nodes on which it
    /// depends are done.
    ///
    /// The node signals as [`cuSignalExternalSemaphoresAsync`] does in a stream. cuda.h 13.5 announces the deprecation
    /// of `cuGraphAddExternalSemaphoresSignalNode` in favor of [`cuGraphAddNode`](cuGraphAddNode_v2).
    ///
    /// # Parameters
    ///
    /// - `phGraphNode`: receives the node, which belongs to the graph.
    /// - `dependencies`: the nodes that the new node depends on, without duplicates; null for none.
    /// - `nodeParams`: the semaphores and the parameters of each signal. The driver copies both arrays.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: `phGraphNode`, `hGraph` or `nodeParams` is null, `hGraph` is destroyed, or a
    ///   dependency is null or of another graph (all *measured*).
    /// - [`CUDA_ERROR_NOT_SUPPORTED`]: the manual gives no reason.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// `phGraphNode` must be valid for writing a pointer. Each array must have as many entries as its count says. The
    /// semaphores must live until the last launch of each instance of the graph is done. Only one thread at a time may
    /// use a graph.
    ///
    /// *Measured* on driver 580.159.04: if `numExtSems` is above 0, a null `extSemArray` or `paramsArray` ends the
    /// process with SIGSEGV. The call does not check the semaphores: a launch with a null semaphore also crashes.
    ///
    /// [`cuGraphDestroy`] destroys the node with its graph. Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphAddExternalSemaphoresSignalNode")]
    pub use crate::bindings::cuGraphAddExternalSemaphoresSignalNode;

    /// Returns the parameters of a node that signals external semaphores.
    ///
    /// cuda.h 13.5 announces that this function will be deprecated in favor of [`cuGraphNodeGetParams`].
    ///
    /// # Parameters
    ///
    /// - `params_out`: receives the parameters. The arrays to which they point belong to the node. These arrays are
    ///   valid until the node's parameters change or the node is destroyed, and must not be written.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, a node of another kind, or a node of a destroyed graph (all
    ///   *measured*).
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// `params_out` must be valid for writing the parameters. The node's graph must not have been destroyed. Only
    /// one thread at a time may use a graph.
    ///
    /// Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphExternalSemaphoresSignalNodeGetParams")]
    pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeGetParams;

    /// Sets the parameters of a node that signals external semaphores.
    ///
    /// Later calls of [`cuGraphInstantiate`] use the new parameters. To update an existing [`CUgraphExec`], use
    /// [`cuGraphExecExternalSemaphoresSignalNodeSetParams`]. cuda.h 13.5 announces the deprecation of
    /// `cuGraphExternalSemaphoresSignalNodeSetParams` in favor of [`cuGraphNodeSetParams`].
    ///
    /// # Parameters
    ///
    /// - `nodeParams`: the semaphores and the parameters of each signal. The driver copies both arrays.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or a node of another kind (both *measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_OUT_OF_MEMORY`]: the manual gives no reasons.
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphExternalSemaphoresSignalNodeSetParams")]
    pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeSetParams;

    /// Sets the parameters of a signal node in an instantiated graph, from the next launch on.
    ///
    /// Each launch can thus use new values of a timeline semaphore. Launches that are already enqueued or running keep
    /// the old parameters. The [`CUgraph`] that was instantiated does not change. cuda.h 13.5 announces that this
    /// function will be deprecated in favor of [`cuGraphExecNodeSetParams`].
    ///
    /// # Parameters
    ///
    /// - `hNode`: a node of the [`CUgraph`] that was instantiated. The node must still be in that graph.
    /// - `nodeParams`: the semaphores, as many as before, and the parameters of each signal.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, a destroyed `hGraphExec`, a changed number of semaphores, or a
    ///   node of another kind or of another graph (all *measured*).
    /// - Those of [every call](crate#errors-that-any-call-can-return).
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphExecExternalSemaphoresSignalNodeSetParams")]
    pub use crate::bindings::cuGraphExecExternalSemaphoresSignalNodeSetParams;

    /// Adds a wait node to a graph. In each launch the node waits for external semaphores, and the work that depends on
    /// the node starts only after the waits have ended.
    ///
    /// The node waits as [`cuWaitExternalSemaphoresAsync`] does in a stream. `nodeParams` has the semaphores and the
    /// parameters of each wait. [`cuGraphAddExternalSemaphoresSignalNode`] describes the other parameters. As with that
    /// function, a null `extSemArray` or `paramsArray` ends the process with SIGSEGV if `numExtSems` is above 0
    /// (*measured*). cuda.h 13.5 announces the deprecation of both functions in favor of
    /// [`cuGraphAddNode`](cuGraphAddNode_v2).
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_SUPPORTED`] and those of [every
    /// call](crate#errors-that-any-call-can-return), as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// [`cuGraphDestroy`] destroys the node with its graph. Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphAddExternalSemaphoresWaitNode")]
    pub use crate::bindings::cuGraphAddExternalSemaphoresWaitNode;

    /// Returns the parameters of a node that waits for external semaphores, as
    /// [`cuGraphExternalSemaphoresSignalNodeGetParams`] does for a signal node.
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`] and those of [every call](crate#errors-that-any-call-can-return), as for
    /// [`cuGraphExternalSemaphoresSignalNodeGetParams`].
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphExternalSemaphoresSignalNodeGetParams`].
    ///
    /// Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphExternalSemaphoresWaitNodeGetParams")]
    pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeGetParams;

    /// Sets the parameters of a node that waits for external semaphores, as
    /// [`cuGraphExternalSemaphoresSignalNodeSetParams`] does for a signal node.
    ///
    /// # Errors
    ///
    /// [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_OUT_OF_MEMORY`] and those of [every
    /// call](crate#errors-that-any-call-can-return), as for [`cuGraphExternalSemaphoresSignalNodeSetParams`].
    ///
    /// # Safety
    ///
    /// The same as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// Since CUDA 11.2. Source: manual, "Graph Management".
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
    /// The same as for [`cuGraphAddExternalSemaphoresSignalNode`].
    ///
    /// Since CUDA 11.2. Source: manual, "Graph Management".
    #[doc(alias = "cudaGraphExecExternalSemaphoresWaitNodeSetParams")]
    pub use crate::bindings::cuGraphExecExternalSemaphoresWaitNodeSetParams;
}
