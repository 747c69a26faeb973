//! Functions that make, change and launch graphs.

use std::ffi::{c_char, c_uint, c_ulonglong, c_void};

use cuda_external_sys::*;

use super::lifetimes::noted;
use super::trace::{synchronized, traced};
use super::wrap;
use crate::layer::call::stream;
use crate::layer::graph::{self, Target, written};
use crate::layer::graphs::Of;
use crate::layer::state::{State, state};
use crate::layer::transfers;

/// Takes in what was instantiated, by the pointer that the call wrote it to.
unsafe fn instantiated(real: impl FnOnce() -> CUresult, out: *mut CUgraphExec, of: CUgraph) -> CUresult {
    noted(real, |state| {
        // SAFETY: the call succeeded.
        if let Some(instance) = unsafe { written(out) } {
            state.graphs.instantiated(of.addr(), instance);
        }
    })
}

/// Ends something, and takes the end back where the driver refused it.
fn ends<T>(
    real: impl FnOnce() -> CUresult,
    end: impl FnOnce(&mut State) -> T,
    revive: impl FnOnce(&mut State, T),
) -> CUresult {
    let ended = end(&mut state());
    let code = real();
    if code != CUDA_SUCCESS {
        revive(&mut state(), ended);
    }
    code
}

/// The functions for one kind of node that signals or waits.
macro_rules! semaphore_nodes {
    ($($add:ident: $pfn_add:ident, $set:ident: $pfn_set:ident, $exec:ident: $pfn_exec:ident($params:ty, $arrays:path);)* @ $($rest:tt)*) => {
        // SAFETY, for each of them: the program's arguments are as the driver needs them.
        wrap! {
            $($add: $pfn_add(
                out: *mut CUgraphNode,
                of: CUgraph,
                after: *const CUgraphNode,
                count: usize,
                params: *const $params,
            ) |call, real| traced(call, None, || format!("{of:?}, {count} dependencies"), || unsafe {
                graph::semaphore_node(call, Target::New { graph: of.addr(), out }, $arrays(params), real)
            });
            $set: $pfn_set(node: CUgraphNode, params: *const $params) |call, real| {
                traced(call, None, || format!("{node:?}"), || unsafe {
                    graph::semaphore_node(call, Target::Node(node), $arrays(params), real)
                })
            };
            $exec: $pfn_exec(instance: CUgraphExec, node: CUgraphNode, params: *const $params) |call, real| {
                traced(call, None, || format!("{instance:?}, {node:?}"), || unsafe {
                    let target = Target::Instance { instance: instance.addr(), node };
                    graph::semaphore_node(call, target, $arrays(params), real)
                })
            };)*
            $($rest)*
        }
    };
}

