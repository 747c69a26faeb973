//! Functions beside the family that say what became of its objects: of memory, arrays, contexts and streams.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_sys::*;

use super::wrap;
use crate::layer::call::{Call, LEGACY, is_gone_after};
use crate::layer::graph::written;
use crate::layer::state::{State, has_mappings, state};
use crate::layer::vulkan::host_waited;
use crate::layer::{driver, fds, mappings, process, semaphores};

/// Runs a call, and notes what it changed where it succeeded.
pub fn noted(call: &Call<'_>, note: impl FnOnce(&mut State)) -> CUresult {
    let code = call.driver();
    if code == CUDA_SUCCESS {
        note(&mut state());
    }
    code
}

/// The same with the handle that the call wrote.
///
/// # Safety
///
/// The pointer is null, or a successful call writes to it.
pub unsafe fn made<T>(call: &Call<'_>, out: *mut *mut T, note: impl FnOnce(&mut State, usize)) -> CUresult {
    noted(call, |state| {
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { written(out) } {
            note(state, handle);
        }
    })
}

/// Releases or resets a primary context, which may end it. What another thread makes in the next one is not counted.
fn primary_ends(call: &Call<'_>, device: CUdevice) -> CUresult {
    let site = call.site();
    let state = state();
    let context = state.primaries.get(&device).copied();
    let alive = context.map(|context| state.objects.alive_in(context));
    drop(state);
    let code = call.driver();
    let (mut flags, mut is_active) = (0, 1);
    let is_known =
        code == CUDA_SUCCESS && driver::primary_state(device, &mut flags, &mut is_active) == CUDA_SUCCESS;
    if let (Some(context), Some(alive), true, 0) = (context, alive, is_known, is_active) {
        let mut state = self::state();
        let ended = state.end_context(context, alive, &site);
        state.context_ended(call, ended, true);
    }
    code
}

/// Destroys a context. Its end is noted before: another thread may get the handle for a new one.
fn context_ends(call: &Call<'_>, context: CUcontext) -> CUresult {
    let (site, context) = (call.site(), context.addr());
    let mut state = state();
    let alive = state.objects.alive_in(context);
    let ended = state.end_context(context, alive, &site);
    drop(state);
    let code = call.driver();
    self::state().context_ended(call, ended, is_gone_after(code));
    code
}

/// Destroys a stream, as above. The default streams stay.
fn stream_ends(call: &Call<'_>, on: CUstream) -> CUresult {
    if on.addr() <= 2 {
        return call.driver();
    }
    let site = call.site();
    state().stream_ends(on.addr(), site);
    let code = call.driver();
    if !is_gone_after(code) {
        state().ended_streams.remove(&on.addr());
    }
    code
}

/// The driver may give a new stream the handle of one that was destroyed.
unsafe fn new_stream(call: &Call<'_>, out: *mut CUstream) -> CUresult {
    // SAFETY: the caller's promise.
    unsafe { made(call, out, |state, stream| _ = state.ended_streams.remove(&stream)) }
}

/// The same of an array.
unsafe fn new_array<T>(call: &Call<'_>, out: *mut *mut T) -> CUresult {
    if !has_mappings() {
        return call.driver();
    }
    // SAFETY: the caller's promise.
    unsafe { made(call, out, |state, array| state.objects.forget_array(array as u64)) }
}

/// Work that uses no object.
fn enqueued(call: &Call<'_>, on: CUstream) -> CUresult {
    semaphores::enqueued(call, call.stream(on))
}

/// CUlaunchConfig's first fields.
#[repr(C)]
pub struct LaunchConfig {
    grid_and_block: [c_uint; 6],
    shared: c_uint,
    on: CUstream,
}

