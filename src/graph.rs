//! Semaphore nodes in CUDA graphs.

/// TODO
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
/// TODO
#[cfg(cuda_since = "12.2")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2;
/// TODO
#[cfg(cuda_since = "13.4")]
pub use crate::bindings::CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context;
/// TODO
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS;
/// TODO
#[cfg(cuda_since = "12.2")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2;
/// TODO
#[cfg(cuda_since = "13.4")]
pub use crate::bindings::CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context;
/// TODO
pub use crate::bindings::CUDA_MEMSET_NODE_PARAMS;
/// TODO
pub use crate::bindings::CUgraph;
/// TODO
pub use crate::bindings::CUgraph_st;
/// TODO
pub use crate::bindings::CUgraphExec;
/// TODO
pub use crate::bindings::CUgraphExec_st;
/// TODO
pub use crate::bindings::CUgraphNode;
/// TODO
pub use crate::bindings::CUgraphNode_st;
/// TODO
#[cfg(cuda_since = "13.4")]
pub use crate::bindings::CUgreenCtx;
/// TODO
#[cfg(cuda_since = "13.4")]
pub use crate::bindings::CUgreenCtx_st;
/// The type of a pointer to [`cuGraphAddExternalSemaphoresSignalNode`].
pub use crate::bindings::PFN_cuGraphAddExternalSemaphoresSignalNode;
/// The type of a pointer to [`cuGraphAddExternalSemaphoresWaitNode`].
pub use crate::bindings::PFN_cuGraphAddExternalSemaphoresWaitNode;
/// The type of a pointer to [`cuGraphAddMemsetNode`].
pub use crate::bindings::PFN_cuGraphAddMemsetNode;
/// The type of a pointer to [`cuGraphCreate`].
pub use crate::bindings::PFN_cuGraphCreate;
/// The type of a pointer to [`cuGraphDestroy`].
pub use crate::bindings::PFN_cuGraphDestroy;
/// The type of a pointer to [`cuGraphExecDestroy`].
pub use crate::bindings::PFN_cuGraphExecDestroy;
/// The type of a pointer to [`cuGraphExecExternalSemaphoresSignalNodeSetParams`].
pub use crate::bindings::PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams;
/// The type of a pointer to [`cuGraphExecExternalSemaphoresWaitNodeSetParams`].
pub use crate::bindings::PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams;
/// The type of a pointer to [`cuGraphExternalSemaphoresSignalNodeGetParams`].
pub use crate::bindings::PFN_cuGraphExternalSemaphoresSignalNodeGetParams;
/// The type of a pointer to [`cuGraphExternalSemaphoresSignalNodeSetParams`].
pub use crate::bindings::PFN_cuGraphExternalSemaphoresSignalNodeSetParams;
/// The type of a pointer to [`cuGraphExternalSemaphoresWaitNodeGetParams`].
pub use crate::bindings::PFN_cuGraphExternalSemaphoresWaitNodeGetParams;
/// The type of a pointer to [`cuGraphExternalSemaphoresWaitNodeSetParams`].
pub use crate::bindings::PFN_cuGraphExternalSemaphoresWaitNodeSetParams;
/// The type of a pointer to [`cuGraphInstantiateWithFlags`].
pub use crate::bindings::PFN_cuGraphInstantiateWithFlags;
/// The type of a pointer to [`cuGraphLaunch`].
pub use crate::bindings::PFN_cuGraphLaunch;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphAddExternalSemaphoresSignalNode;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphAddExternalSemaphoresWaitNode;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphAddMemsetNode;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphCreate;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphDestroy;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExecDestroy;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExecExternalSemaphoresSignalNodeSetParams;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExecExternalSemaphoresWaitNodeSetParams;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeGetParams;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExternalSemaphoresSignalNodeSetParams;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeGetParams;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphExternalSemaphoresWaitNodeSetParams;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphInstantiateWithFlags;
/// TODO
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGraphLaunch;
