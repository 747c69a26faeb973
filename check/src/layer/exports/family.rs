//! Importing, mapping and destroying external memory and semaphores, their signals and waits in streams, and nodes of graphs.

use std::ffi::c_uint;

use cuda_external_sys::*;

use super::trace::{pointee, wrap_family};
use crate::layer::call::stream;
use crate::layer::graph::{self, Target};
use crate::layer::imports::{self, Import};
use crate::layer::mappings;
use crate::layer::objects::Kind;
use crate::layer::semaphores::{self, Entries};

fn shown<T: std::fmt::Debug>(value: &T) -> String {
    format!("{value:?}")
}

fn shown_buffer(desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> String {
    format!("{{ offset: {}, size: {}, flags: {:#x} }}", desc.offset, desc.size, desc.flags)
}

fn shown_array(desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> String {
    format!("{{ offset: {}, {:?}, numLevels: {} }}", desc.offset, desc.arrayDesc, desc.numLevels)
}

/// The semaphores with their values.
fn shown_entries(entries: &Entries) -> String {
    let all = entries.all.iter().flatten();
    let shown = all.map(|(handle, of)| format!("{handle:#x}: value {}, flags {:#x}", of.value, of.flags));
    format!("[{}]", shown.collect::<Vec<_>>().join(", "))
}

/// The call of a function for nodes of one kind.
macro_rules! semaphore_node {
    ($call:ident, $target:expr, $params:ident, $real:ident) => {
        graph::semaphore_node(
            $call,
            $target,
            $params.as_ref().map(|params| semaphores::entries_of!(params)),
            $real,
        )
    };
}

wrap_family! {
    cuImportExternalMemory: PFN_cuImportExternalMemory(
        out: *mut CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) |call, real| None, [pointee(out, shown), pointee(desc, |desc| Import::from(desc).to_string())],
        imports::import(call, out, desc, real);
    cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(
        out: *mut CUexternalSemaphore, desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) |call, real| None, [pointee(out, shown), pointee(desc, |desc| Import::from(desc).to_string())],
        imports::import(call, out, desc, real);
    cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(
        out: *mut CUdeviceptr, memory: CUexternalMemory, desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) |call, real| None, [pointee(out, shown), shown(&memory), pointee(desc, shown_buffer)],
        mappings::map_buffer(call, out, memory, desc, real);
    cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(
        out: *mut CUmipmappedArray,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) |call, real| None, [pointee(out, shown), shown(&memory), pointee(desc, shown_array)],
        mappings::map_array(call, out, memory, desc, real);
    cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(memory: CUexternalMemory) |call, real|
        None, [shown(&memory)], imports::destroy(call, Kind::Memory, memory.addr() as u64, real);
    cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(semaphore: CUexternalSemaphore) |call, real|
        None, [shown(&semaphore)], imports::destroy(call, Kind::Semaphore, semaphore.addr() as u64, real);

    cuSignalExternalSemaphoresAsync | cuSignalExternalSemaphoresAsync_ptsz: PFN_cuSignalExternalSemaphoresAsync(
        all: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        count: c_uint,
        on: CUstream,
    ) |call, real| Some(stream(on, call)), [shown_entries(&semaphores::read(all, params, count)), shown(&on)],
        semaphores::enqueue(call, &semaphores::read(all, params, count), stream(on, call), real);
    cuWaitExternalSemaphoresAsync | cuWaitExternalSemaphoresAsync_ptsz: PFN_cuWaitExternalSemaphoresAsync(
        all: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        count: c_uint,
        on: CUstream,
    ) |call, real| Some(stream(on, call)), [shown_entries(&semaphores::read(all, params, count)), shown(&on)],
        semaphores::enqueue(call, &semaphores::read(all, params, count), stream(on, call), real);

    cuGraphAddExternalSemaphoresSignalNode: PFN_cuGraphAddExternalSemaphoresSignalNode(
        out: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call, real| None, [shown(&graph), shown(&count)],
        semaphore_node!(call, Target::New { graph, out }, params, real);
    cuGraphAddExternalSemaphoresWaitNode: PFN_cuGraphAddExternalSemaphoresWaitNode(
        out: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call, real| None, [shown(&graph), shown(&count)],
        semaphore_node!(call, Target::New { graph, out }, params, real);
    cuGraphExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExternalSemaphoresSignalNodeSetParams(
        node: CUgraphNode, params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call, real| None, [shown(&node)], semaphore_node!(call, Target::Node(node), params, real);
    cuGraphExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExternalSemaphoresWaitNodeSetParams(
        node: CUgraphNode, params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call, real| None, [shown(&node)], semaphore_node!(call, Target::Node(node), params, real);
    cuGraphExecExternalSemaphoresSignalNodeSetParams: PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call, real| None, [shown(&instance), shown(&node)],
        semaphore_node!(call, Target::Instance { instance, node }, params, real);
    cuGraphExecExternalSemaphoresWaitNodeSetParams: PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call, real| None, [shown(&instance), shown(&node)],
        semaphore_node!(call, Target::Instance { instance, node }, params, real);
    cuGraphAddNode_v2 | cuGraphAddNode_v3: PFN_cuGraphAddNode_v2(
        out: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        edges: *const CUgraphEdgeData,
        count: usize,
        params: *mut CUgraphNodeParams,
    ) |call, real| None, [shown(&graph), shown(&count)],
        graph::node(call, Target::New { graph, out }, params, real);
    // The first version of the function, which is without the edges' data.
    cuGraphAddNode(
        out: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *mut CUgraphNodeParams,
    ) |call, real| None, [shown(&graph), shown(&count)],
        graph::node(call, Target::New { graph, out }, params, real);
    cuGraphNodeSetParams | cuGraphNodeSetParams_v2: PFN_cuGraphNodeSetParams(
        node: CUgraphNode, params: *mut CUgraphNodeParams,
    ) |call, real| None, [shown(&node)], graph::node(call, Target::Node(node), params, real);
    cuGraphExecNodeSetParams: PFN_cuGraphExecNodeSetParams(
        instance: CUgraphExec, node: CUgraphNode, params: *mut CUgraphNodeParams,
    ) |call, real| None, [shown(&instance), shown(&node)],
        graph::node(call, Target::Instance { instance, node }, params, real);
}
