//! Checks calls that add or change nodes of graphs, launch graphs or capture streams.

use cuda_external_sys::*;

use crate::layer::chassis::on_success::{on_success, written_handle};
use crate::layer::chassis::wrapped_call::{WrappedCall, WrappedCallResult};
use crate::layer::core_checks::kernel_arguments::{self, KernelArguments};
use crate::layer::core_checks::semaphore_checks::{self, SemaphoreList};
use crate::layer::core_checks::use_after_end;
use crate::layer::host_process::driver_functions;
use crate::layer::state_tracker::graph_node_uses::{HIDDEN, NodeOwner};
use crate::layer::state_tracker::tracked_objects::ObjectUse;
use crate::layer::sync::call_accesses::{MemoryAccess, copy_3d_accesses, memset_access};
use crate::layer::sync::enqueue::enqueue_with_uses;
use crate::layer::sync::stream_order::note_unseen_order;
use crate::rules::Rule;

/// The destination of a node's parameters: a new node of a graph, an existing node, or a node of an executable graph.
#[derive(Clone, Copy, Debug)]
pub enum NodeTarget {
    New { graph: CUgraph, out: *mut CUgraphNode },
    Node(CUgraphNode),
    Instance { instance: CUgraphExec, node: CUgraphNode },
}

impl NodeTarget {
    fn node_owner(self) -> Option<NodeOwner> {
        match self {
            Self::New { graph, .. } => Some(NodeOwner::Graph(graph.addr())),
            Self::Node(_) => None,
            Self::Instance { instance, .. } => Some(NodeOwner::Instance(instance.addr())),
        }
    }

    /// Calls the driver, and on success records the node's uses. A child graph node contains copies of the child
    /// graph's nodes. The layer does not know the handles of the copies, so it records the uses of a new child graph
    /// node under [`HIDDEN`].
    fn call_driver_and_note_node(
        self,
        call: &mut WrappedCall<'_>,
        uses: Vec<ObjectUse>,
        is_child_graph: bool,
    ) -> CUresult {
        on_success(call, |state| match self {
            Self::New { graph, out } => {
                // SAFETY: a successful call wrote to `out` unless that is null.
                if let Some(node) = unsafe { written_handle(out) } {
                    let node = if is_child_graph { HIDDEN } else { node };
                    state.graphs.add_node_uses(graph.addr(), node, uses);
                }
            }
            Self::Node(node) | Self::Instance { node, .. } => {
                state.graphs.replace_node_uses(self.node_owner(), node.addr(), uses)
            }
        })
    }
}

/// Adds or changes a node that signals or waits. `entries` is `None` if the program passed no parameters.
pub fn set_semaphore_node(
    call: &mut WrappedCall<'_>,
    target: NodeTarget,
    entries: Option<SemaphoreList>,
) -> WrappedCallResult {
    let Some(entries) = entries else { return Ok(call.call_driver()) };
    let uses = semaphore_checks::check_semaphores(&mut call.lock_state(), call, &entries)?;
    Ok(target.call_driver_and_note_node(call, uses, false))
}

pub fn set_copy_node(
    call: &mut WrappedCall<'_>,
    target: NodeTarget,
    accesses: &[MemoryAccess],
) -> WrappedCallResult {
    let uses = use_after_end::check_accessed_mappings(call, accesses)?;
    Ok(target.call_driver_and_note_node(call, uses, false))
}

pub fn set_child_node(call: &mut WrappedCall<'_>, target: NodeTarget, child: CUgraph) -> CUresult {
    let (mut state, child) = (call.lock_state(), NodeOwner::Graph(child.addr()));
    let uses = state.graphs.uses_of_graph(child);
    if state.graphs.has_unseen_order(child) {
        state.graphs.mark_order_unseen(target.node_owner());
    }
    drop(state);
    target.call_driver_and_note_node(call, uses, true)
}

/// Adds or changes a node, such as a host function or an event. The check does not see how such a node orders work.
pub fn set_node_of_unseen_order(call: &mut WrappedCall<'_>, target: NodeTarget) -> CUresult {
    call.lock_state().graphs.mark_order_unseen(target.node_owner());
    target.call_driver_and_note_node(call, Vec::new(), false)
}

/// Adds or changes a kernel node. `has_kernel` is false if `params` is of the struct's first version, without `kern`.
///
/// # Safety
///
/// The pointers are null, or valid as the driver needs them.
pub unsafe fn set_kernel_node(
    call: &mut WrappedCall<'_>,
    target: NodeTarget,
    params: *const CUDA_KERNEL_NODE_PARAMS_v3,
    has_kernel: bool,
) -> CUresult {
    if params.is_null() {
        return call.call_driver();
    }
    // SAFETY: `params` is not null, and the driver reads the same fields.
    let uses = unsafe {
        let kernel = if has_kernel { (*params).kern.cast() } else { std::ptr::null_mut() };
        let function = if (*params).func.is_null() { kernel } else { (*params).func };
        let arguments = KernelArguments { function, params: (*params).kernelParams, extra: (*params).extra };
        kernel_arguments::uses_of_arguments(call, &arguments)
    };
    target.call_driver_and_note_node(call, uses, false)
}

