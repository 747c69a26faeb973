//! Nodes of graphs by their parameters: one kind's, or those of any kind in one struct.

use cuda_external_sys::*;

use super::call::{Answer, Pointer, check, crash, functions, given, require};
use super::copy::Copy;
use super::external_semaphore::{SemaphoreWork, SignalParams};
use super::graph::{EXECS, NODES, add_node, replace};
use super::work::Work;
use super::{event, fill, kernel, lock};

type Params = *const CUgraphNodeParams;

/// The first version of cuGraphAddNode, without data of edges.
type AddNode = unsafe extern "C" fn(
    *mut CUgraphNode,
    CUgraph,
    *const CUgraphNode,
    usize,
    *mut CUgraphNodeParams,
) -> CUresult;

unsafe fn semaphores(
    signal: bool,
    semaphores: *const CUexternalSemaphore,
    params: *const SignalParams,
    count: u32,
) -> Work {
    if count > 0 && (semaphores.is_null() || params.is_null()) {
        crash("a node's semaphores or their parameters are null");
    }
    // SAFETY: the caller has as many of both.
    Work::Semaphores(unsafe { SemaphoreWork::read(signal, semaphores, params, count) })
}

unsafe fn wait(params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> Answer<Work> {
    // SAFETY: the caller's parameters, here and below.
    let p = unsafe { given(params)? };
    Ok(unsafe { semaphores(false, p.extSemArray, p.paramsArray.cast(), p.numExtSems) })
}

unsafe fn signal(params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> Answer<Work> {
    // SAFETY: the caller's parameters, here and below.
    let p = unsafe { given(params)? };
    Ok(unsafe { semaphores(true, p.extSemArray, p.paramsArray, p.numExtSems) })
}

/// Reads the parameters of a node of any kind.
unsafe fn any(params: Params) -> Answer<Work> {
    // SAFETY: the caller's parameters. The type says which field of the union is written.
    unsafe {
        let params = given(params)?;
        require(params.reserved0 == [0; 3] && params.reserved2 == 0)?;
        let of = &params.params;
        match params.type_ {
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
                let p = &of.extSemSignal;
                Ok(semaphores(true, p.extSemArray, p.paramsArray, p.numExtSems))
            }
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
                let p = &of.extSemWait;
                Ok(semaphores(false, p.extSemArray, p.paramsArray.cast(), p.numExtSems))
            }
            CU_GRAPH_NODE_TYPE_EMPTY => Ok(Work::nothing()),
            CU_GRAPH_NODE_TYPE_MEMCPY => Ok(Copy::of_3d(&of.memcpy.copyParams)?.work()),
            CU_GRAPH_NODE_TYPE_MEMSET => {
                let CUDA_MEMSET_NODE_PARAMS_v2 { dst, pitch, value, elementSize, width, height, .. } =
                    of.memset;
                fill::work(&CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height })
            }
            CU_GRAPH_NODE_TYPE_HOST => event::host_function(of.host.fn_, of.host.userData),
            CU_GRAPH_NODE_TYPE_KERNEL => {
                let p = &of.kernel;
                let grid = [p.gridDimX, p.gridDimY, p.gridDimZ];
                let block = [p.blockDimX, p.blockDimY, p.blockDimZ];
                kernel::work(p.func, grid, block, p.sharedMemBytes, (p.kernelParams, p.extra))
            }
            CUgraphNodeType(number) if number > CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH.0 => {
                Err(CUDA_ERROR_INVALID_VALUE)
            }
            _ => Err(CUDA_ERROR_NOT_SUPPORTED),
        }
    }
}

fn set(node: CUgraphNode, work: Work) -> Answer {
    replace(&mut lock(&NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?.work), work)
}

fn set_exec(exec: CUgraphExec, node: CUgraphNode, work: Answer<Work>) -> Answer {
    EXECS.find(exec).or(CUDA_ERROR_INVALID_VALUE)?.set(node, work?)
}

/// Calls with the semaphores of a node that waits or signals, their parameters and how many there are. They live as long as the
/// node has them.
fn with_semaphores(
    node: CUgraphNode,
    signal: bool,
    with: impl FnOnce(*mut CUexternalSemaphore, *const SignalParams, u32) -> Answer,
) -> Answer {
    let node = NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?;
    match &mut *lock(&node.work) {
        Work::Semaphores(work) if work.signal == signal => {
            with(work.semaphores.as_mut_ptr(), work.params.as_ptr(), work.semaphores.len() as u32)
        }
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

functions! {
    Init fn cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode, (node, graph, dependencies, count, params, _context) {
        add_node(node, graph, (dependencies, count), || fill::work(given(params)?))
    }
    Init fn cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode,
        (node, graph, dependencies, count, params)
    {
        add_node(node, graph, (dependencies, count), || wait(params))
    }
    Init fn cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode,
        (node, graph, dependencies, count, params)
    {
        add_node(node, graph, (dependencies, count), || signal(params))
    }
    Init fn cuGraphAddNode: AddNode, (node, graph, dependencies, count, params) {
        add_node(node, graph, (dependencies, count), || any(params))
    }
    Init fn cuGraphAddNode_v2: PFN_cuGraphAddNode_v2, (node, graph, dependencies, _data, count, params) {
        add_node(node, graph, (dependencies, count), || any(params))
    }
    Init fn cuGraphExternalSemaphoresWaitNodeGetParams: PFN_cuGraphExternalSemaphoresWaitNodeGetParams, (node, params) {
        with_semaphores(node, false, |array, each, count| params.put(CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: array,
            paramsArray: each.cast(),
            numExtSems: count,
        }))
    }
    Init fn cuGraphExternalSemaphoresSignalNodeGetParams: PFN_cuGraphExternalSemaphoresSignalNodeGetParams, (node, params) {
        with_semaphores(node, true, |array, each, count| params.put(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: array,
            paramsArray: each,
            numExtSems: count,
        }))
    }
    Init fn cuGraphNodeGetParams: PFN_cuGraphNodeGetParams, (node, params) {
        let type_ = lock(&NODES.find(node).or(CUDA_ERROR_INVALID_VALUE)?.work).kind();
        let signal = type_ == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
        check(signal || type_ == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, CUDA_ERROR_NOT_SUPPORTED)?;
        with_semaphores(node, signal, |array, each, count| {
            let mut made = CUgraphNodeParams { type_, ..Default::default() };
            if signal {
                let to = &mut made.params.extSemSignal;
                (to.extSemArray, to.paramsArray, to.numExtSems) = (array, each, count);
            } else {
                let to = &mut made.params.extSemWait;
                (to.extSemArray, to.paramsArray, to.numExtSems) = (array, each.cast(), count);
            }
            params.put(made)
        })
    }
    Init fn cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams, (node, params) {
        set(node, wait(params)?)
    }
    Init fn cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams, (node, params) {
        set(node, signal(params)?)
    }
    Init fn cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams, (node, params) {
        set(node, any(params)?)
    }
    Init fn cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams,
        (exec, node, params)
    {
        set_exec(exec, node, wait(params))
    }
    Init fn cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams,
        (exec, node, params)
    {
        set_exec(exec, node, signal(params))
    }
    Init fn cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams, (exec, node, params) {
        set_exec(exec, node, any(params))
    }
}
