//! What a stream's thread does.

use std::sync::Arc;

use cuda_external_sys::*;

use super::external_semaphore::SemaphoreWork;

/// What the thread calls.
pub type Run = Arc<dyn Fn() + Send + Sync>;

/// Work for a stream, or a node of a graph.
#[derive(Clone)]
pub enum Work {
    Run(CUgraphNodeType, Run),
    Semaphores(SemaphoreWork),
}

impl Work {
    pub fn new(kind: CUgraphNodeType, run: impl Fn() + Send + Sync + 'static) -> Self {
        Self::Run(kind, Arc::new(run))
    }

    pub fn nothing() -> Self {
        Self::new(CU_GRAPH_NODE_TYPE_EMPTY, || {})
    }

    /// Returns the type of a node with this work.
    pub fn kind(&self) -> CUgraphNodeType {
        match self {
            Self::Run(kind, _) => *kind,
            Self::Semaphores(work) if work.signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Self::Semaphores(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
        }
    }

    /// Returns what the thread calls. The work is being enqueued: binary semaphores have an order from here on.
    pub fn enqueued(self) -> Run {
        match self {
            Self::Run(_, run) => run,
            Self::Semaphores(work) => work.enqueued(),
        }
    }
}