/// Adds or changes a node of the kind that `params` names.
///
/// # Safety
///
/// The pointer is null or valid.
pub unsafe fn set_node_of_any_kind(
    call: &mut WrappedCall<'_>,
    target: NodeTarget,
    params: *const CUgraphNodeParams,
) -> WrappedCallResult {
    // SAFETY: the program passes null or valid parameters, whose `type_` selects the union field that is read.
    unsafe {
        let Some(params) = params.as_ref() else { return Ok(call.call_driver()) };
        match params.type_ {
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
                let params = &raw const params.params.extSemSignal;
                set_semaphore_node(call, target, semaphore_checks::semaphores_of_node!(params))
            }
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
                let params = &raw const params.params.extSemWait;
                set_semaphore_node(call, target, semaphore_checks::semaphores_of_node!(params))
            }
            CU_GRAPH_NODE_TYPE_MEMSET => {
                let memset = (&raw const params.params.memset).cast::<CUDA_MEMSET_NODE_PARAMS>();
                set_copy_node(call, target, &[memset_access(memset.as_ref())])
            }
            CU_GRAPH_NODE_TYPE_MEMCPY => {
                let copy = params.params.memcpy.copyParams;
                set_copy_node(call, target, &copy_3d_accesses(Some(&copy)).all)
            }
            CU_GRAPH_NODE_TYPE_GRAPH => {
                let child = params.params.graph.graph;
                let code = set_child_node(call, target, child);
                if code == CUDA_SUCCESS
                    && params.params.graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE
                {
                    // The parent owns the child from now on, and destroys it.
                    call.lock_state().graphs.remove_graph_nodes(NodeOwner::Graph(child.addr()));
                }
                Ok(code)
            }
            CU_GRAPH_NODE_TYPE_KERNEL => Ok(set_kernel_node(call, target, &params.params.kernel, true)),
            CU_GRAPH_NODE_TYPE_WAIT_EVENT | CU_GRAPH_NODE_TYPE_EVENT_RECORD => {
                call.lock_state().vulkan.has_unseen_waits = true;
                Ok(set_node_of_unseen_order(call, target))
            }
            CU_GRAPH_NODE_TYPE_EMPTY | CU_GRAPH_NODE_TYPE_MEM_ALLOC | CU_GRAPH_NODE_TYPE_MEM_FREE => {
                Ok(target.call_driver_and_note_node(call, Vec::new(), false))
            }
            // The other kinds are, for example, host functions, waits for values in memory, and conditional nodes.
            _ => Ok(set_node_of_unseen_order(call, target)),
        }
    }
}

pub fn launch_graph(call: &mut WrappedCall<'_>, instance: CUgraphExec, stream: usize) -> WrappedCallResult {
    let mut state = call.lock_state();
    let uses = state.graphs.uses_of_graph(NodeOwner::Instance(instance.addr()));
    for ObjectUse { object, .. } in &uses {
        if state.objects.get_object(*object).is_some_and(|object| object.ended.is_some()) {
            let text =
                format!("Graph {:#x} is launched, and one of its nodes uses the object.", instance.addr());
            let finding = call.new_finding(Rule::USE_AFTER_END, text).about_object(*object);
            state.report_once_per_object(*object, finding);
        }
    }
    let has_unseen_order = state.graphs.has_unseen_order(NodeOwner::Instance(instance.addr()));
    drop(state);
    if has_unseen_order {
        note_unseen_order(call, stream);
    }
    let answer = enqueue_with_uses(call, stream, |_, _, _| Ok(uses));
    if has_unseen_order {
        note_unseen_order(call, stream);
    }
    answer
}

/// Begins a capture. Records the capture's graph, whose nodes will be the captured work.
pub fn begin_capture(call: &mut WrappedCall<'_>, on: CUstream) -> CUresult {
    let code = call.call_driver();
    if code == CUDA_SUCCESS {
        let stream = call.stream_key(on);
        if let Some((graph, _)) = driver_functions::captured_graph_and_node(call, stream) {
            call.lock_state().graphs.add_graph(graph);
        }
    }
    code
}

/// Ends a capture. If the driver returns no graph, such as after an invalidated capture, forgets the capture's graph.
///
/// # Safety
///
/// The pointer is null, or a successful call writes to it.
pub unsafe fn end_capture(call: &mut WrappedCall<'_>, on: CUstream, out: *mut CUgraph) -> CUresult {
    let stream = call.stream_key(on);
    let graph = driver_functions::captured_graph_and_node(call, stream).map(|(graph, _)| graph);
    let code = call.call_driver();
    // SAFETY: the call succeeded, and so it wrote to `out` unless that is null.
    let is_there = code == CUDA_SUCCESS && unsafe { written_handle(out) }.is_some_and(|graph| graph != 0);
    if let Some(graph) = graph.filter(|_| !is_there) {
        call.lock_state().graphs.remove_graph_nodes(NodeOwner::Graph(graph));
    }
    code
}
