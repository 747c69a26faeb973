//! A graph in the making, a chain of nodes; then an instantiated graph and its stream.

use std::ptr::{null, null_mut};
use std::thread::sleep;
use std::time::Duration;

use cuda_external_sys::*;

use crate::machine::{cuda, ok};
use interop::cuda::import_semaphore;
use interop::vulkan::{Semaphore, Vulkan};

pub const TIMELINE: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// A semaphore of Vulkan's, imported.
pub struct Imported<'v> {
    pub vulkan: Semaphore<'v>,
    pub cuda: CUexternalSemaphore,
}

impl<'v> Imported<'v> {
    pub fn timeline(vulkan: &'v Vulkan) -> Self {
        let semaphore = Semaphore::timeline(vulkan, 0).unwrap();
        let cuda = import_semaphore(semaphore.export().unwrap(), TIMELINE).unwrap();
        Self { vulkan: semaphore, cuda }
    }

    pub fn binary(vulkan: &'v Vulkan) -> Self {
        let semaphore = Semaphore::binary(vulkan).unwrap();
        let kind = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        let cuda = import_semaphore(semaphore.export().unwrap(), kind).unwrap();
        Self { vulkan: semaphore, cuda }
    }
}

impl Drop for Imported<'_> {
    fn drop(&mut self) {
        // A failed test may leave a wait that never ends, and this would wait for it.
        if std::thread::panicking() {
            return;
        }
        // SAFETY: the graph that used it is gone, and its stream is done.
        ok(unsafe { cuDestroyExternalSemaphore(self.cuda) });
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
        let handles = waits.iter().map(|(semaphore, _)| semaphore.cuda).collect();
        Self(handles, waits.iter().map(|(_, value)| param(*value)).collect())
    }

    pub fn params(&mut self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        let (handles, params) = (self.0.as_mut_ptr(), self.1.as_ptr());
        let count = self.0.len() as u32;
        CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: handles, paramsArray: params, numExtSems: count }
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
        let handles = signals.iter().map(|(semaphore, _)| semaphore.cuda).collect();
        Self(handles, signals.iter().map(|(_, value)| param(*value)).collect())
    }

    pub fn params(&mut self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        let (handles, params) = (self.0.as_mut_ptr(), self.1.as_ptr());
        let count = self.0.len() as u32;
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray: handles, paramsArray: params, numExtSems: count }
    }
}

/// A chain of nodes in the making, then an instantiated graph and its stream.
pub struct Graph {
    pub graph: CUgraph,
    exec: CUgraphExec,
    stream: CUstream,
    last: CUgraphNode,
}

impl Graph {
    pub fn new() -> Self {
        let mut new = Self { graph: null_mut(), exec: null_mut(), stream: null_mut(), last: null_mut() };
        // SAFETY: the functions write a graph and a stream.
        unsafe {
            ok(cuGraphCreate(&mut new.graph, 0));
            ok(cuStreamCreate(&mut new.stream, CU_STREAM_NON_BLOCKING.0));
        }
        new
    }

    /// The nodes that the next one comes after.
    fn before(&self) -> (*const CUgraphNode, usize) {
        if self.last.is_null() { (null(), 0) } else { (&raw const self.last, 1) }
    }

    pub fn wait(&mut self, waits: &[(&Imported, u64)]) -> CUgraphNode {
        let (mut waits, (before, count), mut node) = (Waits::new(waits), self.before(), null_mut());
        let params = waits.params();
        // SAFETY: the function reads the parameters and what they point to, and writes a node.
        ok(unsafe { cuGraphAddExternalSemaphoresWaitNode(&mut node, self.graph, before, count, &params) });
        self.last = node;
        node
    }

    pub fn signal(&mut self, signals: &[(&Imported, u64)]) -> CUgraphNode {
        let (mut signals, (before, count), mut node) = (Signals::new(signals), self.before(), null_mut());
        let params = signals.params();
        // SAFETY: as above.
        ok(unsafe { cuGraphAddExternalSemaphoresSignalNode(&mut node, self.graph, before, count, &params) });
        self.last = node;
        node
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
        let ((before, count), mut node) = (self.before(), null_mut());
        let context = cuda().context();
        // SAFETY: as above.
        ok(unsafe { cuGraphAddMemsetNode(&mut node, self.graph, before, count, &params, context) });
        self.last = node;
    }

    pub fn instantiate(&mut self) {
        // SAFETY: the function writes a handle.
        ok(unsafe { cuGraphInstantiateWithFlags(&mut self.exec, self.graph, 0) });
    }

    pub fn launch(&self) {
        // SAFETY: the graph was instantiated; what its nodes use lives until the stream is done.
        ok(unsafe { cuGraphLaunch(self.exec, self.stream) });
    }

    /// The launch is held by a wait: long after the time that it takes otherwise.
    #[track_caller]
    pub fn assert_held(&self) {
        sleep(Duration::from_millis(100));
        // SAFETY: the stream lives.
        assert_eq!(unsafe { cuStreamQuery(self.stream) }, CUDA_ERROR_NOT_READY);
    }

    pub fn finish(&self) {
        // SAFETY: the stream lives.
        ok(unsafe { cuStreamSynchronize(self.stream) });
    }

    pub fn update_wait(&self, node: CUgraphNode, waits: &[(&Imported, u64)]) -> CUresult {
        let mut waits = Waits::new(waits);
        // SAFETY: the function reads the parameters and what they point to.
        unsafe { cuGraphExecExternalSemaphoresWaitNodeSetParams(self.exec, node, &waits.params()) }
    }

    pub fn update_signal(&self, node: CUgraphNode, signals: &[(&Imported, u64)]) -> CUresult {
        let mut signals = Signals::new(signals);
        // SAFETY: as above.
        unsafe { cuGraphExecExternalSemaphoresSignalNodeSetParams(self.exec, node, &signals.params()) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: each is destroyed once; a failed test may leave a launch that never ends.
        unsafe {
            if !self.exec.is_null() {
                ok(cuGraphExecDestroy(self.exec));
            }
            ok(cuGraphDestroy(self.graph));
            ok(cuStreamDestroy_v2(self.stream));
        }
    }
}
