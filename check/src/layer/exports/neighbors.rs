//! The functions beside the family that say what became of its objects: copies and fills, arrays, graphs, contexts, streams.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

use cuda_external_sys::*;

use super::family::stream;
use super::trace::synchronized;
use super::wrap;
use crate::layer::graph::{self, Target, written};
use crate::layer::site::origin;
use crate::layer::state::{State, state};
use crate::layer::transfers::{self, Touched};
use crate::layer::{driver, fds, mappings};

/// Runs a call, and notes what it changed where it succeeded.
fn noted(real: impl FnOnce() -> CUresult, note: impl FnOnce(&mut State)) -> CUresult {
    let code = real();
    if code == CUDA_SUCCESS {
        note(&mut state());
    }
    code
}

/// Releases or resets a primary context, which may end it.
fn primary_ends(call: &'static str, device: CUdevice, real: impl FnOnce() -> CUresult) -> CUresult {
    let origin = origin(call);
    noted(real, |state| {
        let (mut flags, mut is_active) = (0, 1);
        let is_known = driver::primary_state(device, &mut flags, &mut is_active) == CUDA_SUCCESS;
        if is_known && is_active == 0 {
            if let Some(context) = state.primaries.get(&device).copied() {
                state.end_context(context, &origin);
            }
        }
    })
}

/// Takes in what was instantiated, by the pointer that the call wrote it to.
unsafe fn instantiated(real: impl FnOnce() -> CUresult, out: *mut CUgraphExec, of: CUgraph) -> CUresult {
    noted(real, |state| {
        // SAFETY: the call succeeded.
        if let Some(instance) = unsafe { written(out) } {
            state.graphs.instantiated(of.addr(), instance);
        }
    })
}

unsafe fn new_array<T>(real: impl FnOnce() -> CUresult, out: *mut *mut T) -> CUresult {
    let code = real();
    if code == CUDA_SUCCESS {
        // SAFETY: the call succeeded.
        unsafe { written(out) }.into_iter().for_each(|array| mappings::new_array(array as u64));
    }
    code
}

