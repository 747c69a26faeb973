//! Nodes of graphs by their parameters: one kind's, or those of any kind in one struct.

use std::mem::offset_of;

use super::executable_graphs::{EXECS, replace};
use crate::driver::base::prelude::*;
use crate::driver::memory::memcpy::Copy;
use crate::driver::memory::memset::Fill;
#[cfg(feature = "kernels")]
use crate::driver::modules::kernel_launch;
use crate::driver::streams::graph_definition::{NODES, add_node, destroy_node};
use crate::driver::streams::imported_semaphores::SemaphoreWork;
use crate::driver::streams::queued_work::Work;

/// The fields with which the parameters of a wait and of a signal begin, in both versions.
type Semaphores = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;

macro_rules! begins_so {
    ($type:ty) => {
        assert!(
            offset_of!($type, extSemArray) == offset_of!(Semaphores, extSemArray)
                && offset_of!($type, paramsArray) == offset_of!(Semaphores, paramsArray)
                && offset_of!($type, numExtSems) == offset_of!(Semaphores, numExtSems)
                && size_of::<$type>() >= size_of::<Semaphores>()
        )
    };
}
const _: () = begins_so!(CUDA_EXT_SEM_WAIT_NODE_PARAMS);
const _: () = begins_so!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2);
const _: () = begins_so!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2);

unsafe fn semaphores<T>(signal: bool, params: *const T) -> CudaResult<Work> {
    // SAFETY: the caller passes as many of both as the count says.
    unsafe {
        let p = read_param(params.cast::<Semaphores>())?;
        if p.numExtSems > 0 && (p.extSemArray.is_null() || p.paramsArray.is_null()) {
            crash("a node's semaphores or their parameters are null");
        }
        Ok(Work::Semaphores(SemaphoreWork::read(signal, p.extSemArray, p.paramsArray, p.numExtSems)?))
    }
}

fn memset(to: u64, element: c_uint, value: u32, extent: [usize; 2], pitch: usize) -> CudaResult<Work> {
    require(!extent.contains(&0))?;
    Fill { to, element, value, extent, pitch }.work()
}

