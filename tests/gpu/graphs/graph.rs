//! A graph in the making, a chain of nodes; then an instantiated graph and its stream.

use std::ptr::{null, null_mut};
use std::thread::sleep;
use std::time::Duration;

use cuda_external_sys::*;
use interop::cuda::Stream;
use interop::shared::SharedSemaphore;

use crate::machine::{cuda, ok};

/// Which functions make and set the semaphore nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Functions {
    /// `cuGraphAddExternalSemaphoresWaitNode` and its relatives.
    Typed,
    /// `cuGraphAddNode` and its relatives, with `CUgraphNodeParams`.
    Generic,
}

use Functions::{Generic, Typed};

/// What a semaphore node does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Wait,
    Signal,
}

use Action::{Signal, Wait};

/// A semaphore node, and what the functions are told that it is.
#[derive(Clone, Copy)]
pub struct Node {
    pub raw: CUgraphNode,
    pub action: Action,
}

impl Node {
    /// Returns the semaphores and the values that the driver has of the node.
    pub fn values(&self) -> Result<Vec<(CUexternalSemaphore, u64)>, CUresult> {
        // SAFETY: the functions write the parameters; the arrays are the node's, which lives.
        unsafe {
            match self.action {
                Wait => {
                    let mut params = CUDA_EXT_SEM_WAIT_NODE_PARAMS::default();
                    cuGraphExternalSemaphoresWaitNodeGetParams(self.raw, &mut params).result()?;
                    let value = |i| (*params.paramsArray.add(i)).params.fence.value;
                    let pair = |i| (*params.extSemArray.add(i), value(i));
                    Ok((0..params.numExtSems as usize).map(pair).collect())
                }
                Signal => {
                    let mut params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS::default();
                    cuGraphExternalSemaphoresSignalNodeGetParams(self.raw, &mut params).result()?;
                    let value = |i| (*params.paramsArray.add(i)).params.fence.value;
                    let pair = |i| (*params.extSemArray.add(i), value(i));
                    Ok((0..params.numExtSems as usize).map(pair).collect())
                }
            }
        }
    }
}

/// Semaphores with values, as the functions take them for both actions.
struct Semaphores {
    handles: Vec<CUexternalSemaphore>,
    waits: Vec<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    signals: Vec<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
}

impl Semaphores {
    fn new(semaphores: &[(&SharedSemaphore, u64)]) -> Self {
        let handles = semaphores.iter().map(|(semaphore, _)| semaphore.cuda.raw()).collect();
        let mut waits = vec![CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default(); semaphores.len()];
        let mut signals = vec![CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default(); semaphores.len()];
        for (i, (_, value)) in semaphores.iter().enumerate() {
            waits[i].params.fence.value = *value;
            signals[i].params.fence.value = *value;
        }
        Self { handles, waits, signals }
    }

    fn waits(&mut self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: self.handles.as_mut_ptr(),
            paramsArray: self.waits.as_ptr(),
            numExtSems: self.handles.len() as u32,
        }
    }

    fn signals(&mut self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: self.handles.as_mut_ptr(),
            paramsArray: self.signals.as_ptr(),
            numExtSems: self.handles.len() as u32,
        }
    }

    fn generic(&mut self, action: Action) -> CUgraphNodeParams {
        let mut params = CUgraphNodeParams::default();
        match action {
            Wait => {
                let CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems } = self.waits();
                params.type_ = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
                params.params.extSemWait = CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
                    extSemArray,
                    paramsArray,
                    numExtSems,
                    ..Default::default()
                };
            }
            Signal => {
                let CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems } = self.signals();
                params.type_ = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
                params.params.extSemSignal = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
                    extSemArray,
                    paramsArray,
                    numExtSems,
                    ..Default::default()
                };
            }
        }
        params
    }
}

/// A chain of nodes in the making, then an instantiated graph and its stream.
pub struct Graph {
    functions: Functions,
    graph: CUgraph,
    exec: CUgraphExec,
    stream: Stream,
    last: CUgraphNode,
}

// SAFETY, of the calls with parameters: the functions read them and what they point to, and write a node at most.

