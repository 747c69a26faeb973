//! The parameters of nodes: semaphores', and those of every kind that is here.

use std::mem::offset_of;
use std::slice;
use std::sync::Arc;

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, crash, functions, given};
use super::external_semaphore::{SEMAPHORES, Semaphore};
use super::fill::Fill;
use super::graph::{NODES, Template, add_node};
use super::graph_launch::{self, find as find_exec};
use super::handle::{Handle, Lookup};
use super::work::{HostFunction, Work};
use super::{copy, kernel, lock};

type SignalParams = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
type WaitParams = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

// Waits and signals share one type here.
const _: () = assert!(
    size_of::<SignalParams>() == size_of::<WaitParams>()
        && offset_of!(SignalParams, params.fence.value) == offset_of!(WaitParams, params.fence.value)
        && offset_of!(SignalParams, flags) == offset_of!(WaitParams, flags)
);

/// A node that waits or signals, with what the program gave. The semaphores are looked up when it is launched.
#[derive(Clone)]
pub struct SemaphoreNode {
    pub signal: bool,
    semaphores: Vec<CUexternalSemaphore>,
    params: Vec<SignalParams>,
}

// SAFETY: handles are numbers, and the parameters' pointers are not followed.
unsafe impl Send for SemaphoreNode {}
// SAFETY: as above.
unsafe impl Sync for SemaphoreNode {}

impl SemaphoreNode {
    /// For captured work.
    pub fn new(signal: bool, semaphores: &[(Arc<Semaphore>, u64)]) -> Self {
        let params = |(_, value): &(_, u64)| {
            let mut params = SignalParams::default();
            params.params.fence.value = *value;
            params
        };
        Self {
            signal,
            semaphores: semaphores
                .iter()
                .map(|(semaphore, _)| Handle::from_number(semaphore.number))
                .collect(),
            params: semaphores.iter().map(params).collect(),
        }
    }

    unsafe fn read(
        signal: bool,
        semaphores: *const CUexternalSemaphore,
        params: *const SignalParams,
        count: u32,
    ) -> Self {
        if count == 0 {
            return Self { signal, semaphores: Vec::new(), params: Vec::new() };
        }
        if semaphores.is_null() || params.is_null() {
            crash("a node's semaphores or their parameters are null");
        }
        // SAFETY: the caller has as many of both.
        unsafe {
            let semaphores = slice::from_raw_parts(semaphores, count as usize).to_vec();
            Self { signal, semaphores, params: slice::from_raw_parts(params, count as usize).to_vec() }
        }
    }

    pub fn count(&self) -> usize {
        self.semaphores.len()
    }

    /// Returns the work of a launch. A destroyed semaphore is left out, as NVIDIA's driver does.
    pub fn work(&self) -> Work {
        let find =
            |(semaphore, params): (&CUexternalSemaphore, &SignalParams)| match SEMAPHORES.find(*semaphore) {
                Lookup::Live(semaphore) => Some((semaphore, params.params.fence.value)),
                Lookup::Null => crash("a node's semaphore is null"),
                _ => None,
            };
        let semaphores = self.semaphores.iter().zip(&self.params).filter_map(find).collect();
        if self.signal { Work::Signal(semaphores) } else { Work::Wait(semaphores) }
    }
}

/// Replaces a node's parameters by others of the same kind.
fn set(node: CUgraphNode, template: Template) -> Answer {
    let node = NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?;
    let mut old = lock(&node.template);
    check(old.kind() == template.kind(), CUDA_ERROR_INVALID_VALUE)?;
    *old = template;
    Ok(())
}

