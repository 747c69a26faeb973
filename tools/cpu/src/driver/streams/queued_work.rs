//! The work of a stream's thread or of a graph's node.

use std::ptr::with_exposed_provenance_mut;

use crate::library_threads::with_starters_signals;

use super::imported_semaphores::SemaphoreWork;
use crate::driver::base::prelude::*;

/// The function that the thread calls.
pub type WorkFunction = Arc<dyn Fn() + Send + Sync>;

#[derive(Clone)]
pub enum QueuedWork {
    Task(CUgraphNodeType, WorkFunction),
    Semaphores(SemaphoreWork),
}

impl QueuedWork {
    /// Work, with the objects that it uses. A function pointer captures nothing, so everything that the work needs is
    /// among them and lives as long as the work does.
    pub fn new<U: Send + Sync + 'static>(kind: CUgraphNodeType, used: U, run: fn(&U)) -> Self {
        Self::Task(kind, Arc::new(move || run(&used)))
    }

    pub fn empty() -> Self {
        Self::new(CU_GRAPH_NODE_TYPE_EMPTY, (), |()| {})
    }

    /// Returns the work of calling a function of the program.
    pub fn calling_host_function(function: CUhostFn, argument: *mut c_void) -> CudaResult<Self> {
        let function = function.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let call = (function, argument.expose_provenance());
        Ok(Self::new(CU_GRAPH_NODE_TYPE_HOST, call, |(function, argument)| {
            // SAFETY: the program gave the function with its argument, for another thread.
            with_starters_signals(|| unsafe { function(with_exposed_provenance_mut(*argument)) })
        }))
    }

    /// Returns the type of a node with this work.
    pub fn node_type(&self) -> CUgraphNodeType {
        match self {
            Self::Task(kind, _) => *kind,
            Self::Semaphores(work) if work.is_signal => CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Self::Semaphores(_) => CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
        }
    }

    /// Returns what the thread calls. The work is being enqueued: binary semaphores have an order from here on.
    pub fn into_function(self) -> WorkFunction {
        match self {
            Self::Task(_, run) => run,
            Self::Semaphores(work) => Arc::new(work.work_function()),
        }
    }
}
