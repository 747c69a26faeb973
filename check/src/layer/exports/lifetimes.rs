//! Functions beside the family that say what became of its objects: of memory, arrays, contexts and streams.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::Ordering;

use cuda_external_sys::*;

use super::wrap;
use crate::layer::call::{LEGACY, Site, is_gone_after, stream};
use crate::layer::graph::written;
use crate::layer::semaphores::enqueued;
use crate::layer::state::{HAS_MAPPINGS, State, state};
use crate::layer::vulkan::host_waited;
use crate::layer::{driver, fds, mappings, process};

/// Runs a call, and notes what it changed where it succeeded.
pub fn noted(real: impl FnOnce() -> CUresult, note: impl FnOnce(&mut State)) -> CUresult {
    let code = real();
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
pub unsafe fn made<T>(
    real: impl FnOnce() -> CUresult,
    out: *mut *mut T,
    note: impl FnOnce(&mut State, usize),
) -> CUresult {
    noted(real, |state| {
        // SAFETY: the caller's promise.
        if let Some(handle) = unsafe { written(out) } {
            note(state, handle);
        }
    })
}

/// Releases or resets a primary context, which may end it. What another thread makes in the next one is not counted.
fn primary_ends(call: &'static str, device: CUdevice, real: impl FnOnce() -> CUresult) -> CUresult {
    let site = Site::here(call);
    let state = state();
    let context = state.primaries.get(&device).copied();
    let alive = context.map(|context| state.alive_in(context));
    drop(state);
    let code = real();
    let (mut flags, mut is_active) = (0, 1);
    let is_known =
        code == CUDA_SUCCESS && driver::primary_state(device, &mut flags, &mut is_active) == CUDA_SUCCESS;
    if let (Some(context), Some(alive), true, 0) = (context, alive, is_known, is_active) {
        let mut state = self::state();
        let ended = state.end_context(context, alive, &site);
        state.context_ended(ended, call, true);
    }
    code
}

/// Destroys a context. Its end is noted before: another thread may get the handle for a new one.
fn context_ends(call: &'static str, context: CUcontext, real: impl FnOnce() -> CUresult) -> CUresult {
    let (site, context) = (Site::here(call), context.addr());
    let mut state = state();
    let alive = state.alive_in(context);
    let ended = state.end_context(context, alive, &site);
    drop(state);
    let code = real();
    self::state().context_ended(ended, call, is_gone_after(code));
    code
}

/// Destroys a stream, as above. The default streams stay.
fn stream_ends(call: &'static str, on: CUstream, real: impl FnOnce() -> CUresult) -> CUresult {
    if on.addr() <= 2 {
        return real();
    }
    let site = Site::here(call);
    state().stream_ends(on.addr(), &site);
    let code = real();
    if !is_gone_after(code) {
        state().ended_streams.remove(&on.addr());
    }
    code
}

/// The driver may give a new stream the handle of one that was destroyed.
unsafe fn new_stream(real: impl FnOnce() -> CUresult, out: *mut CUstream) -> CUresult {
    // SAFETY: the caller's promise.
    unsafe { made(real, out, |state, stream| _ = state.ended_streams.remove(&stream)) }
}

/// The same of an array.
unsafe fn new_array<T>(real: impl FnOnce() -> CUresult, out: *mut *mut T) -> CUresult {
    if !HAS_MAPPINGS.load(Ordering::Acquire) {
        return real();
    }
    // SAFETY: the caller's promise.
    unsafe { made(real, out, |state, array| state.objects.forget_array(array as u64)) }
}

/// CUlaunchConfig's first fields.
#[repr(C)]
pub struct LaunchConfig {
    grid_and_block: [c_uint; 6],
    shared: c_uint,
    on: CUstream,
}

// SAFETY, for each of them: the program's arguments are as the driver needs them.
wrap! {
    cuInit: PFN_cuInit(flags: c_uint) |_call, real| noted(real, |_| process::is_initialized());
    cuMemFree_v2: PFN_cuMemFree_v2(address: CUdeviceptr) |call, real| mappings::free(call, address, real);
    cuMemFreeAsync | cuMemFreeAsync_ptsz(address: CUdeviceptr, on: CUstream) |call, real| {
        mappings::free(call, address, real)
    };
    cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy(array: CUmipmappedArray) |call, real| {
        mappings::destroy_array(call, array, real)
    };
    cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel(
        out: *mut CUarray, array: CUmipmappedArray, level: c_uint,
    ) |call, real| unsafe { mappings::get_level(call, out, array, real) };
    cuMipmappedArrayCreate(
        out: *mut CUmipmappedArray, description: *const CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint,
    ) |_call, real| unsafe { new_array(real, out) };
    cuArrayCreate_v2(out: *mut CUarray, description: *const c_void) |_call, real| unsafe { new_array(real, out) };
    cuArray3DCreate_v2(out: *mut CUarray, description: *const CUDA_ARRAY3D_DESCRIPTOR) |_call, real| unsafe {
        new_array(real, out)
    };
    cuArrayGetPlane(out: *mut CUarray, array: CUarray, plane: c_uint) |_call, real| unsafe { new_array(real, out) };
    cuGraphicsResourceGetMappedMipmappedArray(out: *mut CUmipmappedArray, resource: *mut c_void) |_call, real| unsafe {
        new_array(real, out)
    };
    cuGraphicsSubResourceGetMappedArray(
        out: *mut CUarray, resource: *mut c_void, index: c_uint, level: c_uint,
    ) |_call, real| unsafe { new_array(real, out) };

    cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain(out: *mut CUcontext, device: CUdevice) |_call, real| unsafe {
        made(real, out, |state, context| _ = state.primaries.insert(device, context))
    };
    cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2(
        device: CUdevice,
    ) |call, real| primary_ends(call, device, real);
    cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2(device: CUdevice) |call, real| {
        primary_ends(call, device, real)
    };
    // The first versions of these are what programs get that look them up by their plain names.
    cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2(context: CUcontext) |call, real| {
        context_ends(call, context, real)
    };
    cuStreamDestroy | cuStreamDestroy_v2: PFN_cuStreamDestroy_v2(on: CUstream) |call, real| {
        stream_ends(call, on, real)
    };
    cuGreenCtxCreate(
        out: *mut CUgreenCtx, resource: *mut c_void, device: CUdevice, flags: c_uint,
    ) |_call, real| noted(real, |state| state.has_green_contexts = true);
    cuStreamCreate: PFN_cuStreamCreate(out: *mut CUstream, flags: c_uint) |_call, real| unsafe { new_stream(real, out) };
    cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority(
        out: *mut CUstream, flags: c_uint, priority: c_int,
    ) |_call, real| unsafe { new_stream(real, out) };
    cuGreenCtxStreamCreate(
        out: *mut CUstream, context: CUgreenCtx, flags: c_uint, priority: c_int,
    ) |_call, real| unsafe { new_stream(real, out) };

    // These wait or ask, by which the loss of a context is often seen first.
    cuCtxSynchronize: PFN_cuCtxSynchronize() |_call, real| host_waited(real());
    cuCtxSynchronize_v2(context: CUcontext) |_call, real| host_waited(real());
    cuStreamSynchronize | cuStreamSynchronize_ptsz: PFN_cuStreamSynchronize(on: CUstream) |_call, real| {
        host_waited(real())
    };
    cuStreamQuery | cuStreamQuery_ptsz: PFN_cuStreamQuery(on: CUstream) |_call, real| host_waited(real());
    cuEventSynchronize: PFN_cuEventSynchronize(event: CUevent) |_call, real| host_waited(real());

    cuMemCreate: PFN_cuMemCreate(
        out: *mut CUmemGenericAllocationHandle,
        size: usize,
        properties: *const CUmemAllocationProp,
        flags: c_ulonglong,
    ) |_call, real| noted(real, |state| {
        // SAFETY: null, or the call wrote to it.
        let handle = unsafe { out.as_ref() };
        handle.into_iter().for_each(|handle| _ = state.allocations.insert(*handle, size as u64));
    });
    cuMemRelease: PFN_cuMemRelease(allocation: CUmemGenericAllocationHandle) |_call, real| noted(real, |state| {
        state.allocations.remove(&allocation);
    });
    cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle(
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

    cuLaunchKernel | cuLaunchKernel_ptsz: PFN_cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        on: CUstream,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |call, real| enqueued(stream(on, call), real);
    cuLaunchCooperativeKernel | cuLaunchCooperativeKernel_ptsz(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        on: CUstream,
        params: *mut *mut c_void,
    ) |call, real| enqueued(stream(on, call), real);
    cuLaunchKernelEx | cuLaunchKernelEx_ptsz(
        config: *const LaunchConfig, function: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) |call, real| {
        // SAFETY: null, or the program's struct.
        let on = unsafe { config.as_ref() }.map(|config| stream(config.on, call));
        enqueued(on.unwrap_or(LEGACY), real)
    };
    cuStreamAddCallback | cuStreamAddCallback_ptsz(
        on: CUstream, function: *mut c_void, data: *mut c_void, flags: c_uint,
    ) |call, real| enqueued(stream(on, call), real);
    cuLaunchHostFunc_v2 | cuLaunchHostFunc_v2_ptsz(
        on: CUstream, function: CUhostFn, data: *mut c_void, mode: c_uint,
    ) |call, real| enqueued(stream(on, call), real);
    cuStreamWaitValue32 | cuStreamWaitValue32_ptsz | cuStreamWaitValue32_v2 | cuStreamWaitValue32_v2_ptsz
        | cuStreamWriteValue32 | cuStreamWriteValue32_ptsz | cuStreamWriteValue32_v2 | cuStreamWriteValue32_v2_ptsz(
        on: CUstream,
        address: CUdeviceptr,
        value: u32,
        flags: c_uint,
    ) |call, real| enqueued(stream(on, call), real);
    cuStreamWaitValue64 | cuStreamWaitValue64_ptsz | cuStreamWaitValue64_v2 | cuStreamWaitValue64_v2_ptsz
        | cuStreamWriteValue64 | cuStreamWriteValue64_ptsz | cuStreamWriteValue64_v2 | cuStreamWriteValue64_v2_ptsz(
        on: CUstream,
        address: CUdeviceptr,
        value: u64,
        flags: c_uint,
    ) |call, real| enqueued(stream(on, call), real);
    cuLaunchHostFunc | cuLaunchHostFunc_ptsz: PFN_cuLaunchHostFunc(
        on: CUstream, function: CUhostFn, data: *mut c_void,
    ) |call, real| enqueued(stream(on, call), real);
    cuStreamWaitEvent | cuStreamWaitEvent_ptsz: PFN_cuStreamWaitEvent(
        on: CUstream, event: CUevent, flags: c_uint,
    ) |call, real| enqueued(stream(on, call), real);
}