/// Calls with the parameters of a node that waits or signals. They live as long as the node has them.
fn with_semaphores(
    node: CUgraphNode,
    signal: bool,
    with: impl FnOnce(&mut SemaphoreNode) -> Answer,
) -> Answer {
    let node = NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?;
    match &mut *lock(&node.template) {
        Template::Semaphores(semaphores) if semaphores.signal == signal => with(semaphores),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Reads the parameters of a node of any kind.
unsafe fn of_any_kind(params: &CUgraphNodeParams) -> Answer<Template> {
    check(params.reserved0 == [0; 3] && params.reserved2 == 0, CUDA_ERROR_INVALID_VALUE)?;
    // SAFETY: the type says which field of the union the caller has written.
    let work = unsafe {
        match params.type_ {
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
                let node = &params.params.extSemSignal;
                let node = SemaphoreNode::read(true, node.extSemArray, node.paramsArray, node.numExtSems);
                return Ok(Template::Semaphores(node));
            }
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
                let node = &params.params.extSemWait;
                let node =
                    SemaphoreNode::read(false, node.extSemArray, node.paramsArray.cast(), node.numExtSems);
                return Ok(Template::Semaphores(node));
            }
            CU_GRAPH_NODE_TYPE_EMPTY => Work::Nothing,
            CU_GRAPH_NODE_TYPE_MEMCPY => copy::node(&params.params.memcpy.copyParams)?,
            CU_GRAPH_NODE_TYPE_MEMSET => {
                let p = &params.params.memset;
                let element = (p.elementSize as usize, p.value);
                Work::Fill(Fill::new(p.dst, p.pitch, element, [p.width, p.height])?)
            }
            CU_GRAPH_NODE_TYPE_HOST => {
                let host = &params.params.host;
                let function = host.fn_.ok_or(CUDA_ERROR_INVALID_VALUE)?;
                Work::HostFunction(HostFunction { function, argument: host.userData })
            }
            CU_GRAPH_NODE_TYPE_KERNEL => {
                let p = &params.params.kernel;
                let grid = [p.gridDimX, p.gridDimY, p.gridDimZ];
                let block = [p.blockDimX, p.blockDimY, p.blockDimZ];
                Work::Kernel(kernel::launch(
                    p.func,
                    grid,
                    block,
                    p.sharedMemBytes,
                    (p.kernelParams, p.extra),
                )?)
            }
            CUgraphNodeType(number) if number > CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH.0 => {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            _ => return Err(CUDA_ERROR_NOT_SUPPORTED),
        }
    };
    Ok(Template::Work(work))
}

unsafe fn generic(params: *const CUgraphNodeParams) -> Answer<Template> {
    // SAFETY: the caller's parameters.
    unsafe { of_any_kind(given(params)?) }
}

unsafe fn wait_node(params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> Answer<Template> {
    // SAFETY: the caller's parameters, here and below.
    let p = unsafe { given(params)? };
    Ok(Template::Semaphores(unsafe {
        SemaphoreNode::read(false, p.extSemArray, p.paramsArray.cast(), p.numExtSems)
    }))
}

unsafe fn signal_node(params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> Answer<Template> {
    // SAFETY: the caller's parameters, here and below.
    let p = unsafe { given(params)? };
    Ok(Template::Semaphores(unsafe { SemaphoreNode::read(true, p.extSemArray, p.paramsArray, p.numExtSems) }))
}

/// The first version of cuGraphAddNode, without data of edges.
type AddNode = unsafe extern "C" fn(
    *mut CUgraphNode,
    CUgraph,
    *const CUgraphNode,
    usize,
    *mut CUgraphNodeParams,
) -> CUresult;

functions! {
    Init fn cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode,
        (node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize,
         params: *const CUDA_MEMSET_NODE_PARAMS, _context: CUcontext)
    {
        add_node(node, graph, (dependencies, count), || {
            let p = given(params)?;
            let element = (p.elementSize as usize, p.value);
            Ok(Template::Work(Work::Fill(Fill::new(p.dst, p.pitch, element, [p.width, p.height])?)))
        })
    }
    Init fn cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode,
        (node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize,
         params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS)
    {
        add_node(node, graph, (dependencies, count), || wait_node(params))
    }
    Init fn cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode,
        (node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize,
         params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
    {
        add_node(node, graph, (dependencies, count), || signal_node(params))
    }
    Init fn cuGraphAddNode: AddNode,
        (node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize,
         params: *mut CUgraphNodeParams)
    {
        add_node(node, graph, (dependencies, count), || generic(params))
    }
    Init fn cuGraphAddNode_v2: PFN_cuGraphAddNode_v2,
        (node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode,
         _data: *const CUgraphEdgeData, count: usize, params: *mut CUgraphNodeParams)
    {
        add_node(node, graph, (dependencies, count), || generic(params))
    }
    Init fn cuGraphExternalSemaphoresWaitNodeGetParams: PFN_cuGraphExternalSemaphoresWaitNodeGetParams,
        (node: CUgraphNode, params: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS)
    {
        with_semaphores(node, false, |node| params.put(CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: node.semaphores.as_mut_ptr(),
            paramsArray: node.params.as_ptr().cast(),
            numExtSems: node.count() as u32,
        }))
    }
    Init fn cuGraphExternalSemaphoresSignalNodeGetParams: PFN_cuGraphExternalSemaphoresSignalNodeGetParams,
        (node: CUgraphNode, params: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
    {
        with_semaphores(node, true, |node| params.put(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: node.semaphores.as_mut_ptr(),
            paramsArray: node.params.as_ptr(),
            numExtSems: node.count() as u32,
        }))
    }
    Init fn cuGraphNodeGetParams: PFN_cuGraphNodeGetParams, (node: CUgraphNode, params: *mut CUgraphNodeParams) {
        let type_ = lock(&NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?.template).kind();
        let mut made = CUgraphNodeParams { type_, ..Default::default() };
        let signal = type_ == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
        check(signal || type_ == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, CUDA_ERROR_NOT_SUPPORTED)?;
        with_semaphores(node, signal, |node| {
            let (semaphores, count) = (node.semaphores.as_mut_ptr(), node.count() as u32);
            if signal {
                let (to, params) = (&mut made.params.extSemSignal, node.params.as_ptr());
                (to.extSemArray, to.paramsArray, to.numExtSems) = (semaphores, params, count);
            } else {
                let (to, params) = (&mut made.params.extSemWait, node.params.as_ptr().cast());
                (to.extSemArray, to.paramsArray, to.numExtSems) = (semaphores, params, count);
            }
            params.put(made)
        })
    }
    Init fn cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams,
        (node: CUgraphNode, params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS)
    {
        set(node, wait_node(params)?)
    }
    Init fn cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams,
        (node: CUgraphNode, params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
    {
        set(node, signal_node(params)?)
    }
    Init fn cuGraphNodeSetParams: PFN_cuGraphNodeSetParams, (node: CUgraphNode, params: *mut CUgraphNodeParams) {
        set(node, generic(params)?)
    }
    Init fn cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams_v2, (node: CUgraphNode, params: *mut CUgraphNodeParams) {
        set(node, generic(params)?)
    }
    Init fn cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams,
        (exec: CUgraphExec, node: CUgraphNode, params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS)
    {
        graph_launch::set(&*find_exec(exec)?, node, wait_node(params)?)
    }
    Init fn cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams,
        (exec: CUgraphExec, node: CUgraphNode, params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS)
    {
        graph_launch::set(&*find_exec(exec)?, node, signal_node(params)?)
    }
    Init fn cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams,
        (exec: CUgraphExec, node: CUgraphNode, params: *mut CUgraphNodeParams)
    {
        graph_launch::set(&*find_exec(exec)?, node, generic(params)?)
    }
}
