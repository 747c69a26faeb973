//! cuInit, the export of memory, and the lifetimes of memory, arrays, surfaces, textures, contexts and streams.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering::Relaxed;

use ash::vk;
use cuda_external_sys::*;

use crate::layer::chassis::on_success::{on_created, on_success};
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{WrappedCall, wrap};
use crate::layer::core_checks::{mapping_checks, use_after_end};
use crate::layer::error_messages::sticky_codes::is_object_gone_after;
use crate::layer::host_process::current_process::{LIFE, active_check};
use crate::layer::host_process::{driver_functions, fd_info};
use crate::layer::state_tracker::tracked_objects::{AccessKind, ObjectEnd};
use crate::layer::sync::call_accesses::memory_of_resource;
use crate::layer::vulkan::export_mismatch;
use crate::layer::vulkan::vulkan_state::ExportedFd;

/// Releases or resets a primary context. If the context is not active after the call, the context's objects from before
/// the call count as ended. Newer objects do not: another thread may have retained the context anew during the call.
fn end_primary_context(call: &mut WrappedCall<'_>, device: CUdevice) -> CUresult {
    let site = call.call_site();
    let state = call.lock_state();
    let context = state.primaries.get(&device).copied();
    let alive = context.map(|context| (context, state.objects.objects_alive_in_context(context)));
    drop(state);
    let code = call.call_driver();
    if code != CUDA_SUCCESS || driver_functions::is_primary_context_active(call, device) {
        return code;
    }
    if let Some((context, alive)) = alive {
        let mut state = call.lock_state();
        let ended = state.end_context(context, alive, &site);
        state.finish_context_teardown(call.name, ended, true);
    }
    code
}

/// Destroys a context. Records the end before the call: another thread may get the handle for a new context.
fn end_context(call: &mut WrappedCall<'_>, context: CUcontext) -> CUresult {
    let (site, context) = (call.call_site(), context.addr());
    let mut state = call.lock_state();
    let alive = state.objects.objects_alive_in_context(context);
    let ended = state.end_context(context, alive, &site);
    drop(state);
    let code = call.call_driver();
    call.lock_state().finish_context_teardown(call.name, ended, is_object_gone_after(code));
    code
}

/// Destroys a stream. Records the end before the call: another thread may get the handle for a new stream.
fn destroy_stream(call: &mut WrappedCall<'_>, on: CUstream) -> CUresult {
    if on.addr() <= 2 {
        return call.call_driver();
    }
    let site = call.call_site();
    let mut state = call.lock_state();
    state.end_stream(on.addr(), site);
    drop(state);
    let code = call.call_driver();
    let mut state = call.lock_state();
    if !is_object_gone_after(code) {
        state.ended_streams.remove(&on.addr());
    } else if state.ended_streams.contains_key(&on.addr()) {
        // No other thread has a new stream with this handle yet.
        state.vulkan.note_destroyed_stream(on.addr());
    }
    drop(state);
    code
}

/// Creates a stream, and forgets a destroyed stream with the same handle.
unsafe fn note_new_stream(call: &mut WrappedCall<'_>, out: *mut CUstream, flags: c_uint) -> CUresult {
    let note = |state: &mut ProcessState, stream| {
        state.ended_streams.remove(&stream);
        state.vulkan.note_new_stream(stream, flags & CU_STREAM_NON_BLOCKING.0 != 0);
    };
    // SAFETY: a successful call writes to `out` unless that is null.
    unsafe { on_created(call, out, note) }
}

/// Calls a function that returns a new array, and forgets an ended array with the same handle.
unsafe fn forget_reused_array<T>(call: &mut WrappedCall<'_>, out: *mut *mut T) -> CUresult {
    // SAFETY: a successful call writes to `out` unless that is null.
    unsafe { on_created(call, out, |state, array| state.objects.forget_array_handle(array as u64)) }
}

