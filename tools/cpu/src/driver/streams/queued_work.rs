use super::imported_semaphores::SemaphoreWork;
use crate::driver::base::prelude::*;

/// The function that the stream's thread calls. After an error, the context is lost.
pub type WorkFunction = Arc<dyn Fn() -> CudaResult + Send + Sync>;

#[derive(Clone)]
pub enum QueuedWork {
    Task(CUgraphNodeType, WorkFunction),
    /// Work whose function is made when the work is enqueued.
    AtEnqueue(CUgraphNodeType, Arc<dyn Fn() -> WorkFunction + Send + Sync>),
    Semaphores(SemaphoreWork),
}

impl QueuedWork {
    /// `run` is a function pointer instead of a closure, so that the work keeps only `used` alive.
    pub fn new<U: Send + Sync + 'static>(kind: CUgraphNodeType, used: U, run: fn(&U) -> CudaResult) -> Self {
        Self::Task(kind, Arc::new(move || run(&used)))
    }

    pub fn empty_node() -> Self {
        Self::new(CU_GRAPH_NODE_TYPE_EMPTY, (), |()| Ok(()))
    }

    pub fn node_type(&self) -> CUgraphNodeType {
        match self {
            Self::Task(kind, _) | Self::AtEnqueue(kind, _) => *kind,
            Self::Semaphores(work) if work.is_signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Self::Semaphores(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
        }
    }

    /// Returns the function for the stream's thread. Reserves the turns of binary semaphores, so call `into_function`
    /// when the work is enqueued.
    pub fn into_function(self) -> WorkFunction {
        match self {
            Self::Task(_, run) => run,
            Self::AtEnqueue(_, find) => find(),
            Self::Semaphores(work) => Arc::new(work.work_function()),
        }
    }
}
