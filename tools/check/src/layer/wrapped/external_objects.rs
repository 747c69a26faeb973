//! Importing, mapping and destroying external memory and semaphores, their signals and waits in streams, and nodes of
//! graphs.

use std::fmt::Debug;

use cuda_external_sys::*;

use super::call_trace::{pointee_text, wrap_family};
use crate::layer::chassis::wrapped_call::WrappedCall;
use crate::layer::core_checks::graph_node_checks::{self, NodeTarget};
use crate::layer::core_checks::semaphore_checks::{self, SemaphoreList};
use crate::layer::core_checks::{import_checks, mapping_checks};
use crate::layer::object_tracker::import_desc_fields::ImportDescFields;
use crate::layer::state_tracker::tracked_objects::ObjectKind;

fn debug_text<T: Debug>(value: &T) -> String {
    format!("{value:?}")
}

fn desc_text<D>(desc: &D) -> String
where
    for<'a> ImportDescFields: From<&'a D>,
{
    ImportDescFields::from(desc).to_string()
}

/// Prints the value that a call wrote through a pointer.
unsafe fn written_text<T: Debug>(call: &WrappedCall<'_>, out: *const T) -> String {
    let show = |value: &T| if call.has_written { debug_text(value) } else { "not written".to_owned() };
    // SAFETY: the program's pointer is valid or null.
    unsafe { pointee_text(out, show) }
}

fn semaphore_list_text(entries: &SemaphoreList) -> String {
    let all = entries.all.iter().flatten();
    let shown = all.map(|(handle, of)| format!("{handle:#x}: value {}, flags {:#x}", of.value, of.flags));
    format!("[{}]", shown.collect::<Vec<_>>().join(", "))
}

/// The call of a function for nodes of one kind.
macro_rules! semaphore_node {
    ($call:ident, $target:expr, $params:ident) => {
        graph_node_checks::set_semaphore_node(
            $call,
            $target,
            $params.as_ref().map(|params| semaphore_checks::semaphores_of_node!(params)),
        )
    };
}

wrap_family! {
    cuImportExternalMemory: PFN_cuImportExternalMemory(out, desc) |call|
        None, [written_text(call, out), pointee_text(desc, desc_text)], import_checks::run_import(call, out, desc);
    cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(out, desc) |call|
        None, [written_text(call, out), pointee_text(desc, desc_text)], import_checks::run_import(call, out, desc);
    cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(out, memory, desc) |call|
        None, [written_text(call, out), debug_text(&memory), pointee_text(desc, desc_text)],
        mapping_checks::map_buffer(call, out, memory, desc);
    cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(out, memory, desc) |call|
        None, [written_text(call, out), debug_text(&memory), pointee_text(desc, desc_text)],
        mapping_checks::map_array(call, out, memory, desc);
    cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(memory) |call|
        None, [debug_text(&memory)], import_checks::destroy_import(call, ObjectKind::Memory, memory.addr() as u64);
    cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(semaphore) |call|
        None, [debug_text(&semaphore)], import_checks::destroy_import(call, ObjectKind::Semaphore, semaphore.addr() as u64);

    cuSignalExternalSemaphoresAsync / cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync(
        all, params, count, on,
    ) |call|
        Some(call.stream_key(on)), [semaphore_list_text(&semaphore_checks::read_semaphores(all, params, count)), debug_text(&on)],
        semaphore_checks::signal_or_wait(call, &semaphore_checks::read_semaphores(all, params, count), on);
    cuWaitExternalSemaphoresAsync / cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync(
        all, params, count, on,
    ) |call|
        Some(call.stream_key(on)), [semaphore_list_text(&semaphore_checks::read_semaphores(all, params, count)), debug_text(&on)],
        semaphore_checks::signal_or_wait(call, &semaphore_checks::read_semaphores(all, params, count), on);

    cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode(
        out, graph, after, count, params,
    ) |call|
        None, [debug_text(&graph), debug_text(&count)], semaphore_node!(call, NodeTarget::New { graph, out }, params);
    cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode(
        out, graph, after, count, params,
    ) |call|
        None, [debug_text(&graph), debug_text(&count)], semaphore_node!(call, NodeTarget::New { graph, out }, params);
    cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams(node, params) |call|
        None, [debug_text(&node)], semaphore_node!(call, NodeTarget::Node(node), params);
    cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams(node, params) |call|
        None, [debug_text(&node)], semaphore_node!(call, NodeTarget::Node(node), params);
    cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        instance, node, params,
    ) |call|
        None, [debug_text(&instance), debug_text(&node)],
        semaphore_node!(call, NodeTarget::Instance { instance, node }, params);
    cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        instance, node, params,
    ) |call|
        None, [debug_text(&instance), debug_text(&node)],
        semaphore_node!(call, NodeTarget::Instance { instance, node }, params);
    cuGraphAddNode_v2 | cuGraphAddNode_v3: PFN_cuGraphAddNode_v2(out, graph, after, edges, count, params) |call|
        None, [debug_text(&graph), debug_text(&count)], graph_node_checks::set_node(call, NodeTarget::New { graph, out }, params);
    // The first version of the function, which is without the edges' data.
    cuGraphAddNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *mut CUgraphNodeParams,
    ) |call|
        None, [debug_text(&graph), debug_text(&count)], graph_node_checks::set_node(call, NodeTarget::New { graph, out }, params);
    cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams(node, params) |call|
        None, [debug_text(&node)], graph_node_checks::set_node(call, NodeTarget::Node(node), params);
    cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(instance, node, params) |call|
        None, [debug_text(&instance), debug_text(&node)], graph_node_checks::set_node(call, NodeTarget::Instance { instance, node }, params);
}
