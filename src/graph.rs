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