impl Graph {
    pub fn new(functions: Functions) -> Self {
        let mut graph = null_mut();
        // SAFETY: the function writes a graph.
        ok(unsafe { cuGraphCreate(&mut graph, 0) });
        Self { functions, graph, exec: null_mut(), stream: Stream::new().unwrap(), last: null_mut() }
    }

    /// Appends a node that `add` makes: it gets the place of the handle, the graph, and the nodes before.
    fn append(
        &mut self,
        add: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    ) -> CUgraphNode {
        let (before, count) = if self.last.is_null() { (null(), 0) } else { (&raw const self.last, 1) };
        let mut node = null_mut();
        ok(add(&mut node, self.graph, before, count));
        self.last = node;
        node
    }

    /// Appends a semaphore node.
    pub fn add(&mut self, action: Action, semaphores: &[(&SharedSemaphore, u64)]) -> Node {
        let (mut params, functions) = (Semaphores::new(semaphores), self.functions);
        let raw = self.append(|node, graph, before, count| unsafe {
            match (functions, action) {
                (Typed, Wait) => {
                    cuGraphAddExternalSemaphoresWaitNode(node, graph, before, count, &params.waits())
                }
                (Typed, Signal) => {
                    cuGraphAddExternalSemaphoresSignalNode(node, graph, before, count, &params.signals())
                }
                (Generic, _) => {
                    cuGraphAddNode(node, graph, before, null(), count, &mut params.generic(action))
                }
            }
        });
        Node { raw, action }
    }

    /// Appends a node that fills a range with a byte.
    pub fn fill(&mut self, address: CUdeviceptr, byte: u8, size: u64) {
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: address,
            value: byte.into(),
            elementSize: 1,
            width: size as usize,
            height: 1,
            ..Default::default()
        };
        let context = cuda().context();
        self.append(|node, graph, before, count| unsafe {
            cuGraphAddMemsetNode(node, graph, before, count, &params, context)
        });
    }

    /// Sets a node's parameters in the graph, which is a template: what was instantiated does not change with it.
    pub fn set(&self, node: Node, semaphores: &[(&SharedSemaphore, u64)]) -> CUresult {
        let (mut params, action) = (Semaphores::new(semaphores), node.action);
        unsafe {
            match (self.functions, action) {
                (Typed, Wait) => cuGraphExternalSemaphoresWaitNodeSetParams(node.raw, &params.waits()),
                (Typed, Signal) => cuGraphExternalSemaphoresSignalNodeSetParams(node.raw, &params.signals()),
                (Generic, _) => cuGraphNodeSetParams(node.raw, &mut params.generic(action)),
            }
        }
    }

    /// Sets a node's parameters in the instantiated graph, for the launches after it.
    pub fn update(&self, node: Node, semaphores: &[(&SharedSemaphore, u64)]) -> CUresult {
        let (mut params, Node { raw, action }) = (Semaphores::new(semaphores), node);
        unsafe {
            match (self.functions, action) {
                (Typed, Wait) => {
                    cuGraphExecExternalSemaphoresWaitNodeSetParams(self.exec, raw, &params.waits())
                }
                (Typed, Signal) => {
                    cuGraphExecExternalSemaphoresSignalNodeSetParams(self.exec, raw, &params.signals())
                }
                (Generic, _) => cuGraphExecNodeSetParams(self.exec, raw, &mut params.generic(action)),
            }
        }
    }

    pub fn instantiate(&mut self) {
        // SAFETY: the function writes a handle.
        ok(unsafe { cuGraphInstantiate(&mut self.exec, self.graph, 0) });
    }

    pub fn launch(&self) {
        // SAFETY: the graph was instantiated; what its nodes use lives until the stream is done.
        ok(unsafe { cuGraphLaunch(self.exec, self.stream.raw()) });
    }

    /// The launch is held by a wait: long after the time that it takes otherwise.
    #[track_caller]
    pub fn assert_held(&self) {
        sleep(Duration::from_millis(100));
        assert!(!self.stream.is_done().unwrap());
    }

    pub fn finish(&self) {
        self.stream.finish().unwrap();
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: each is destroyed once. A failed test may leave a launch that never ends.
        unsafe {
            if !self.exec.is_null() {
                ok(cuGraphExecDestroy(self.exec));
            }
            ok(cuGraphDestroy(self.graph));
        }
    }
}
