//! A graph, which is a chain of nodes, and its instance with a stream.

use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::{ImportedSemaphore, SemaphoreValues, Stream};

use crate::opened_devices::assert_success;

/// What a semaphore node does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NodeAction {
    Wait,
    Signal,
}

use NodeAction::{Signal, Wait};

/// A semaphore node.
#[derive(Clone, Copy)]
pub struct SemaphoreNode {
    raw: CUgraphNode,
    action: NodeAction,
}

/// The semaphores of a node, and the values that they are waited for or signaled with.
type Values<'a> = &'a [(&'a ImportedSemaphore, u64)];

/// A graph, and its instance with a stream once it is instantiated. Nodes are appended to a chain.
pub struct SemaphoreGraph {
    raw: CUgraph,
    exec: CUgraphExec,
    pub stream: Stream,
    /// The last node, if there is one. The next node depends on it alone.
    last: Vec<CUgraphNode>,
}

// SAFETY, of the calls with parameters: the functions read them and what they point to, and write a node at most.

impl SemaphoreGraph {
    pub fn new() -> Self {
        let mut raw = null_mut();
        // SAFETY: the function writes a graph.
        assert_success(unsafe { cuGraphCreate(&mut raw, 0) });
        Self { raw, exec: null_mut(), stream: Stream::new().unwrap(), last: Vec::new() }
    }

    /// Appends a semaphore node.
    pub fn add(&mut self, action: NodeAction, values: Values) -> SemaphoreNode {
        let (mut values, mut raw) = (SemaphoreValues::new(values), null_mut());
        let (node, graph, last, count) = (&mut raw, self.raw, self.last.as_ptr(), self.last.len());
        assert_success(unsafe {
            match action {
                Wait => cuGraphAddExternalSemaphoresWaitNode(node, graph, last, count, &values.wait_node()),
                Signal => {
                    cuGraphAddExternalSemaphoresSignalNode(node, graph, last, count, &values.signal_node())
                }
            }
        });
        self.last = vec![raw];
        SemaphoreNode { raw, action }
    }

    /// Sets a node's parameters in the graph, which is a template: what was instantiated does not change with it.
    pub fn set(&self, SemaphoreNode { raw, action }: SemaphoreNode, values: Values) -> CUresult {
        let mut values = SemaphoreValues::new(values);
        unsafe {
            match action {
                Wait => cuGraphExternalSemaphoresWaitNodeSetParams(raw, &values.wait_node()),
                Signal => cuGraphExternalSemaphoresSignalNodeSetParams(raw, &values.signal_node()),
            }
        }
    }

    /// Sets a node's parameters in the instantiated graph, for the launches after it.
    pub fn update(&self, SemaphoreNode { raw, action }: SemaphoreNode, values: Values) -> CUresult {
        let (exec, mut values) = (self.exec, SemaphoreValues::new(values));
        unsafe {
            match action {
                Wait => cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, raw, &values.wait_node()),
                Signal => cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, raw, &values.signal_node()),
            }
        }
    }

    pub fn instantiate(&mut self) {
        // SAFETY: the function writes a handle.
        assert_success(unsafe { cuGraphInstantiate(&mut self.exec, self.raw, 0) });
    }

    pub fn launch(&self) {
        // SAFETY: the graph was instantiated; what its nodes use lives until the stream is done.
        assert_success(unsafe { cuGraphLaunch(self.exec, self.stream.raw()) });
    }
}

impl Drop for SemaphoreGraph {
    fn drop(&mut self) {
        // SAFETY: each is destroyed once. A failed test may leave a launch that never ends.
        unsafe {
            if !self.exec.is_null() {
                assert_success(cuGraphExecDestroy(self.exec));
            }
            assert_success(cuGraphDestroy(self.raw));
        }
    }
}
