//! A graph, which is a chain of nodes, and its instance with a stream.

use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::{ImportedSemaphore, SemaphoreValues, Stream};

use crate::machine::ok;

/// What a semaphore node does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Wait,
    Signal,
}

use Action::{Signal, Wait};

/// A semaphore node.
#[derive(Clone, Copy)]
pub struct Node {
    pub raw: CUgraphNode,
    pub action: Action,
}

impl Node {
    /// Returns the node's semaphores and values from the driver.
    pub fn values(&self) -> Vec<(CUexternalSemaphore, u64)> {
        let mut waits = CUDA_EXT_SEM_WAIT_NODE_PARAMS::default();
        let mut signals = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS::default();
        // SAFETY: the functions write the parameters; the arrays are the node's, which lives.
        unsafe {
            match self.action {
                Wait => {
                    ok(cuGraphExternalSemaphoresWaitNodeGetParams(self.raw, &mut waits));
                    let value = |i| (*waits.paramsArray.add(i)).params.fence.value;
                    let pair = |i| (*waits.extSemArray.add(i), value(i));
                    (0..waits.numExtSems as usize).map(pair).collect()
                }
                Signal => {
                    ok(cuGraphExternalSemaphoresSignalNodeGetParams(self.raw, &mut signals));
                    let value = |i| (*signals.paramsArray.add(i)).params.fence.value;
                    let pair = |i| (*signals.extSemArray.add(i), value(i));
                    (0..signals.numExtSems as usize).map(pair).collect()
                }
            }
        }
    }
}

/// The semaphores of a node, and the values that they are waited for or signaled with.
type Values<'a> = &'a [(&'a ImportedSemaphore, u64)];

/// A graph, and its instance with a stream once it is instantiated. Nodes are appended to a chain.
pub struct Graph {
    pub raw: CUgraph,
    exec: CUgraphExec,
    pub stream: Stream,
    /// The last node, if there is one. The next node depends on it alone.
    last: Vec<CUgraphNode>,
}

// SAFETY, of the calls with parameters: the functions read them and what they point to, and write a node at most.

impl Graph {
    pub fn new() -> Self {
        let mut graph = null_mut();
        // SAFETY: the function writes a graph.
        ok(unsafe { cuGraphCreate(&mut graph, 0) });
        Self::of(graph)
    }

    fn of(raw: CUgraph) -> Self {
        Self { raw, exec: null_mut(), stream: Stream::new().unwrap(), last: Vec::new() }
    }

    /// Takes over a graph that was captured, and instantiates it.
    pub fn captured(raw: CUgraph) -> Self {
        let mut graph = Self::of(raw);
        graph.instantiate();
        graph
    }

    /// Appends a semaphore node.
    pub fn add(&mut self, action: Action, values: Values) -> Node {
        let (mut values, mut raw) = (SemaphoreValues::new(values), null_mut());
        let (node, graph, last, count) = (&mut raw, self.raw, self.last.as_ptr(), self.last.len());
        ok(unsafe {
            match action {
                Wait => cuGraphAddExternalSemaphoresWaitNode(node, graph, last, count, &values.wait_node()),
                Signal => {
                    cuGraphAddExternalSemaphoresSignalNode(node, graph, last, count, &values.signal_node())
                }
            }
        });
        self.last = vec![raw];
        Node { raw, action }
    }

    /// Sets a node's parameters in the graph, which is a template: what was instantiated does not change with it.
    pub fn set(&self, Node { raw, action }: Node, values: Values) -> CUresult {
        let mut values = SemaphoreValues::new(values);
        unsafe {
            match action {
                Wait => cuGraphExternalSemaphoresWaitNodeSetParams(raw, &values.wait_node()),
                Signal => cuGraphExternalSemaphoresSignalNodeSetParams(raw, &values.signal_node()),
            }
        }
    }

    /// Sets a node's parameters in the instantiated graph, for the launches after it.
    pub fn update(&self, Node { raw, action }: Node, values: Values) -> CUresult {
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
        ok(unsafe { cuGraphInstantiate(&mut self.exec, self.raw, 0) });
    }

    pub fn launch(&self) {
        // SAFETY: the graph was instantiated; what its nodes use lives until the stream is done.
        ok(unsafe { cuGraphLaunch(self.exec, self.stream.raw()) });
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: each is destroyed once. A failed test may leave a launch that never ends.
        unsafe {
            if !self.exec.is_null() {
                ok(cuGraphExecDestroy(self.exec));
            }
            ok(cuGraphDestroy(self.raw));
        }
    }
}
