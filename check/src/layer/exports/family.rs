//! Importing, mapping and destroying external memory and semaphores, their signals and waits in streams, and nodes of graphs.

use std::ffi::c_uint;
use std::fmt::Debug;

use cuda_external_sys::*;

use super::trace::{pointee, wrap_family};
use crate::layer::call::Call;
use crate::layer::description::Description;
use crate::layer::graph::{self, Target};
use crate::layer::objects::Kind;
use crate::layer::semaphores::{self, Entries};
use crate::layer::{imports, mappings};

fn shown<T: Debug>(value: &T) -> String {
    format!("{value:?}")
}

fn described<D>(desc: &D) -> String
where
    for<'a> Description: From<&'a D>,
{
    Description::from(desc).to_string()
}

/// What a call wrote by a pointer.
unsafe fn written<T: Debug>(call: &Call<'_>, out: *const T) -> String {
    let show = |value: &T| if call.has_written { shown(value) } else { "not written".to_owned() };
    // SAFETY: the program's pointer is valid or null.
    unsafe { pointee(out, show) }
}

/// The semaphores with their values.
fn shown_entries(entries: &Entries) -> String {
    let all = entries.all.iter().flatten();
    let shown = all.map(|(handle, of)| format!("{handle:#x}: value {}, flags {:#x}", of.value, of.flags));
    format!("[{}]", shown.collect::<Vec<_>>().join(", "))
}

/// The call of a function for nodes of one kind.
macro_rules! semaphore_node {
    ($call:ident, $target:expr, $params:ident) => {
        graph::semaphore_node($call, $target, $params.as_ref().map(|params| semaphores::entries_of!(params)))
    };
}

wrap_family! {
    cuImportExternalMemory: PFN_cuImportExternalMemory(
        out: *mut CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) |call| None, [written(call, out), pointee(desc, described)], imports::import(call, out, desc);
    cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(
        out: *mut CUexternalSemaphore, desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) |call| None, [written(call, out), pointee(desc, described)], imports::import(call, out, desc);
    cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(
        out: *mut CUdeviceptr, memory: CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) |call| None, [written(call, out), shown(&memory), pointee(desc, described)],
        mappings::map_buffer(call, out, memory, desc);
    cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(
        out: *mut CUmipmappedArray, memory: CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) |call| None, [written(call, out), shown(&memory), pointee(desc, described)],
        mappings::map_array(call, out, memory, desc);
    cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(memory: CUexternalMemory) |call|
        None, [shown(&memory)], imports::destroy(call, Kind::Memory, memory.addr() as u64);
    cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(semaphore: CUexternalSemaphore) |call|
        None, [shown(&semaphore)], imports::destroy(call, Kind::Semaphore, semaphore.addr() as u64);

    cuSignalExternalSemaphoresAsync | cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync(
        all: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, count: c_uint, on: CUstream,
    ) |call| Some(call.stream(on)), [shown_entries(&semaphores::read(all, params, count)), shown(&on)],
        semaphores::signal_or_wait(call, &semaphores::read(all, params, count), on);
    cuWaitExternalSemaphoresAsync | cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync(
        all: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, count: c_uint, on: CUstream,
    ) |call| Some(call.stream(on)), [shown_entries(&semaphores::read(all, params, count)), shown(&on)],
        semaphores::signal_or_wait(call, &semaphores::read(all, params, count), on);

    cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
        params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call| None, [shown(&graph), shown(&count)], semaphore_node!(call, Target::New { graph, out }, params);
    cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
        params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call| None, [shown(&graph), shown(&count)], semaphore_node!(call, Target::New { graph, out }, params);
    cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams(
        node: CUgraphNode, params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call| None, [shown(&node)], semaphore_node!(call, Target::Node(node), params);
    cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams(
        node: CUgraphNode, params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call| None, [shown(&node)], semaphore_node!(call, Target::Node(node), params);
    cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call| None, [shown(&instance), shown(&node)],
        semaphore_node!(call, Target::Instance { instance, node }, params);
    cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call| None, [shown(&instance), shown(&node)],
        semaphore_node!(call, Target::Instance { instance, node }, params);
    cuGraphAddNode_v2 | cuGraphAddNode_v3: PFN_cuGraphAddNode_v2(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, edges: *const CUgraphEdgeData, count: usize,
        params: *mut CUgraphNodeParams,
    ) |call| None, [shown(&graph), shown(&count)], graph::node(call, Target::New { graph, out }, params);
    // The first version of the function, which is without the edges' data.
    cuGraphAddNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *mut CUgraphNodeParams,
    ) |call| None, [shown(&graph), shown(&count)], graph::node(call, Target::New { graph, out }, params);
    cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams(
        node: CUgraphNode, params: *mut CUgraphNodeParams,
    ) |call| None, [shown(&node)], graph::node(call, Target::Node(node), params);
    cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *mut CUgraphNodeParams,
    ) |call| None, [shown(&instance), shown(&node)], graph::node(call, Target::Instance { instance, node }, params);
}
