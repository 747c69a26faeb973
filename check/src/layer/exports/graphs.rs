//! Functions beside the family that make, change and launch graphs.

use std::ffi::{c_char, c_uint, c_ulonglong, c_void};

use cuda_external_sys::*;

use super::lifetimes::{made, noted};
use super::trace::synchronized;
use super::wrap;
use crate::layer::call::stream;
use crate::layer::graph::{self, Target};
use crate::layer::graphs::Of;
use crate::layer::state::state;
use crate::layer::transfers;

/// Ends a graph or an instance, and takes the end back where the driver refused it.
fn ends(of: Of, real: impl FnOnce() -> CUresult) -> CUresult {
    let ended = state().graphs.ended(of);
    let code = real();
    if code != CUDA_SUCCESS {
        state().graphs.restored(of, ended);
    }
    code
}

/// Takes in what was instantiated, by the pointer that the call wrote it to.
unsafe fn instantiated(real: impl FnOnce() -> CUresult, out: *mut CUgraphExec, of: CUgraph) -> CUresult {
    // SAFETY: the caller's promise.
    unsafe { made(real, out, |state, instance| state.graphs.copied(of.addr(), Of::Instance(instance), true)) }
}

// SAFETY, for each of them: the program's arguments are as the driver needs them.
wrap! {
    cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode(
        out: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_MEMSET_NODE_PARAMS,
        context: CUcontext,
    ) |call, real| unsafe {
        graph::transfer_node(call, Target::New { graph, out }, &[graph::of_memset(params)], real)
    };
    cuGraphMemsetNodeSetParams(node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS) |call, real| unsafe {
        graph::transfer_node(call, Target::Node(node), &[graph::of_memset(params)], real)
    };
    cuGraphExecMemsetNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext,
    ) |call, real| unsafe {
        graph::transfer_node(call, Target::Instance { instance, node }, &[graph::of_memset(params)], real)
    };
    cuGraphAddMemcpyNode(
        out: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) |call, real| graph::transfer_node(call, Target::New { graph, out }, &transfers::of_copy_3d(copy), real);
    cuGraphMemcpyNodeSetParams(node: CUgraphNode, copy: *const CUDA_MEMCPY3D) |call, real| {
        graph::transfer_node(call, Target::Node(node), &transfers::of_copy_3d(copy), real)
    };
    cuGraphExecMemcpyNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, copy: *const CUDA_MEMCPY3D, context: CUcontext,
    ) |call, real| {
        graph::transfer_node(call, Target::Instance { instance, node }, &transfers::of_copy_3d(copy), real)
    };
    cuGraphAddChildGraphNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
    ) |_call, real| graph::child_node(Target::New { graph, out }, child.addr(), real);
    cuGraphExecChildGraphNodeSetParams(instance: CUgraphExec, node: CUgraphNode, child: CUgraph) |_call, real| {
        graph::child_node(Target::Instance { instance, node }, child.addr(), real)
    };
    cuGraphNodeSetEnabled(instance: CUgraphExec, node: CUgraphNode, is_enabled: c_uint) |_call, real| {
        noted(real, |state| state.graphs.forget(Some(Of::Instance(instance.addr())), node.addr()))
    };
    cuGraphDestroyNode(node: CUgraphNode) |_call, real| noted(real, |state| {
        state.graphs.forget(None, node.addr());
    });

    cuGraphCreate: PFN_cuGraphCreate(out: *mut CUgraph, flags: c_uint) |_call, real| unsafe {
        made(real, out, |state, graph| state.graphs.created(graph))
    };
    cuGraphClone(out: *mut CUgraph, original: CUgraph) |_call, real| unsafe {
        made(real, out, |state, clone| state.graphs.copied(original.addr(), Of::Graph(clone), false))
    };
    cuGraphDestroy: PFN_cuGraphDestroy(graph: CUgraph) |_call, real| ends(Of::Graph(graph.addr()), real);
    cuGraphExecDestroy: PFN_cuGraphExecDestroy(instance: CUgraphExec) |_call, real| {
        ends(Of::Instance(instance.addr()), real)
    };
    cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags(
        out: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong,
    ) |_call, real| unsafe { instantiated(real, out, graph) };
    // These write a message where they fail.
    cuGraphInstantiate | cuGraphInstantiate_v2(
        out: *mut CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, log: *mut c_char, size: usize,
    ) |_call, real| unsafe { instantiated(real, out, graph) };
    cuGraphInstantiateWithParams | cuGraphInstantiateWithParams_ptsz(
        out: *mut CUgraphExec, graph: CUgraph, params: *mut c_void,
    ) |_call, real| unsafe { instantiated(real, out, graph) };
    cuGraphExecUpdate_v2(instance: CUgraphExec, graph: CUgraph, result: *mut c_void) |_call, real| {
        noted(real, |state| state.graphs.copied(graph.addr(), Of::Instance(instance.addr()), false))
    };
    cuGraphExecUpdate(
        instance: CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, result: *mut c_void,
    ) |_call, real| {
        noted(real, |state| state.graphs.copied(graph.addr(), Of::Instance(instance.addr()), false))
    };
    cuGraphLaunch | cuGraphLaunch_ptsz: PFN_cuGraphLaunch(instance: CUgraphExec, on: CUstream) |call, real| {
        synchronized(call, stream(on, call), || graph::launch(call, instance.addr(), stream(on, call), real))
    };

    cuStreamBeginCapture | cuStreamBeginCapture_ptsz(on: CUstream) |call, real| {
        graph::begin_capture(stream(on, call), real)
    };
    cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz: PFN_cuStreamBeginCapture_v2(
        on: CUstream, mode: CUstreamCaptureMode,
    ) |call, real| graph::begin_capture(stream(on, call), real);
    cuStreamEndCapture | cuStreamEndCapture_ptsz: PFN_cuStreamEndCapture(
        on: CUstream, out: *mut CUgraph,
    ) |call, real| unsafe { graph::end_capture(stream(on, call), out, real) };
}