// SAFETY, for each of them: the program's arguments are as the driver needs them.
wrap! {
    cuMemFree_v2(address: CUdeviceptr) |call, real| mappings::free(call, address, real);
    cuMemFreeAsync(address: CUdeviceptr, on: CUstream) |call, real| mappings::free(call, address, real);
    cuMemFreeAsync_ptsz(address: CUdeviceptr, on: CUstream) |call, real| mappings::free(call, address, real);
    cuMipmappedArrayDestroy(array: CUmipmappedArray) |call, real| mappings::destroy_array(call, array, real);
    cuMipmappedArrayGetLevel(out: *mut CUarray, array: CUmipmappedArray, level: c_uint) |call, real| unsafe {
        mappings::get_level(call, out, array, real)
    };
    cuMipmappedArrayCreate(
        out: *mut CUmipmappedArray,
        description: *const CUDA_ARRAY3D_DESCRIPTOR,
        levels: c_uint,
    ) |_call, real| unsafe { new_array(real, out) };
    cuArrayCreate_v2(out: *mut CUarray, description: *const c_void) |_call, real| unsafe { new_array(real, out) };
    cuArray3DCreate_v2(out: *mut CUarray, description: *const CUDA_ARRAY3D_DESCRIPTOR) |_call, real| unsafe {
        new_array(real, out)
    };
    cuArrayGetPlane(out: *mut CUarray, array: CUarray, plane: c_uint) |_call, real| unsafe { new_array(real, out) };
    cuGraphicsSubResourceGetMappedArray(
        out: *mut CUarray,
        resource: *mut c_void,
        index: c_uint,
        level: c_uint,
    ) |_call, real| unsafe { new_array(real, out) };

    cuGraphCreate(out: *mut CUgraph, flags: c_uint) |_call, real| noted(real, |state| {
        // SAFETY: the call succeeded.
        unsafe { written(out) }.into_iter().for_each(|graph| state.graphs.created(graph));
    });
    cuGraphDestroy(of: CUgraph) |_call, real| noted(real, |state| state.graphs.destroyed(of.addr()));
    cuGraphExecDestroy(instance: CUgraphExec) |_call, real| noted(real, |state| {
        state.graphs.instance_destroyed(instance.addr());
    });
    cuGraphInstantiateWithFlags(out: *mut CUgraphExec, of: CUgraph, flags: c_ulonglong) |_call, real| unsafe {
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
    cuGraphDestroyNode(node: CUgraphNode) |_call, real| noted(real, |state| state.graphs.node_destroyed(node.addr()));
    cuGraphLaunch(instance: CUgraphExec, on: CUstream) |call, real| {
        synchronized(call, stream(on, call), || graph::launch(call, instance.addr(), stream(on, call), real))
    };
    cuGraphLaunch_ptsz(instance: CUgraphExec, on: CUstream) |call, real| {
        synchronized(call, stream(on, call), || graph::launch(call, instance.addr(), stream(on, call), real))
    };
    cuGraphAddMemsetNode(
        out: *mut CUgraphNode,
        of: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *const CUDA_MEMSET_NODE_PARAMS,
        context: CUcontext,
    ) |call, real| {
        // SAFETY: null or valid.
        let params = unsafe { params.as_ref() };
        let touched = params.map_or(Touched::Nothing, |params| Touched::rows(params.dst, params.width, params.height));
        graph::transfer_node(call, Target::New { graph: of.addr(), out }, &[touched], real)
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

    cuDevicePrimaryCtxRetain(out: *mut CUcontext, device: CUdevice) |_call, real| noted(real, |state| {
        // SAFETY: the call succeeded.
        unsafe { written(out) }.into_iter().for_each(|context| _ = state.primaries.insert(device, context));
    });
    cuDevicePrimaryCtxRelease_v2(device: CUdevice) |call, real| primary_ends(call, device, real);
    cuDevicePrimaryCtxRelease(device: CUdevice) |call, real| primary_ends(call, device, real);
    cuDevicePrimaryCtxReset_v2(device: CUdevice) |call, real| primary_ends(call, device, real);
    cuDevicePrimaryCtxReset(device: CUdevice) |call, real| primary_ends(call, device, real);
    cuCtxDestroy_v2(context: CUcontext) |call, real| {
        let origin = origin(call);
        noted(real, |state| state.end_context(context.addr(), &origin))
    };
    cuGreenCtxCreate(
        out: *mut CUgreenCtx,
        resource: *mut c_void,
        device: CUdevice,
        flags: c_uint,
    ) |_call, real| noted(real, |state| state.has_green_contexts = true);

    /// These wait or ask, by which the loss of a context is often seen first.
    cuCtxSynchronize() |_call, real| real();
    cuStreamSynchronize(on: CUstream) |_call, real| real();
    cuStreamSynchronize_ptsz(on: CUstream) |_call, real| real();
    cuStreamQuery(on: CUstream) |_call, real| real();
    cuStreamQuery_ptsz(on: CUstream) |_call, real| real();
    cuEventSynchronize(event: CUevent) |_call, real| real();
    cuStreamDestroy_v2(on: CUstream) |_call, real| noted(real, |state| state.forget_stream(on.addr()));

    cuMemCreate(
        out: *mut CUmemGenericAllocationHandle,
        size: usize,
        properties: *const CUmemAllocationProp,
        flags: c_ulonglong,
    ) |_call, real| noted(real, |state| {
        // SAFETY: null, or the call wrote to it.
        let handle = unsafe { out.as_ref() };
        handle.into_iter().for_each(|handle| _ = state.allocations.insert(*handle, size as u64));
    });
    cuMemRelease(allocation: CUmemGenericAllocationHandle) |_call, real| noted(real, |state| {
        state.allocations.remove(&allocation);
    });
    cuMemExportToShareableHandle(
        out: *mut c_void,
        allocation: CUmemGenericAllocationHandle,
        kind: CUmemAllocationHandleType,
        flags: c_ulonglong,
    ) |_call, real| noted(real, |state| {
        const LARGE: u64 = 512 << 20;
        let is_fd = kind == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        if is_fd && state.allocations.get(&allocation).is_some_and(|size| *size >= LARGE) {
            // SAFETY: for this type the call wrote a descriptor.
            unsafe { out.cast::<c_int>().as_ref() }.into_iter().for_each(|fd| fds::mark_large_cuda_memory(*fd));
        }
    });
}