wrap! {
    cuInit: PFN_cuInit(flags: c_uint) |call| noted(call, |_| process::is_initialized());
    cuMemFree_v2: PFN_cuMemFree_v2(address: CUdeviceptr) |call| mappings::free(call, address);
    cuMemFreeAsync | cuMemFreeAsync_ptsz(address: CUdeviceptr, on: CUstream) |call| mappings::free(call, address);
    cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy(array: CUmipmappedArray) |call| mappings::destroy_array(call, array);
    cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel(out: *mut CUarray, array: CUmipmappedArray, level: c_uint) |call|
        mappings::get_level(call, out, array);
    cuMipmappedArrayCreate(out: *mut CUmipmappedArray, desc: *const CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint) |call|
        new_array(call, out);
    cuArrayCreate_v2(out: *mut CUarray, desc: *const c_void) |call| new_array(call, out);
    cuArray3DCreate_v2(out: *mut CUarray, desc: *const CUDA_ARRAY3D_DESCRIPTOR) |call| new_array(call, out);
    cuArrayGetPlane(out: *mut CUarray, array: CUarray, plane: c_uint) |call| new_array(call, out);
    cuGraphicsResourceGetMappedMipmappedArray(out: *mut CUmipmappedArray, resource: *mut c_void) |call| new_array(call, out);
    cuGraphicsSubResourceGetMappedArray(out: *mut CUarray, resource: *mut c_void, index: c_uint, level: c_uint) |call|
        new_array(call, out);

    cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain(out: *mut CUcontext, device: CUdevice) |call|
        made(call, out, |state, context| _ = state.primaries.insert(device, context));
    cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2(device: CUdevice) |call|
        primary_ends(call, device);
    cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2(device: CUdevice) |call| primary_ends(call, device);
    // The first versions of these are what programs get that look them up by their plain names.
    cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2(context: CUcontext) |call| context_ends(call, context);
    cuStreamDestroy | cuStreamDestroy_v2: PFN_cuStreamDestroy_v2(on: CUstream) |call| stream_ends(call, on);
    cuGreenCtxCreate(out: *mut CUgreenCtx, resource: *mut c_void, device: CUdevice, flags: c_uint) |call|
        noted(call, |state| state.has_green_contexts = true);
    cuStreamCreate: PFN_cuStreamCreate(out: *mut CUstream, flags: c_uint) |call| new_stream(call, out);
    cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority(out: *mut CUstream, flags: c_uint, priority: c_int) |call|
        new_stream(call, out);
    cuGreenCtxStreamCreate(out: *mut CUstream, context: CUgreenCtx, flags: c_uint, priority: c_int) |call|
        new_stream(call, out);

    // These wait or ask, by which the loss of a context is often seen first.
    cuCtxSynchronize: PFN_cuCtxSynchronize() |call| host_waited(call);
    cuCtxSynchronize_v2(context: CUcontext) |call| host_waited(call);
    cuStreamSynchronize | cuStreamSynchronize_ptsz: PFN_cuStreamSynchronize(on: CUstream) |call| host_waited(call);
    cuStreamQuery | cuStreamQuery_ptsz: PFN_cuStreamQuery(on: CUstream) |call| host_waited(call);
    cuEventSynchronize: PFN_cuEventSynchronize(event: CUevent) |call| host_waited(call);

    cuMemCreate: PFN_cuMemCreate(
        out: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp, flags: c_ulonglong,
    ) |call| noted(call, |state| {
        // Null, or the call wrote to it.
        out.as_ref().into_iter().for_each(|handle| _ = state.allocations.insert(*handle, size as u64));
    });
    cuMemRelease: PFN_cuMemRelease(allocation: CUmemGenericAllocationHandle) |call|
        noted(call, |state| _ = state.allocations.remove(&allocation));
    cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle(
        out: *mut c_void, allocation: CUmemGenericAllocationHandle, kind: CUmemAllocationHandleType, flags: c_ulonglong,
    ) |call| noted(call, |state| {
        // A program that only exports is checked too.
        process::process().into_iter().for_each(|process| _ = process.shared.calls.fetch_add(1, Relaxed));
        const LARGE: u64 = 512 << 20;
        let is_fd = kind == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        if is_fd && state.allocations.get(&allocation).is_some_and(|size| *size >= LARGE) {
            // For this type the call wrote a descriptor.
            out.cast::<c_int>().as_ref().into_iter().for_each(|fd| fds::mark(*fd, fds::LARGE_CUDA_MEMORY));
        }
    });

    cuLaunchKernel | cuLaunchKernel_ptsz: PFN_cuLaunchKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, on: CUstream, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) |call| enqueued(call, on);
    cuLaunchCooperativeKernel | cuLaunchCooperativeKernel_ptsz(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, on: CUstream, params: *mut *mut c_void,
    ) |call| enqueued(call, on);
    cuLaunchKernelEx | cuLaunchKernelEx_ptsz(
        config: *const LaunchConfig, function: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) |call| semaphores::enqueued(call, config.as_ref().map_or(LEGACY, |config| call.stream(config.on)));
    cuStreamAddCallback | cuStreamAddCallback_ptsz(
        on: CUstream, function: *mut c_void, data: *mut c_void, flags: c_uint,
    ) |call| enqueued(call, on);
    cuLaunchHostFunc_v2 | cuLaunchHostFunc_v2_ptsz(
        on: CUstream, function: CUhostFn, data: *mut c_void, mode: c_uint,
    ) |call| enqueued(call, on);
    cuStreamWaitValue32 | cuStreamWaitValue32_ptsz | cuStreamWaitValue32_v2 | cuStreamWaitValue32_v2_ptsz
        | cuStreamWriteValue32 | cuStreamWriteValue32_ptsz | cuStreamWriteValue32_v2 | cuStreamWriteValue32_v2_ptsz(
        on: CUstream, address: CUdeviceptr, value: u32, flags: c_uint,
    ) |call| enqueued(call, on);
    cuStreamWaitValue64 | cuStreamWaitValue64_ptsz | cuStreamWaitValue64_v2 | cuStreamWaitValue64_v2_ptsz
        | cuStreamWriteValue64 | cuStreamWriteValue64_ptsz | cuStreamWriteValue64_v2 | cuStreamWriteValue64_v2_ptsz(
        on: CUstream, address: CUdeviceptr, value: u64, flags: c_uint,
    ) |call| enqueued(call, on);
    cuLaunchHostFunc | cuLaunchHostFunc_ptsz: PFN_cuLaunchHostFunc(
        on: CUstream, function: CUhostFn, data: *mut c_void,
    ) |call| enqueued(call, on);
    cuStreamWaitEvent | cuStreamWaitEvent_ptsz: PFN_cuStreamWaitEvent(on: CUstream, event: CUevent, flags: c_uint) |call|
        enqueued(call, on);
}
