//! The work of a stream's thread or of a graph's node.

use super::host_callbacks::HostCallback;
use super::imported_semaphores::SemaphoreWork;
use crate::driver::base::prelude::*;

/// The function that the thread calls.
/// An error loses the context.
pub type WorkFunction = Arc<dyn Fn() -> CudaResult + Send + Sync>;

#[derive(Clone)]
pub enum QueuedWork {
    Task(CUgraphNodeType, WorkFunction),
    /// What the thread calls is found when the work is enqueued.
    AtEnqueue(CUgraphNodeType, Arc<dyn Fn() -> WorkFunction + Send + Sync>),
    Semaphores(SemaphoreWork),
}

impl QueuedWork {
    /// Work, with the objects that it uses. A function pointer captures nothing, so everything that the work needs is
    /// among them and lives as long as the work does.
    pub fn new<U: Send + Sync + 'static>(kind: CUgraphNodeType, used: U, run: fn(&U) -> CudaResult) -> Self {
        Self::Task(kind, Arc::new(move || run(&used)))
    }

    pub fn empty_node() -> Self {
        Self::new(CU_GRAPH_NODE_TYPE_EMPTY, (), |()| Ok(()))
    }

    pub fn calling_program(callback: HostCallback) -> Self {
        Self::new(CU_GRAPH_NODE_TYPE_HOST, callback, HostCallback::call_program)
    }

    pub fn node_type(&self) -> CUgraphNodeType {
        match self {
            Self::Task(kind, _) | Self::AtEnqueue(kind, _) => *kind,
            Self::Semaphores(work) if work.is_signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Self::Semaphores(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
        }
    }

    /// Returns what the thread calls. The work is being enqueued: binary semaphores have an order from here on.
    pub fn into_function(self) -> WorkFunction {
        match self {
            Self::Task(_, run) => run,
            Self::AtEnqueue(_, find) => find(),
            Self::Semaphores(work) => Arc::new(work.work_function()),
        }
    }
}
