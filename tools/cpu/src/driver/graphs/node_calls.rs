//! Adds, reads, changes and destroys nodes of graphs. Calls take `CUgraphNodeParams` or the struct of one kind.

use std::mem::offset_of;

use super::executable_graphs::set_executable_node_work;
use crate::driver::driver_prelude::*;
use crate::driver::memory::memcpy::memcpy_node_work;
use crate::driver::memory::memset::Memset;
#[cfg(feature = "kernels")]
use crate::driver::modules::kernel_launch::kernel_launch_work;
use crate::driver::streams::graph_definition::{NODES, add_node, destroy_node};
use crate::driver::streams::host_callbacks::host_function_work;
use crate::driver::streams::imported_semaphores::SemaphoreWork;

/// The fields with which all four parameter structs of semaphore nodes begin.
type SemaphoreNodeParams = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;

macro_rules! assert_begins_with_semaphores {
    ($($type:ty)*) => {$(
        assert!(offset_of!($type, extSemArray) == offset_of!(SemaphoreNodeParams, extSemArray));
        assert!(offset_of!($type, paramsArray) == offset_of!(SemaphoreNodeParams, paramsArray));
        assert!(offset_of!($type, numExtSems) == offset_of!(SemaphoreNodeParams, numExtSems));
        assert!(size_of::<$type>() >= size_of::<SemaphoreNodeParams>());
    )*};
}
const _: () = {
    assert_begins_with_semaphores! {
        CUDA_EXT_SEM_WAIT_NODE_PARAMS CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2
    }
};

unsafe fn semaphore_node_work<T>(signal: bool, params: *const T) -> CudaResult<QueuedWork> {
    // SAFETY: each `T` begins with the fields of `SemaphoreNodeParams`, and both arrays have `numExtSems` elements.
    unsafe {
        let p = read_param(params.cast::<SemaphoreNodeParams>())?;
        if p.numExtSems > 0 && (p.extSemArray.is_null() || p.paramsArray.is_null()) {
            abort_as_driver_crashes("a node's semaphores or their parameters are null");
        }
        let work = SemaphoreWork::from_arguments(signal, p.extSemArray, p.paramsArray, p.numExtSems);
        work.map(QueuedWork::Semaphores)
    }
}

/// Makes the work of a memset node from `CUDA_MEMSET_NODE_PARAMS` or its `_v2`, which both have these fields.
macro_rules! memset_work {
    ($p:expr) => {{
        let p = $p;
        let (to, element, value, extent) = (p.dst, p.elementSize, p.value, [p.width, p.height]);
        ensure_valid(!extent.contains(&0))
            .and_then(|()| Memset { to, element, value, extent, pitch: p.pitch }.into_work())
    }};
}

