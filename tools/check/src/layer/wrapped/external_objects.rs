//! The functions that import, map, signal, wait for and destroy external memory and semaphores, and their graph nodes.

use std::sync::atomic::Ordering::Relaxed;

use cuda_external_sys::*;

use crate::layer::chassis::double_close;
use crate::layer::chassis::wrapped_call::wrap;
use crate::layer::core_checks::graph_node_checks::{NodeTarget, set_node_of_any_kind, set_semaphore_node};
use crate::layer::core_checks::semaphore_checks::{self, semaphores_of_node};
use crate::layer::core_checks::{import_checks, mapping_checks};
use crate::layer::host_process::current_process::active_check;
use crate::layer::object_tracker::handle_checks;
use crate::layer::state_tracker::tracked_objects::ObjectKind;

/// Exports the functions of external memory and semaphores. Counts their calls, and checks what all of them need.
macro_rules! wrap_family {
    ($(
        $($name:ident)|+ $(/ $($per_thread:ident)|+)? $(: $pfn:ident)? ($($args:tt)*) |$call:ident| $check:expr;
    )*) => {
        wrap! { $($($name)|+ $(/ $($per_thread)|+)? $(: $pfn)? ($($args)*) |$call| {
            if let Some(check) = active_check() {
                // The call is counted before the driver runs: a call that does not return counts too.
                check.shared.calls.fetch_add(1, Relaxed);
            }
            // A signal handler could leave `$check` by siglongjmp while it takes locks or allocates.
            $call.block_signals();
            double_close::report_second_closes($call);
            handle_checks::report_if_forked($call);
            $check
        };)* }
    };
}

wrap_family! {
    cuImportExternalMemory: PFN_cuImportExternalMemory(out, desc) |call|
        import_checks::check_and_import(call, out, desc);
    cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(out, desc) |call|
        import_checks::check_and_import(call, out, desc);
    cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(out, memory, desc) |call|
        mapping_checks::map_buffer(call, out, memory, desc);
    cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(out, memory, desc) |call|
        mapping_checks::map_array(call, out, memory, desc);
    cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(memory) |call|
        import_checks::destroy_import(call, ObjectKind::Memory, memory.addr() as u64);
    cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(semaphore) |call|
        import_checks::destroy_import(call, ObjectKind::Semaphore, semaphore.addr() as u64);

    cuSignalExternalSemaphoresAsync / cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync(
        all, params, count, on,
    ) |call|
        semaphore_checks::signal_or_wait_semaphores(call, &semaphore_checks::read_semaphores(all, params, count), on);
    cuWaitExternalSemaphoresAsync / cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync(
        all, params, count, on,
    ) |call|
        semaphore_checks::signal_or_wait_semaphores(call, &semaphore_checks::read_semaphores(all, params, count), on);

    cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode(
        out, graph, after, count, params,
    ) |call| set_semaphore_node(call, NodeTarget::New { graph, out }, semaphores_of_node!(params));
    cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode(
        out, graph, after, count, params,
    ) |call| set_semaphore_node(call, NodeTarget::New { graph, out }, semaphores_of_node!(params));
    cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams(node, params) |call|
        set_semaphore_node(call, NodeTarget::Node(node), semaphores_of_node!(params));
    cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams(node, params) |call|
        set_semaphore_node(call, NodeTarget::Node(node), semaphores_of_node!(params));
    cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        instance, node, params,
    ) |call| set_semaphore_node(call, NodeTarget::Instance { instance, node }, semaphores_of_node!(params));
    cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        instance, node, params,
    ) |call| set_semaphore_node(call, NodeTarget::Instance { instance, node }, semaphores_of_node!(params));
    cuGraphAddNode_v2 | cuGraphAddNode_v3: PFN_cuGraphAddNode_v2(out, graph, after, edges, count, params) |call|
        set_node_of_any_kind(call, NodeTarget::New { graph, out }, params);
    // Unlike cuGraphAddNode_v2, this function has no parameter for the edges' data.
    cuGraphAddNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *mut CUgraphNodeParams,
    ) |call| set_node_of_any_kind(call, NodeTarget::New { graph, out }, params);
    cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams(node, params) |call|
        set_node_of_any_kind(call, NodeTarget::Node(node), params);
    cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(instance, node, params) |call|
        set_node_of_any_kind(call, NodeTarget::Instance { instance, node }, params);
}
