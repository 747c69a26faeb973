//! The life of contexts: their creation, primary contexts, and what ends with one.

use std::ptr::null_mut;

use crate::driver::addresses::address_ranges;
use crate::driver::base::current_context::{
    CONTEXTS, Context, current_context, current_number, given_or_current_context, pop_current, push_current,
};
use crate::driver::base::device_ids;
use crate::driver::base::prelude::*;
use crate::driver::base::registry::remove_objects_of_context;
use crate::driver::streams::capture_state;
use crate::driver::streams::stream_queue;

/// A device's primary context: its flags, how often it is retained, and its handle, which stays the same.
struct PrimaryContext {
    flags: u32,
    retained: u32,
    context: u64,
}

static PRIMARY_CONTEXTS: Mutex<[PrimaryContext; device_ids::MAX_DEVICES]> =
    Mutex::new([const { PrimaryContext { flags: 0, retained: 0, context: 0 } }; device_ids::MAX_DEVICES]);

/// Ends a context that is in the registry no more. What is enqueued still runs, but nobody waits for it: a wait may never end.
fn end_context(context: &Context) {
    stream_queue::close_streams_of_context(context.id);
    address_ranges::remove_ranges_of_context(context.id);
    remove_objects_of_context(context.id);
}

fn find_context(context: CUcontext) -> CudaResult<u64> {
    match CONTEXTS.look_up(context) {
        HandleLookup::Live(_) => Ok(context.handle_number()),
        // A primary context can be current before it is retained again: measured.
        HandleLookup::Destroyed if is_primary(context.handle_number()) => Ok(context.handle_number()),
        HandleLookup::Destroyed => Err(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        _ => Err(CUDA_ERROR_INVALID_CONTEXT),
    }
}

fn is_primary(context: u64) -> bool {
    lock(&PRIMARY_CONTEXTS).iter().any(|primary| primary.context == context)
}

fn check_context_flags(flags: u32) -> CudaResult {
    let schedule = flags & CU_CTX_SCHED_MASK.0;
    let known = flags & !CU_CTX_FLAGS_MASK.0 == 0;
    ensure_valid(known && (schedule == 0 || schedule.is_power_of_two()))
}

unsafe fn create_context(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> CudaResult {
    let device = device_ids::device_index(device)?;
    check_context_flags(flags)?;
    ensure_valid(!context.is_null())?;
    let number = CONTEXTS.new_handle_number();
    CONTEXTS.insert_at_number(number, Context::new(device));
    push_current(number);
    // SAFETY: the caller passes a valid pointer.
    unsafe { write_out(context, CUcontext::from_number(number)) }
}

/// Changes how often a device's primary context is retained, and ends it with the last one.
fn release_primary_context(device: CUdevice, change: impl FnOnce(u32) -> CudaResult<u32>) -> CudaResult {
    let device = device_ids::device_index(device)?;
    let mut primaries = lock(&PRIMARY_CONTEXTS);
    let primary = &mut primaries[device];
    let before = primary.retained;
    primary.retained = change(before)?;
    if before == 0 || primary.retained > 0 {
        return Ok(());
    }
    // Its life ends under the lock: whoever retains it next begins another one.
    let ended = CONTEXTS.remove_object(primary.context);
    drop(primaries);
    if let HandleLookup::Live(context) = ended {
        end_context(&context);
    }
    Ok(())
}

fn synchronize_context(context: &Context) -> CudaResult {
    capture_state::refuse_during_capture_in_context(context.id)?;
    stream_queue::pending_in_context(context).iter().for_each(|completion| completion.wait_for_completion());
    context.ensure_not_lost()
}

functions! {
    Init fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain, (context, device) {
        let device = device_ids::device_index(device)?;
        ensure_valid(!context.is_null())?;
        let primary = &mut lock(&PRIMARY_CONTEXTS)[device];
        if primary.context == 0 {
            primary.context = CONTEXTS.new_handle_number();
        }
        if primary.retained == 0 {
            CONTEXTS.insert_at_number(primary.context, Context::new(device));
        }
        primary.retained += 1;
        write_out(context, CUcontext::from_number(primary.context))
    }
    Init fn cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device) {
        release_primary_context(device, |retained| retained.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT))
    }
    Init fn cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device) {
        release_primary_context(device, |_| Ok(0))
    }
    Init fn cuDevicePrimaryCtxSetFlags | cuDevicePrimaryCtxSetFlags_v2: PFN_cuDevicePrimaryCtxSetFlags_v2,
        (device, flags)
    {
        let device = device_ids::device_index(device)?;
        check_context_flags(flags)?;
        // Every context of a device has it, and no primary one takes it: measured.
        ensure_valid(flags & CU_CTX_MAP_HOST.0 == 0)?;
        lock(&PRIMARY_CONTEXTS)[device].flags = flags;
        Ok(())
    }
    Init fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState, (device, flags, active) {
        ensure_valid(!flags.is_null() && !active.is_null())?;
        let primary = &lock(&PRIMARY_CONTEXTS)[device_ids::device_index(device)?];
        write_out(flags, primary.flags)?;
        write_out(active, (primary.retained > 0).into())
    }
    Init fn cuCtxCreate | cuCtxCreate_v2: PFN_cuCtxCreate_v2, (context, flags, device) {
        create_context(context, flags, device)
    }
    Init fn cuCtxCreate_v3(
        context: *mut CUcontext, affinities: *const c_void, _count: c_int, flags: c_uint, device: CUdevice
    ) {
        ensure(affinities.is_null(), CUDA_ERROR_NOT_SUPPORTED)?;
        create_context(context, flags, device)
    }
    Init fn cuCtxCreate_v4: PFN_cuCtxCreate_v4, (context, params, flags, device) {
        // Affinity and CUDA in Graphics need a GPU.
        let is_plain = |params: &CUctxCreateParams| params.execAffinityParams.is_null() && params.cigParams.is_null();
        let plain = read_param(params).map_or(true, is_plain);
        ensure(plain, CUDA_ERROR_NOT_SUPPORTED)?;
        create_context(context, flags, device)
    }
    Init fn cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2, (context) {
        ensure_valid(!context.is_null())?;
        let number = find_context(context)?;
        let primary = lock(&PRIMARY_CONTEXTS).iter().any(|primary| primary.retained > 0 && primary.context == number);
        ensure(!primary, CUDA_ERROR_INVALID_CONTEXT)?;
        if current_number() == Some(number) {
            pop_current();
        }
        let HandleLookup::Live(context) = CONTEXTS.remove_object(number) else { return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED) };
        end_context(&context);
        Ok(())
    }
    Init fn cuCtxSetCurrent: PFN_cuCtxSetCurrent, (context) {
        let number = if context.is_null() { None } else { Some(find_context(context)?) };
        pop_current();
        number.into_iter().for_each(push_current);
        Ok(())
    }
    Init fn cuCtxGetCurrent: PFN_cuCtxGetCurrent, (context) {
        write_out(context, current_number().map_or(null_mut(), CUcontext::from_number))
    }
    Init fn cuCtxPushCurrent | cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2, (context) {
        ensure_valid(!context.is_null())?;
        push_current(find_context(context)?);
        Ok(())
    }
    Init fn cuCtxPopCurrent | cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2, (context) {
        let number = pop_current().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        write_if_wanted(context, CUcontext::from_number(number));
        Ok(())
    }
    Init fn cuCtxGetDevice: PFN_cuCtxGetDevice, (device) {
        write_created(device, || Ok(current_context()?.device as CUdevice))
    }
    Init fn cuCtxGetDevice_v2(device: *mut CUdevice, context: CUcontext) {
        write_created(device, || Ok(given_or_current_context(context)?.device as CUdevice))
    }
    Init fn cuCtxSynchronize: PFN_cuCtxSynchronize, () { synchronize_context(&*current_context()?) }
    Init fn cuCtxSynchronize_v2(context: CUcontext) { synchronize_context(&*given_or_current_context(context)?) }
    Init fn cuCtxGetStreamPriorityRange: PFN_cuCtxGetStreamPriorityRange, (least, greatest) {
        current_context()?;
        write_if_wanted(least, 0);
        write_if_wanted(greatest, stream_queue::GREATEST_PRIORITY);
        Ok(())
    }
}
