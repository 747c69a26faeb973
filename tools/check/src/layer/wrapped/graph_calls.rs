//! Functions for graphs and captures. Functions for nodes of semaphores, kernels or events are in other files.

use std::ffi::{c_char, c_uint, c_void};

use cuda_external_sys::*;

use crate::layer::chassis::on_success::{on_created, on_success};
use crate::layer::chassis::wrapped_call::{WrappedCall, wrap};
use crate::layer::core_checks::graph_node_checks::{self, NodeTarget};
use crate::layer::state_tracker::graph_node_uses::NodeOwner;
use crate::layer::sync::call_accesses::{copy_3d_accesses, memset_access};

/// Destroys a graph or an instance. Forgets the nodes before the call, and restores them if the call fails.
fn end_graph_nodes(call: &mut WrappedCall<'_>, of: NodeOwner) -> CUresult {
    let ended = call.lock_state().graphs.remove_graph_nodes(of);
    let code = call.call_driver();
    if code != CUDA_SUCCESS {
        call.lock_state().graphs.restore_graph_nodes(of, ended);
    }
    code
}

unsafe fn note_graph_instance(call: &mut WrappedCall<'_>, out: *mut CUgraphExec, of: CUgraph) -> CUresult {
    // SAFETY: a successful call writes to `out` unless that is null.
    unsafe {
        on_created(call, out, |state, instance| {
            state.graphs.copy_nodes(of.addr(), NodeOwner::Instance(instance), true)
        })
    }
}

fn note_graph_update(call: &mut WrappedCall<'_>, instance: CUgraphExec, from: CUgraph) -> CUresult {
    on_success(call, |state| {
        state.graphs.copy_nodes(from.addr(), NodeOwner::Instance(instance.addr()), false)
    })
}

wrap! {
    cuGraphAddMemsetNode: PFN_cuGraphAddMemsetNode(out, graph, after, count, params, context) |call|
        graph_node_checks::set_copy_node(call, NodeTarget::New { graph, out }, &[memset_access(params.as_ref())]);
    cuGraphMemsetNodeSetParams(node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS) |call|
        graph_node_checks::set_copy_node(call, NodeTarget::Node(node), &[memset_access(params.as_ref())]);
    cuGraphExecMemsetNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext,
    ) |call| {
        let accesses = [memset_access(params.as_ref())];
        graph_node_checks::set_copy_node(call, NodeTarget::Instance { instance, node }, &accesses)
    };
    cuGraphAddMemcpyNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) |call|
        graph_node_checks::set_copy_node(call, NodeTarget::New { graph, out }, &copy_3d_accesses(copy.as_ref()).all);
    cuGraphMemcpyNodeSetParams(node: CUgraphNode, copy: *const CUDA_MEMCPY3D) |call|
        graph_node_checks::set_copy_node(call, NodeTarget::Node(node), &copy_3d_accesses(copy.as_ref()).all);
    cuGraphExecMemcpyNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, copy: *const CUDA_MEMCPY3D, context: CUcontext,
    ) |call| {
        let accesses = copy_3d_accesses(copy.as_ref()).all;
        graph_node_checks::set_copy_node(call, NodeTarget::Instance { instance, node }, &accesses)
    };
    cuGraphAddHostNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *const c_void,
    ) |call| graph_node_checks::set_node_of_unseen_order(call, NodeTarget::New { graph, out });
    cuGraphAddBatchMemOpNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *const c_void,
    ) |call| graph_node_checks::set_node_of_unseen_order(call, NodeTarget::New { graph, out });
    cuGraphAddChildGraphNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
    ) |call| graph_node_checks::set_child_node(call, NodeTarget::New { graph, out }, child);
    cuGraphExecChildGraphNodeSetParams(instance: CUgraphExec, node: CUgraphNode, child: CUgraph) |call|
        graph_node_checks::set_child_node(call, NodeTarget::Instance { instance, node }, child);
    cuGraphNodeSetEnabled(instance: CUgraphExec, node: CUgraphNode, is_enabled: c_uint) |call|
        on_success(call, |state| {
            let owner = Some(NodeOwner::Instance(instance.addr()));
            state.graphs.replace_node_uses(owner, node.addr(), Vec::new());
            // The layer has forgotten what a disabled node uses, so a node that is enabled again may use anything.
            if is_enabled != 0 {
                state.graphs.mark_order_unseen(owner);
            }
        });
    cuGraphDestroyNode(node: CUgraphNode) |call| on_success(call, |state| {
        state.graphs.replace_node_uses(None, node.addr(), Vec::new());
    });

    cuGraphCreate: PFN_cuGraphCreate(out, flags) |call|
        on_created(call, out, |state, graph| state.graphs.add_graph(graph));
    cuGraphClone(out: *mut CUgraph, original: CUgraph) |call|
        on_created(call, out, |state, clone| state.graphs.copy_nodes(original.addr(), NodeOwner::Graph(clone), false));
    cuGraphDestroy: PFN_cuGraphDestroy(graph) |call| end_graph_nodes(call, NodeOwner::Graph(graph.addr()));
    cuGraphExecDestroy: PFN_cuGraphExecDestroy(instance) |call|
        end_graph_nodes(call, NodeOwner::Instance(instance.addr()));
    cuGraphInstantiateWithFlags: PFN_cuGraphInstantiateWithFlags(out, graph, flags) |call|
        note_graph_instance(call, out, graph);
    // These versions have a buffer for an error message.
    cuGraphInstantiate | cuGraphInstantiate_v2(
        out: *mut CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, log: *mut c_char, size: usize,
    ) |call| note_graph_instance(call, out, graph);
    cuGraphInstantiateWithParams / cuGraphInstantiateWithParams_ptsz(
        out: *mut CUgraphExec, graph: CUgraph, params: *mut c_void,
    ) |call| note_graph_instance(call, out, graph);
    cuGraphExecUpdate_v2(instance: CUgraphExec, graph: CUgraph, result: *mut c_void) |call|
        note_graph_update(call, instance, graph);
    cuGraphExecUpdate(instance: CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, result: *mut c_void) |call|
        note_graph_update(call, instance, graph);
    cuGraphLaunch / cuGraphLaunch_ptsz: PFN_cuGraphLaunch(instance, on) |call| {
        let stream = call.stream_key(on);
        graph_node_checks::launch_graph(call, instance, stream)
    };

    cuStreamBeginCapture / cuStreamBeginCapture_ptsz(on: CUstream) |call| graph_node_checks::begin_capture(call, on);
    cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz: PFN_cuStreamBeginCapture_v2(on, mode) |call|
        graph_node_checks::begin_capture(call, on);
    cuStreamEndCapture / cuStreamEndCapture_ptsz: PFN_cuStreamEndCapture(on, out) |call|
        graph_node_checks::end_capture(call, on, out);
}