semaphore_nodes! {
    cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode,
    cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams,
    cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, graph::signal_arrays);
    cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode,
    cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams,
    cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        CUDA_EXT_SEM_WAIT_NODE_PARAMS, graph::wait_arrays);
    @
    cuGraphAddNode_v2: PFN_cuGraphAddNode_v2(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        edges: *const CUgraphEdgeData,
        count: usize,
        params: *mut CUgraphNodeParams,
    ) |call, real| traced(call, None, || format!("{of:?}, {count} dependencies"), || unsafe {
        graph::node(call, Target::New { graph: of.addr(), out }, params, real)
    });
    /// The first version of the function, which is without the edges' data.
    cuGraphAddNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *mut CUgraphNodeParams,
    ) |call, real| traced(call, None, || format!("{of:?}, {count} dependencies"), || unsafe {
        graph::node(call, Target::New { graph: of.addr(), out }, params, real)
    });
    cuGraphNodeSetParams: PFN_cuGraphNodeSetParams(node: CUgraphNode, params: *mut CUgraphNodeParams) |call, real| {
        traced(call, None, || format!("{node:?}"), || unsafe { graph::node(call, Target::Node(node), params, real) })
    };
    cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams_v2(node: CUgraphNode, params: *mut CUgraphNodeParams) |call, real| {
        traced(call, None, || format!("{node:?}"), || unsafe { graph::node(call, Target::Node(node), params, real) })
    };
    cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(
        instance: CUgraphExec,
        node: CUgraphNode,
        params: *mut CUgraphNodeParams,
    ) |call, real| traced(call, None, || format!("{instance:?}, {node:?}"), || unsafe {
        graph::node(call, Target::Instance { instance: instance.addr(), node }, params, real)
    });

    cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_MEMSET_NODE_PARAMS,
        context: CUcontext,
    ) |call, real| unsafe {
        graph::transfer_node(call, Target::New { graph: of.addr(), out }, &[graph::of_memset(params)], real)
    };
    cuGraphMemsetNodeSetParams(node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS) |call, real| unsafe {
        graph::transfer_node(call, Target::Node(node), &[graph::of_memset(params)], real)
    };
    cuGraphExecMemsetNodeSetParams(
        instance: CUgraphExec,
        node: CUgraphNode,
        params: *const CUDA_MEMSET_NODE_PARAMS,
        context: CUcontext,
    ) |call, real| unsafe {
        let target = Target::Instance { instance: instance.addr(), node };
        graph::transfer_node(call, target, &[graph::of_memset(params)], real)
    };
    cuGraphAddMemcpyNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) |call, real| {
        graph::transfer_node(call, Target::New { graph: of.addr(), out }, &transfers::of_copy_3d(copy), real)
    };
    cuGraphMemcpyNodeSetParams(node: CUgraphNode, copy: *const CUDA_MEMCPY3D) |call, real| {
        graph::transfer_node(call, Target::Node(node), &transfers::of_copy_3d(copy), real)
    };
    cuGraphExecMemcpyNodeSetParams(
        instance: CUgraphExec,
        node: CUgraphNode,
        copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) |call, real| {
        let target = Target::Instance { instance: instance.addr(), node };
        graph::transfer_node(call, target, &transfers::of_copy_3d(copy), real)
    };
    cuGraphAddChildGraphNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        child: CUgraph,
    ) |_call, real| graph::child_node(Target::New { graph: of.addr(), out }, child.addr(), real);
    cuGraphExecChildGraphNodeSetParams(instance: CUgraphExec, node: CUgraphNode, child: CUgraph) |_call, real| {
        graph::child_node(Target::Instance { instance: instance.addr(), node }, child.addr(), real)
    };
    cuGraphNodeSetEnabled(instance: CUgraphExec, node: CUgraphNode, is_enabled: c_uint) |_call, real| {
        noted(real, |state| state.graphs.forget(Of::Instance(instance.addr()), node.addr()))
    };
    cuGraphDestroyNode(node: CUgraphNode) |_call, real| noted(real, |state| {
        state.graphs.forget(Of::Unnamed, node.addr());
    });

    cuGraphCreate: PFN_cuGraphCreate(out: *mut CUgraph, flags: c_uint) |_call, real| noted(real, |state| {
        // SAFETY: the call succeeded.
        unsafe { written(out) }.into_iter().for_each(|graph| state.graphs.created(graph));
    });
    cuGraphClone(out: *mut CUgraph, original: CUgraph) |_call, real| noted(real, |state| {
        // SAFETY: as above.
        unsafe { written(out) }.into_iter().for_each(|clone| state.graphs.cloned(original.addr(), clone));
    });
    cuGraphDestroy: PFN_cuGraphDestroy(of: CUgraph) |_call, real| ends(
        real,
        |state| state.graphs.destroyed(of.addr()),
        |state, nodes| state.graphs.restored(of.addr(), nodes),
    );
    cuGraphExecDestroy: PFN_cuGraphExecDestroy(instance: CUgraphExec) |_call, real| ends(
        real,
        |state| state.graphs.instance_destroyed(instance.addr()),
        |state, nodes| state.graphs.instance_restored(instance.addr(), nodes),
    );
    cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags(out: *mut CUgraphExec, of: CUgraph, flags: c_ulonglong) |_call, real| unsafe {
        instantiated(real, out, of)
    };
    /// Its second version, and its first one below, give a message where they fail.
    cuGraphInstantiate_v2(
        out: *mut CUgraphExec,
        of: CUgraph,
        node: *mut CUgraphNode,
        log: *mut c_char,
        size: usize,
    ) |_call, real| unsafe { instantiated(real, out, of) };
    cuGraphInstantiate(
        out: *mut CUgraphExec,
        of: CUgraph,
        node: *mut CUgraphNode,
        log: *mut c_char,
        size: usize,
    ) |_call, real| unsafe { instantiated(real, out, of) };
    cuGraphInstantiateWithParams(out: *mut CUgraphExec, of: CUgraph, params: *mut c_void) |_call, real| unsafe {
        instantiated(real, out, of)
    };
    cuGraphInstantiateWithParams_ptsz(out: *mut CUgraphExec, of: CUgraph, params: *mut c_void) |_call, real| unsafe {
        instantiated(real, out, of)
    };
    cuGraphExecUpdate_v2(instance: CUgraphExec, of: CUgraph, result: *mut c_void) |_call, real| noted(real, |state| {
        state.graphs.updated(instance.addr(), of.addr());
    });
    cuGraphExecUpdate(
        instance: CUgraphExec,
        of: CUgraph,
        node: *mut CUgraphNode,
        result: *mut c_void,
    ) |_call, real| noted(real, |state| state.graphs.updated(instance.addr(), of.addr()));
    cuGraphLaunch: PFN_cuGraphLaunch(instance: CUgraphExec, on: CUstream) |call, real| {
        synchronized(call, stream(on, call), || graph::launch(call, instance.addr(), stream(on, call), real))
    };
    cuGraphLaunch_ptsz(instance: CUgraphExec, on: CUstream) |call, real| {
        synchronized(call, stream(on, call), || graph::launch(call, instance.addr(), stream(on, call), real))
    };

    cuStreamBeginCapture(on: CUstream) |call, real| graph::begin_capture(stream(on, call), real);
    cuStreamBeginCapture_ptsz(on: CUstream) |call, real| graph::begin_capture(stream(on, call), real);
    cuStreamBeginCapture_v2: PFN_cuStreamBeginCapture_v2(on: CUstream, mode: CUstreamCaptureMode) |call, real| {
        graph::begin_capture(stream(on, call), real)
    };
    cuStreamBeginCapture_v2_ptsz(on: CUstream, mode: CUstreamCaptureMode) |call, real| {
        graph::begin_capture(stream(on, call), real)
    };
    cuStreamEndCapture: PFN_cuStreamEndCapture(on: CUstream, out: *mut CUgraph) |call, real| unsafe {
        graph::end_capture(stream(on, call), out, real)
    };
    cuStreamEndCapture_ptsz(on: CUstream, out: *mut CUgraph) |call, real| unsafe {
        graph::end_capture(stream(on, call), out, real)
    };
}