/// Returns the arrays of a node that signals or, if `signal` is false, waits. The arrays live until the node changes.
fn semaphore_params_of_node(node: CUgraphNode, signal: bool) -> CudaResult<SemaphoreNodeParams> {
    match &mut *lock(&NODES.find_object(node)?.work) {
        QueuedWork::Semaphores(work) if work.is_signal == signal => Ok(SemaphoreNodeParams {
            extSemArray: work.semaphores.as_mut_ptr(),
            paramsArray: work.params.as_ptr(),
            numExtSems: work.semaphores.len() as c_uint,
        }),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

unsafe fn node_work_from_params(params: *const CUgraphNodeParams) -> CudaResult<QueuedWork> {
    // SAFETY: `type_` says which field of the union the program has written.
    unsafe {
        let params = read_param(params)?;
        ensure_valid(params.reserved0 == [0; 3] && params.reserved2 == 0)?;
        let of = &params.params;
        match params.type_ {
            SIGNAL => semaphore_node_work(true, &raw const of.extSemSignal),
            WAIT => semaphore_node_work(false, &raw const of.extSemWait),
            CU_GRAPH_NODE_TYPE_EMPTY => {
                ensure_valid(of.reserved1 == [0; 29]).map(|()| QueuedWork::empty_node())
            }
            CU_GRAPH_NODE_TYPE_MEMCPY => memcpy_node_work(&of.memcpy.copyParams),
            CU_GRAPH_NODE_TYPE_MEMSET => memset_work!(&of.memset),
            CU_GRAPH_NODE_TYPE_HOST => host_function_work(of.host.fn_, of.host.userData),
            #[cfg(feature = "kernels")]
            CU_GRAPH_NODE_TYPE_KERNEL => {
                let p = &of.kernel;
                let grid = [p.gridDimX, p.gridDimY, p.gridDimZ];
                let block = [p.blockDimX, p.blockDimY, p.blockDimZ];
                kernel_launch_work(p.func, grid, block, p.sharedMemBytes, (p.kernelParams, p.extra))
            }
            CUgraphNodeType(number) if number > CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH.0 => {
                Err(CUDA_ERROR_INVALID_VALUE)
            }
            _ => Err(CUDA_ERROR_NOT_SUPPORTED),
        }
    }
}

fn set_node_work(
    node: CUgraphNode,
    kind: CUgraphNodeType,
    work: impl FnOnce() -> CudaResult<QueuedWork>,
) -> CudaResult {
    let node = NODES.find_object(node)?;
    ensure_valid(lock(&node.work).node_type() == kind)?;
    *lock(&node.work) = work()?;
    Ok(())
}

const WAIT: CUgraphNodeType = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
const SIGNAL: CUgraphNodeType = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;

functions! {
    Init fn cuGraphAddEmptyNode(
        node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize
    ) { add_node(node, graph, (dependencies, count), || Ok(QueuedWork::empty_node())) }
    Init fn cuGraphDestroyNode(node: CUgraphNode) { destroy_node(node.handle_number()) }
    Init fn cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode, (node, graph, dependencies, count, params, _context) {
        add_node(node, graph, (dependencies, count), || memset_work!(read_param(params)?))
    }
    Init fn cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode,
        (node, graph, dependencies, count, params) {
        add_node(node, graph, (dependencies, count), || semaphore_node_work(false, params))
    }
    Init fn cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode,
        (node, graph, dependencies, count, params) {
        add_node(node, graph, (dependencies, count), || semaphore_node_work(true, params))
    }
    Init fn cuGraphAddNode(
        node: *mut CUgraphNode, graph: CUgraph, dependencies: *const CUgraphNode, count: usize,
        params: *mut CUgraphNodeParams
    ) { add_node(node, graph, (dependencies, count), || node_work_from_params(params)) }
    Init fn cuGraphAddNode_v2 | cuGraphAddNode_v3: PFN_cuGraphAddNode_v2,
        (node, graph, dependencies, _data, count, params) {
        add_node(node, graph, (dependencies, count), || node_work_from_params(params))
    }
    Init fn cuGraphExternalSemaphoresWaitNodeGetParams: PFN_cuGraphExternalSemaphoresWaitNodeGetParams,
        (node, params) { write_out(params.cast(), semaphore_params_of_node(node, false)?) }
    Init fn cuGraphExternalSemaphoresSignalNodeGetParams: PFN_cuGraphExternalSemaphoresSignalNodeGetParams,
        (node, params) { write_out(params, semaphore_params_of_node(node, true)?) }
    Init fn cuGraphNodeGetParams: PFN_cuGraphNodeGetParams, (node, params) {
        let type_ = lock(&NODES.find_object(node)?.work).node_type();
        ensure(matches!(type_, SIGNAL | WAIT), CUDA_ERROR_NOT_SUPPORTED)?;
        write_out(params, CUgraphNodeParams { type_, ..Default::default() })?;
        write_out((&raw mut (*params).params).cast(), semaphore_params_of_node(node, type_ == SIGNAL)?)
    }
    Init fn cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams,
        (node, params) { set_node_work(node, WAIT, || semaphore_node_work(false, params)) }
    Init fn cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams,
        (node, params) { set_node_work(node, SIGNAL, || semaphore_node_work(true, params)) }
    Init fn cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams, (node, params) {
        set_node_work(node, read_param(params)?.type_, || node_work_from_params(params))
    }
    Init fn cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams,
        (exec, node, params) { set_executable_node_work(exec, node, WAIT, || semaphore_node_work(false, params)) }
    Init fn cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams,
        (exec, node, params) { set_executable_node_work(exec, node, SIGNAL, || semaphore_node_work(true, params)) }
    Init fn cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams, (exec, node, params) {
        set_executable_node_work(exec, node, read_param(params)?.type_, || node_work_from_params(params))
    }
}
