//! The functions of external memory and semaphores.

use std::ffi::c_uint;

use cuda_external_sys::*;

use super::trace::{pointee, traced};
use super::wrap;
use crate::layer::graph::{self, Target};
use crate::layer::objects::Kind;
use crate::layer::{imports, mappings, semaphores};

/// A stream, where 0 is the default stream of all threads (1) or, for this function, of this one (2).
pub fn stream(handle: CUstream, call: &str) -> usize {
    match handle.is_null() {
        true if call.ends_with("_ptsz") => 2,
        true => 1,
        false => handle.addr(),
    }
}

#[test]
fn the_default_stream_is_of_all_threads_or_of_one() {
    let default = std::ptr::null_mut();
    assert_eq!((stream(default, "cuGraphLaunch"), stream(default, "cuGraphLaunch_ptsz")), (1, 2));
    let created = std::ptr::without_provenance_mut(0x70);
    assert_eq!((stream(created, "cuGraphLaunch"), stream(created, "cuGraphLaunch_ptsz")), (0x70, 0x70));
}

// SAFETY, for each of them: the program's arguments are as the driver needs them.
wrap! {
    cuImportExternalMemory(
        out: *mut CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {}", pointee(out), shown_memory(desc)) },
        || unsafe { imports::import_memory(call, out, desc, real) },
    );
    cuExternalMemoryGetMappedBuffer(
        address: *mut CUdeviceptr,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {memory:?}, {}", pointee(address), shown_buffer(desc)) },
        || unsafe { mappings::map_buffer(call, address, memory, desc, real) },
    );
    cuExternalMemoryGetMappedMipmappedArray(
        array: *mut CUmipmappedArray,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {memory:?}, {}", pointee(array), shown_array(desc)) },
        || unsafe { mappings::map_array(call, array, memory, desc, real) },
    );
    cuDestroyExternalMemory(memory: CUexternalMemory) |call, real| traced(
        call,
        None,
        || format!("{memory:?}"),
        || imports::destroy(call, Kind::Memory, memory.addr() as u64, real),
    );
    cuImportExternalSemaphore(
        out: *mut CUexternalSemaphore,
        desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {}", pointee(out), shown_semaphore(desc)) },
        || unsafe { imports::import_semaphore(call, out, desc, real) },
    );
    cuSignalExternalSemaphoresAsync(
        semaphores: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        count: c_uint,
        on: CUstream,
    ) |call, real| traced(
        call,
        Some(stream(on, call)),
        || unsafe { format!("{}, {count}, {on:?}", shown_uses(semaphores, params, count)) },
        || unsafe { semaphores::enqueue(call, semaphores, params, count, stream(on, call), real) },
    );
    cuSignalExternalSemaphoresAsync_ptsz(
        semaphores: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        count: c_uint,
        on: CUstream,
    ) |call, real| traced(
        call,
        Some(stream(on, call)),
        || unsafe { format!("{}, {count}, {on:?}", shown_uses(semaphores, params, count)) },
        || unsafe { semaphores::enqueue(call, semaphores, params, count, stream(on, call), real) },
    );
    cuWaitExternalSemaphoresAsync(
        semaphores: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        count: c_uint,
        on: CUstream,
    ) |call, real| traced(
        call,
        Some(stream(on, call)),
        || unsafe { format!("{}, {count}, {on:?}", shown_uses(semaphores, params, count)) },
        || unsafe { semaphores::enqueue(call, semaphores, params, count, stream(on, call), real) },
    );
    cuWaitExternalSemaphoresAsync_ptsz(
        semaphores: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        count: c_uint,
        on: CUstream,
    ) |call, real| traced(
        call,
        Some(stream(on, call)),
        || unsafe { format!("{}, {count}, {on:?}", shown_uses(semaphores, params, count)) },
        || unsafe { semaphores::enqueue(call, semaphores, params, count, stream(on, call), real) },
    );
    cuDestroyExternalSemaphore(semaphore: CUexternalSemaphore) |call, real| traced(
        call,
        None,
        || format!("{semaphore:?}"),
        || imports::destroy(call, Kind::Semaphore, semaphore.addr() as u64, real),
    );

    cuGraphAddExternalSemaphoresSignalNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call, real| traced(call, None, || format!("{of:?}, {count} dependencies"), || unsafe {
        graph::semaphore_node(call, Target::New { graph: of.addr(), out }, graph::signal_arrays(params), real)
    });
    cuGraphAddExternalSemaphoresWaitNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call, real| traced(call, None, || format!("{of:?}, {count} dependencies"), || unsafe {
        graph::semaphore_node(call, Target::New { graph: of.addr(), out }, graph::wait_arrays(params), real)
    });
    cuGraphExternalSemaphoresSignalNodeSetParams(
        node: CUgraphNode,
        params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call, real| traced(call, None, || format!("{node:?}"), || unsafe {
        graph::semaphore_node(call, Target::Node(node), graph::signal_arrays(params), real)
    });
    cuGraphExternalSemaphoresWaitNodeSetParams(
        node: CUgraphNode,
        params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call, real| traced(call, None, || format!("{node:?}"), || unsafe {
        graph::semaphore_node(call, Target::Node(node), graph::wait_arrays(params), real)
    });
    cuGraphExecExternalSemaphoresSignalNodeSetParams(
        instance: CUgraphExec,
        node: CUgraphNode,
        params: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) |call, real| traced(call, None, || format!("{instance:?}, {node:?}"), || unsafe {
        let target = Target::Instance { instance: instance.addr(), node };
        graph::semaphore_node(call, target, graph::signal_arrays(params), real)
    });
    cuGraphExecExternalSemaphoresWaitNodeSetParams(
        instance: CUgraphExec,
        node: CUgraphNode,
        params: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) |call, real| traced(call, None, || format!("{instance:?}, {node:?}"), || unsafe {
        let target = Target::Instance { instance: instance.addr(), node };
        graph::semaphore_node(call, target, graph::wait_arrays(params), real)
    });
    cuGraphAddNode_v2(
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
    cuGraphNodeSetParams(node: CUgraphNode, params: *mut CUgraphNodeParams) |call, real| traced(
        call,
        None,
        || format!("{node:?}"),
        || unsafe { graph::node(call, Target::Node(node), params, real) },
    );
    cuGraphExecNodeSetParams(
        instance: CUgraphExec,
        node: CUgraphNode,
        params: *mut CUgraphNodeParams,
    ) |call, real| traced(call, None, || format!("{instance:?}, {node:?}"), || unsafe {
        graph::node(call, Target::Instance { instance: instance.addr(), node }, params, real)
    });
}

unsafe fn shown_memory(desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> String {
    // SAFETY: null or valid; any bytes are a number.
    unsafe { desc.as_ref().map(|desc| (desc, desc.handle.fd)) }.map_or("null".to_owned(), |(desc, fd)| {
        format!("{{ type: {:?}, fd: {fd}, size: {}, flags: {:#x} }}", desc.type_, desc.size, desc.flags)
    })
}

unsafe fn shown_semaphore(desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> String {
    // SAFETY: as above.
    unsafe { desc.as_ref().map(|desc| (desc, desc.handle.fd)) }.map_or("null".to_owned(), |(desc, fd)| {
        format!("{{ type: {:?}, fd: {fd}, flags: {:#x} }}", desc.type_, desc.flags)
    })
}

unsafe fn shown_buffer(desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> String {
    // SAFETY: null or valid.
    unsafe { desc.as_ref() }.map_or("null".to_owned(), |desc| {
        format!("{{ offset: {}, size: {}, flags: {:#x} }}", desc.offset, desc.size, desc.flags)
    })
}

unsafe fn shown_array(desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> String {
    // SAFETY: null or valid.
    unsafe { desc.as_ref() }.map_or("null".to_owned(), |desc| {
        format!("{{ offset: {}, {:?}, numLevels: {} }}", desc.offset, desc.arrayDesc, desc.numLevels)
    })
}

/// The semaphores with their values.
unsafe fn shown_uses<P: semaphores::Params>(
    all: *const CUexternalSemaphore,
    params: *const P,
    count: c_uint,
) -> String {
    if all.is_null() || params.is_null() {
        return "null".to_owned();
    }
    // SAFETY: the arrays have as many entries.
    let shown = |at: usize| unsafe {
        let params = *params.add(at);
        format!("{:?}: value {}, flags {:#x}", *all.add(at), params.value(), params.flags())
    };
    format!("[{}]", (0..count as usize).map(shown).collect::<Vec<_>>().join(", "))
}