/// Returns the semaphores of a node that waits or signals. They live as long as the node has them.
fn semaphores_of(node: CUgraphNode, signal: bool) -> CudaResult<Semaphores> {
    match &mut *lock(&NODES.find(node)?.work) {
        Work::Semaphores(work) if work.signal == signal => Ok(Semaphores {
            extSemArray: work.semaphores.as_mut_ptr(),
            paramsArray: work.params.as_ptr(),
            numExtSems: work.semaphores.len() as c_uint,
        }),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Reads the parameters of a node of any kind.
unsafe fn any(params: *const CUgraphNodeParams) -> CudaResult<Work> {
    // SAFETY: the caller's parameters. The type says which field of the union is written.
    unsafe {
        let params = read_param(params)?;
        require(params.reserved0 == [0; 3] && params.reserved2 == 0)?;
        let of = &params.params;
        match params.type_ {
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => semaphores(true, &raw const of.extSemSignal),
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => semaphores(false, &raw const of.extSemWait),
            CU_GRAPH_NODE_TYPE_EMPTY => require(of.reserved1 == [0; 29]).map(|()| Work::nothing()),
            CU_GRAPH_NODE_TYPE_MEMCPY => Ok(Copy::of_3d(&of.memcpy.copyParams)?.work()),
            CU_GRAPH_NODE_TYPE_MEMSET => {
                let p = &of.memset;
                memset(p.dst, p.elementSize, p.value, [p.width, p.height], p.pitch)
            }
            CU_GRAPH_NODE_TYPE_HOST => Work::host_function(of.host.fn_, of.host.userData),
            #[cfg(feature = "kernels")]
            CU_GRAPH_NODE_TYPE_KERNEL => {
                let p = &of.kernel;
                let grid = [p.gridDimX, p.gridDimY, p.gridDimZ];
                let block = [p.blockDimX, p.blockDimY, p.blockDimZ];
                kernel_launch::work(p.func, grid, block, p.sharedMemBytes, (p.kernelParams, p.extra))
            }
            CUgraphNodeType(number) if number > CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH.0 => {
                Err(CUDA_ERROR_INVALID_VALUE)
            }
            _ => Err(CUDA_ERROR_NOT_SUPPORTED),
        }
    }
}

/// Changes a node of this kind. Its parameters are looked at last.
fn set(node: CUgraphNode, kind: CUgraphNodeType, work: impl FnOnce() -> CudaResult<Work>) -> CudaResult {
    let node = NODES.find(node)?;
    require(lock(&node.work).kind() == kind)?;
    replace(&mut lock(&node.work), work()?)
}

fn set_exec(
    exec: CUgraphExec,
    node: CUgraphNode,
    kind: CUgraphNodeType,
    work: impl FnOnce() -> CudaResult<Work>,
) -> CudaResult {
    EXECS.find(exec)?.set(node, kind, work)
}

const WAIT: CUgraphNodeType = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
const SIGNAL: CUgraphNodeType = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;

functions! {
    Init fn cuGraphAddEmptyNode(node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize) {
        add_node(node, graph, (dependencies, count), || Ok(Work::nothing()))
    }
    Init fn cuGraphDestroyNode(node: CUgraphNode) { destroy_node(node.number()) }
    Init fn cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode, (node, graph, dependencies, count, params, _context) {
        add_node(node, graph, (dependencies, count), || {
            let p = read_param(params)?;
            memset(p.dst, p.elementSize, p.value, [p.width, p.height], p.pitch)
        })
    }
    Init fn cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode,
        (node, graph, dependencies, count, params)
    {
        add_node(node, graph, (dependencies, count), || semaphores(false, params))
    }
    Init fn cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode,
        (node, graph, dependencies, count, params)
    {
        add_node(node, graph, (dependencies, count), || semaphores(true, params))
    }
    Init fn cuGraphAddNode(
        node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize,
        params: *mut CUgraphNodeParams
    ) {
        add_node(node, graph, (dependencies, count), || any(params))
    }
    Init fn cuGraphAddNode_v2: PFN_cuGraphAddNode_v2, (node, graph, dependencies, _data, count, params) {
        add_node(node, graph, (dependencies, count), || any(params))
    }
    Init fn cuGraphExternalSemaphoresWaitNodeGetParams: PFN_cuGraphExternalSemaphoresWaitNodeGetParams, (node, params) {
        write_out(params.cast(), semaphores_of(node, false)?)
    }
    Init fn cuGraphExternalSemaphoresSignalNodeGetParams: PFN_cuGraphExternalSemaphoresSignalNodeGetParams, (node, params) {
        write_out(params, semaphores_of(node, true)?)
    }
    Init fn cuGraphNodeGetParams: PFN_cuGraphNodeGetParams, (node, params) {
        let type_ = lock(&NODES.find(node)?.work).kind();
        let signal = type_ == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
        check(signal || type_ == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, CUDA_ERROR_NOT_SUPPORTED)?;
        write_out(params, CUgraphNodeParams { type_, ..Default::default() })?;
        write_out((&raw mut (*params).params).cast(), semaphores_of(node, signal)?)
    }
    Init fn cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams, (node, params) {
        set(node, WAIT, || semaphores(false, params))
    }
    Init fn cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams, (node, params) {
        set(node, SIGNAL, || semaphores(true, params))
    }
    Init fn cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams, (node, params) {
        set(node, read_param(params)?.type_, || any(params))
    }
    Init fn cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams,
        (exec, node, params)
    {
        set_exec(exec, node, WAIT, || semaphores(false, params))
    }
    Init fn cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams,
        (exec, node, params)
    {
        set_exec(exec, node, SIGNAL, || semaphores(true, params))
    }
    Init fn cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams, (exec, node, params) {
        set_exec(exec, node, read_param(params)?.type_, || any(params))
    }
}
