//! Functions beside the family that make, change and launch graphs.

use std::ffi::{c_char, c_uint, c_void};

use cuda_external_sys::*;

use super::call_trace::synchronized;
use super::on_success::{made, noted};
use super::wrap_macro::wrap;
use crate::layer::chassis::wrapped_call::Call;
use crate::layer::core_checks::graph_node_checks::{self, Target};
use crate::layer::state_tracker::graph_state::Owner;
use crate::layer::sync::touched_ranges::{of_copy_3d, of_memset};

/// Ends a graph or an instance. If the driver refused that, the end is undone.
fn ends(call: &mut Call<'_>, of: Owner) -> CUresult {
    let ended = call.state().graphs.ended(of);
    let code = call.driver();
    if code != CUDA_SUCCESS {
        call.state().graphs.restored(of, ended);
    }
    code
}

/// Records the instance that the call wrote to this pointer.
unsafe fn instantiated(call: &mut Call<'_>, out: *mut CUgraphExec, of: CUgraph) -> CUresult {
    // SAFETY: the caller guarantees it.
    unsafe {
        made(call, out, |state, instance| state.graphs.copied(of.addr(), Owner::Instance(instance), true))
    }
}

/// An instance is updated from a graph.
fn updated(call: &mut Call<'_>, instance: CUgraphExec, from: CUgraph) -> CUresult {
    noted(call, |state| state.graphs.copied(from.addr(), Owner::Instance(instance.addr()), false))
}

wrap! {
    cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode(out, graph, after, count, params, context) |call|
        graph_node_checks::transfer_node(call, Target::New { graph, out }, &[of_memset(params)]);
    cuGraphMemsetNodeSetParams(node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS) |call|
        graph_node_checks::transfer_node(call, Target::Node(node), &[of_memset(params)]);
    cuGraphExecMemsetNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext,
    ) |call| graph_node_checks::transfer_node(call, Target::Instance { instance, node }, &[of_memset(params)]);
    cuGraphAddMemcpyNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) |call| graph_node_checks::transfer_node(call, Target::New { graph, out }, &of_copy_3d(copy));
    cuGraphMemcpyNodeSetParams(node: CUgraphNode, copy: *const CUDA_MEMCPY3D) |call|
        graph_node_checks::transfer_node(call, Target::Node(node), &of_copy_3d(copy));
    cuGraphExecMemcpyNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, copy: *const CUDA_MEMCPY3D, context: CUcontext,
    ) |call| graph_node_checks::transfer_node(call, Target::Instance { instance, node }, &of_copy_3d(copy));
    cuGraphAddChildGraphNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
    ) |call| graph_node_checks::child_node(call, Target::New { graph, out }, child);
    cuGraphExecChildGraphNodeSetParams(instance: CUgraphExec, node: CUgraphNode, child: CUgraph) |call|
        graph_node_checks::child_node(call, Target::Instance { instance, node }, child);
    cuGraphNodeSetEnabled(instance: CUgraphExec, node: CUgraphNode, is_enabled: c_uint) |call|
        noted(call, |state| state.graphs.enable(instance.addr(), node.addr(), is_enabled != 0));
    cuGraphDestroyNode(node: CUgraphNode) |call| noted(call, |state| state.graphs.forget(None, node.addr()));

    cuGraphCreate: PFN_cuGraphCreate(out, flags) |call|
        made(call, out, |state, graph| state.graphs.created(graph));
    cuGraphClone(out: *mut CUgraph, original: CUgraph) |call|
        made(call, out, |state, clone| state.graphs.copied(original.addr(), Owner::Graph(clone), false));
    cuGraphDestroy: PFN_cuGraphDestroy(graph) |call| ends(call, Owner::Graph(graph.addr()));
    cuGraphExecDestroy: PFN_cuGraphExecDestroy(instance) |call| ends(call, Owner::Instance(instance.addr()));
    cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags(out, graph, flags) |call|
        instantiated(call, out, graph);
    // These versions write a message where they fail.
    cuGraphInstantiate | cuGraphInstantiate_v2(
        out: *mut CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, log: *mut c_char, size: usize,
    ) |call| instantiated(call, out, graph);
    cuGraphInstantiateWithParams | cuGraphInstantiateWithParams_ptsz(
        out: *mut CUgraphExec, graph: CUgraph, params: *mut c_void,
    ) |call| instantiated(call, out, graph);
    cuGraphExecUpdate_v2(instance: CUgraphExec, graph: CUgraph, result: *mut c_void) |call|
        updated(call, instance, graph);
    cuGraphExecUpdate(instance: CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, result: *mut c_void) |call|
        updated(call, instance, graph);
    cuGraphLaunch | cuGraphLaunch_ptsz: PFN_cuGraphLaunch(instance, on) |call| {
        let stream = call.stream(on);
        let answer = graph_node_checks::launch(call, instance, stream);
        synchronized(call, Some(stream), answer)
    };

    cuStreamBeginCapture | cuStreamBeginCapture_ptsz(on: CUstream) |call| graph_node_checks::begin_capture(call, on);
    cuStreamBeginCapture_v2 | cuStreamBeginCapture_v2_ptsz: PFN_cuStreamBeginCapture_v2(on, mode) |call|
        graph_node_checks::begin_capture(call, on);
    cuStreamEndCapture | cuStreamEndCapture_ptsz: PFN_cuStreamEndCapture(on, out) |call|
        graph_node_checks::end_capture(call, on, out);
}