wrap! {
    cuInit: PFN_cuInit(flags) |call| on_success(call, |_| _ = LIFE.mark_driver_initialized());
    cuMemFree_v2: PFN_cuMemFree_v2(address) |call| mapping_checks::free_address(call, address);
    cuMemFreeAsync / cuMemFreeAsync_ptsz(
        address: CUdeviceptr, on: CUstream,
    ) |call| mapping_checks::free_address(call, address);
    cuMipmappedArrayDestroy: PFN_cuMipmappedArrayDestroy(array) |call| mapping_checks::destroy_array(call, array);
    cuMipmappedArrayGetLevel: PFN_cuMipmappedArrayGetLevel(out, array, level) |call|
        mapping_checks::get_array_level(call, out, array);
    cuMipmappedArrayCreate(out: *mut CUmipmappedArray, desc: *const CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint) |call|
        forget_reused_array(call, out);
    cuArrayCreate_v2(out: *mut CUarray, desc: *const c_void) |call| forget_reused_array(call, out);
    cuArray3DCreate_v2(out: *mut CUarray, desc: *const CUDA_ARRAY3D_DESCRIPTOR) |call| forget_reused_array(call, out);
    cuArrayGetPlane(out: *mut CUarray, array: CUarray, plane: c_uint) |call| forget_reused_array(call, out);
    cuGraphicsResourceGetMappedMipmappedArray(out: *mut CUmipmappedArray, resource: *mut c_void) |call|
        forget_reused_array(call, out);
    cuGraphicsSubResourceGetMappedArray(out: *mut CUarray, resource: *mut c_void, index: c_uint, level: c_uint) |call|
        forget_reused_array(call, out);

    cuSurfObjectCreate: PFN_cuSurfObjectCreate(surface, resource) |call|
        use_after_end::create_view(call, surface, memory_of_resource(resource.as_ref()), AccessKind::MayWrite(0));
    cuTexObjectCreate: PFN_cuTexObjectCreate(texture, resource, description, view) |call|
        use_after_end::create_view(call, texture, memory_of_resource(resource.as_ref()), AccessKind::Read);
    cuSurfObjectDestroy: PFN_cuSurfObjectDestroy(surface) |call|
        on_success(call, |state| state.objects.set_viewed_array(surface, None));
    cuTexObjectDestroy: PFN_cuTexObjectDestroy(texture) |call|
        on_success(call, |state| state.objects.set_viewed_array(texture, None));

    cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain(out, device) |call|
        on_created(call, out, |state, context| _ = state.primaries.insert(device, context));
    cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2(device) |call|
        end_primary_context(call, device);
    cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2(device: CUdevice) |call| end_primary_context(call, device);
    // A program that looks up cuCtxDestroy or cuStreamDestroy by dlsym gets the first version of the function.
    cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2(context) |call| end_context(call, context);
    cuStreamDestroy | cuStreamDestroy_v2: PFN_cuStreamDestroy_v2(on) |call| destroy_stream(call, on);
    cuGreenCtxCreate(out: *mut CUgreenCtx, resource: *mut c_void, device: CUdevice, flags: c_uint) |call|
        on_success(call, |state| state.has_green_contexts = true);
    cuStreamCreate: PFN_cuStreamCreate(out, flags) |call| note_new_stream(call, out, flags);
    cuStreamCreateWithPriority: PFN_cuStreamCreateWithPriority(out, flags, priority) |call|
        note_new_stream(call, out, flags);
    cuGreenCtxStreamCreate(out: *mut CUstream, context: CUgreenCtx, flags: c_uint, priority: c_int) |call|
        note_new_stream(call, out, flags);

    cuMemCreate: PFN_cuMemCreate(out, size, properties, flags) |call| {
        let exported = properties.as_ref().filter(|of| of.requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE);
        let uuid = exported.and_then(|of| driver_functions::uuid_of_device(call, of.location.id));
        let made = call.call_site();
        on_success(call, |state| {
            // `out` is null, or the call wrote to it.
            if let (Some(handle), Some(_)) = (out.as_ref(), exported) {
                let number = state.vulkan.add_cuda_allocation(size as u64, uuid, made);
                state.allocations.insert(*handle, number);
            }
        })
    };
    cuMemRelease: PFN_cuMemRelease(allocation) |call| {
        let name = call.name;
        on_success(call, |state| {
            if let Some(number) = state.allocations.remove(&allocation) {
                export_mismatch::check_allocation_in_use(state, name, number);
                state.vulkan.end_exportable(number);
            }
        })
    };
    cuMemMap: PFN_cuMemMap(address, size, offset, allocation, flags) |call| {
        let made = call.call_site();
        let range = [size, offset].map(|of| of as u64);
        on_success(call, |state| state.add_mapping_of_cuda_memory(address, range, allocation, made))
    };
    cuMemUnmap: PFN_cuMemUnmap(address, size) |call| {
        let site = call.call_site();
        let mapped = call.lock_state().objects.mappings_of_cuda_memory(address, size as u64);
        on_success(call, |state| {
            for mapping in mapped {
                state.end_object(mapping, ObjectEnd::Freed, site.clone());
            }
        })
    };
    cuMemExportToShareableHandle: PFN_cuMemExportToShareableHandle(
        out, allocation, kind, flags,
    ) |call| {
        let site = call.call_site();
        on_success(call, |state| {
        // An export counts as a checked call.
        if let Some(check) = active_check() {
            check.shared.calls.fetch_add(1, Relaxed);
        }
        const LARGE: u64 = 512 << 20;
        let is_fd = kind == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        let number = state.allocations.get(&allocation).copied().filter(|_| is_fd);
        let size = number.and_then(|number| state.vulkan.memory_state(number)).map_or(0, |memory| memory.size);
        // For this handle type the call wrote a descriptor.
        if let (Some(number), Some(fd)) = (number, out.cast::<c_int>().as_ref()) {
            if size >= LARGE {
                fd_info::set_file_mark(*fd, fd_info::LARGE_CUDA_MEMORY_MARK);
            }
            let mark = export_mismatch::mark_exported_fd(*fd);
            let handle_type = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD.as_raw();
            state.vulkan.exported_fds.insert(*fd, ExportedFd { of: number, handle_type, site, mark });
        }
    })
    };
}
