#![doc = include_str!("../docs/graph.md")]

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

/// [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS`] as [`cuGraphAddNode`](cuGraphAddNode_v2) takes it, inside a
/// [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose
/// unused bytes are 0, the two are alike to every driver: a null context. Since CUDA 12.2.
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

/// [`CUDA_EXT_SEM_WAIT_NODE_PARAMS`] as [`cuGraphAddNode`](cuGraphAddNode_v2) takes it, inside a
/// [`CUgraphNodeParams`].
///
/// **It grew from 24 to 32 bytes in CUDA 13.4**, by `context`. Inside the larger [`CUgraphNodeParams`], whose
/// unused bytes are 0, the two are alike to every driver: a null context. Since CUDA 12.2.
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

/// An instantiated graph, which can be launched. From [`cuGraphInstantiateWithFlags`].
#[doc(alias = "cudaGraphExec_t")]
pub use crate::bindings::CUgraphExec;

/// The driver's private type behind [`CUgraphExec`].
pub use crate::bindings::CUgraphExec_st;

/// A node of a [`CUgraph`], which owns it.
#[doc(alias = "cudaGraphNode_t")]
pub use crate::bindings::CUgraphNode;

/// The driver's private type behind [`CUgraphNode`].
pub use crate::bindings::CUgraphNode_st;

/// A green context: a context on a part of a device's processors. For
/// [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context`] and [`CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context`].
pub use crate::bindings::CUgreenCtx;

pub use crate::bindings::CUgraphNodeType_values::*;
/// The driver's private type behind [`CUgreenCtx`].
pub use crate::bindings::CUgreenCtx_st;
pub use crate::bindings::{CUgraphEdgeData, CUgraphNodeParams, CUgraphNodeType};

pub use crate::bindings::CUgraphNodeParams_params;
