//! A graph in the making, a chain of nodes; then an instantiated graph and its stream.

use std::ptr::{null, null_mut};
use std::thread::sleep;
use std::time::Duration;

use cuda_external_sys::*;
use interop::cuda::{ImportedSemaphore, Stream};
use interop::vulkan::{Semaphore, Vulkan};

use crate::machine::{cuda, ok};

/// Which functions make and set the semaphore nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Functions {
    /// `cuGraphAddExternalSemaphoresWaitNode` and its relatives.
    Typed,
    /// `cuGraphAddNode` and its relatives, with `CUgraphNodeParams`.
    Generic,
}

/// A semaphore of Vulkan's, imported.
pub struct Imported<'v> {
    pub vulkan: Semaphore<'v>,
    pub cuda: ImportedSemaphore,
}

impl<'v> Imported<'v> {
    pub fn timeline(vulkan: &'v Vulkan) -> Self {
        Self::new(Semaphore::timeline(vulkan, 0).unwrap())
    }

    pub fn binary(vulkan: &'v Vulkan) -> Self {
        Self::new(Semaphore::binary(vulkan).unwrap())
    }

    fn new(vulkan: Semaphore<'v>) -> Self {
        let cuda = ImportedSemaphore::from_vulkan(&vulkan).unwrap();
        Self { vulkan, cuda }
    }
}

/// Semaphores and the values to wait for.
pub struct Waits(pub Vec<CUexternalSemaphore>, pub Vec<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>);

impl Waits {
    pub fn new(waits: &[(&Imported, u64)]) -> Self {
        let param = |value| {
            let mut param = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
            param.params.fence.value = value;
            param
        };
        let handles = waits.iter().map(|(semaphore, _)| semaphore.cuda.raw()).collect();
        Self(handles, waits.iter().map(|(_, value)| param(*value)).collect())
    }

    pub fn params(&mut self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        let (handles, params) = (self.0.as_mut_ptr(), self.1.as_ptr());
        let count = self.0.len() as u32;
        CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: handles, paramsArray: params, numExtSems: count }
    }

    pub fn generic(&mut self) -> CUgraphNodeParams {
        let CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems } = self.params();
        let typed =
            CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 { extSemArray, paramsArray, numExtSems, ..Default::default() };
        let mut params = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, ..Default::default() };
        params.params.extSemWait = typed;
        params
    }
}

/// Semaphores and the values to signal.
pub struct Signals(pub Vec<CUexternalSemaphore>, pub Vec<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>);

impl Signals {
    pub fn new(signals: &[(&Imported, u64)]) -> Self {
        let param = |value| {
            let mut param = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
            param.params.fence.value = value;
            param
        };
        let handles = signals.iter().map(|(semaphore, _)| semaphore.cuda.raw()).collect();
        Self(handles, signals.iter().map(|(_, value)| param(*value)).collect())
    }

    pub fn params(&mut self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        let (handles, params) = (self.0.as_mut_ptr(), self.1.as_ptr());
        let count = self.0.len() as u32;
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray: handles, paramsArray: params, numExtSems: count }
    }

    pub fn generic(&mut self) -> CUgraphNodeParams {
        let CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems } = self.params();
        let typed =
            CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 { extSemArray, paramsArray, numExtSems, ..Default::default() };
        let mut params =
            CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, ..Default::default() };
        params.params.extSemSignal = typed;
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

    pub fn wait(&mut self, waits: &[(&Imported, u64)]) -> CUgraphNode {
        let (mut waits, functions) = (Waits::new(waits), self.functions);
        // SAFETY: the functions read the parameters and what they point to, and write a node.
        self.append(|node, graph, before, count| unsafe {
            match functions {
                Functions::Typed => {
                    cuGraphAddExternalSemaphoresWaitNode(node, graph, before, count, &waits.params())
                }
                Functions::Generic => {
                    cuGraphAddNode(node, graph, before, null(), count, &mut waits.generic())
                }
            }
        })
    }

    pub fn signal(&mut self, signals: &[(&Imported, u64)]) -> CUgraphNode {
        let (mut signals, functions) = (Signals::new(signals), self.functions);
        // SAFETY: the functions read the parameters and what they point to, and write a node.
        self.append(|node, graph, before, count| unsafe {
            match functions {
                Functions::Typed => {
                    cuGraphAddExternalSemaphoresSignalNode(node, graph, before, count, &signals.params())
                }
                Functions::Generic => {
                    cuGraphAddNode(node, graph, before, null(), count, &mut signals.generic())
                }
            }
        })
    }

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
        // SAFETY: the function reads the parameters, and writes a node.
        self.append(|node, graph, before, count| unsafe {
            cuGraphAddMemsetNode(node, graph, before, count, &params, context)
        });
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

    /// Sets a node's parameters in the graph, which is a template: what was instantiated does not change with it.
    pub fn set_wait(&self, node: CUgraphNode, waits: &[(&Imported, u64)]) -> CUresult {
        let mut waits = Waits::new(waits);
        // SAFETY: the functions read the parameters and what they point to, here and below.
        unsafe {
            match self.functions {
                Functions::Typed => cuGraphExternalSemaphoresWaitNodeSetParams(node, &waits.params()),
                Functions::Generic => cuGraphNodeSetParams(node, &mut waits.generic()),
            }
        }
    }

    pub fn set_signal(&self, node: CUgraphNode, signals: &[(&Imported, u64)]) -> CUresult {
        let mut signals = Signals::new(signals);
        // SAFETY: as above.
        unsafe {
            match self.functions {
                Functions::Typed => cuGraphExternalSemaphoresSignalNodeSetParams(node, &signals.params()),
                Functions::Generic => cuGraphNodeSetParams(node, &mut signals.generic()),
            }
        }
    }

    /// Sets a node's parameters in the instantiated graph, for the launches after it.
    pub fn update_wait(&self, node: CUgraphNode, waits: &[(&Imported, u64)]) -> CUresult {
        let mut waits = Waits::new(waits);
        // SAFETY: as above.
        unsafe {
            match self.functions {
                Functions::Typed => {
                    cuGraphExecExternalSemaphoresWaitNodeSetParams(self.exec, node, &waits.params())
                }
                Functions::Generic => cuGraphExecNodeSetParams(self.exec, node, &mut waits.generic()),
            }
        }
    }

    pub fn update_signal(&self, node: CUgraphNode, signals: &[(&Imported, u64)]) -> CUresult {
        let mut signals = Signals::new(signals);
        // SAFETY: as above.
        unsafe {
            match self.functions {
                Functions::Typed => {
                    cuGraphExecExternalSemaphoresSignalNodeSetParams(self.exec, node, &signals.params())
                }
                Functions::Generic => cuGraphExecNodeSetParams(self.exec, node, &mut signals.generic()),
            }
        }
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
