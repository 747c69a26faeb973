//! Functions for contexts. A context's flags, limits and cache settings have no effect. A program can read back the
//! limits, and the flags of primary contexts (cuDevicePrimaryCtxGetState), but not the other settings.

use std::ptr::null_mut;

use crate::driver::base::current_context::{
    CONTEXTS, current_number, given_or_current_context, pop_current_context, push_current_context,
};
use crate::driver::base::handle_registry::end_objects_of_context;
use crate::driver::driver_prelude::*;
use crate::driver::streams::capture_state;

/// A device's primary context. The handle `context` is 0 before the first retain, and stays the same after a release.
struct PrimaryContext {
    flags: u32,
    retained: u32,
    context: u64,
}

static PRIMARY_CONTEXTS: Mutex<[PrimaryContext; device_count::MAX_DEVICES]> =
    Mutex::new([const { PrimaryContext { flags: 0, retained: 0, context: 0 } }; device_count::MAX_DEVICES]);

/// Ends a context that the caller has removed from `CONTEXTS`. Does not wait for enqueued work, which may never end.
fn end_context(context: &Context) {
    stream_queue::close_streams_of_context(context.id);
    address_ranges::remove_ranges_of_context(context.id);
    end_objects_of_context(context.id);
}

fn find_context(context: CUcontext) -> CudaResult<u64> {
    let is_primary =
        || lock(&PRIMARY_CONTEXTS).iter().any(|primary| primary.context == context.handle_number());
    match CONTEXTS.look_up_handle(context) {
        HandleLookup::Live(_) => Ok(context.handle_number()),
        // A released primary context can be made current before it is retained again (measured).
        HandleLookup::Destroyed if is_primary() => Ok(context.handle_number()),
        HandleLookup::Destroyed => Err(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        _ => Err(CUDA_ERROR_INVALID_CONTEXT),
    }
}

fn check_context_flags(flags: u32) -> CudaResult {
    let schedule = flags & CU_CTX_SCHED_MASK.0;
    let known = flags & !CU_CTX_FLAGS_MASK.0 == 0;
    ensure_valid(known && (schedule == 0 || schedule.is_power_of_two()))
}

unsafe fn create_context(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> CudaResult {
    let device = device_index(device)?;
    check_context_flags(flags)?;
    ensure_valid(!context.is_null())?;
    let number = CONTEXTS.register_object(Context::new(device));
    push_current_context(number);
    // SAFETY: `context` is not null, and so valid for a write.
    unsafe { write_out(context, CUcontext::from_number(number)) }
}

/// Changes the retain count of a device's primary context, and ends the context if the count becomes 0.
fn release_primary_context(device: CUdevice, change: impl FnOnce(u32) -> CudaResult<u32>) -> CudaResult {
    let device = device_index(device)?;
    let mut primaries = lock(&PRIMARY_CONTEXTS);
    let primary = &mut primaries[device];
    let before = primary.retained;
    primary.retained = change(before)?;
    if before == 0 || primary.retained > 0 {
        return Ok(());
    }
    // Without the lock, this call could remove a new context, which another thread's retain has made at this handle.
    let ended = CONTEXTS.remove_object(primary.context);
    drop(primaries);
    if let HandleLookup::Live(context) = ended {
        end_context(&context);
    }
    Ok(())
}

fn synchronize_context(context: &Context) -> CudaResult {
    capture_state::refuse_during_capture_in_context(context.id)?;
    stream_queue::pending_completions_in_context(context)
        .iter()
        .for_each(|completion| completion.wait_for_completion());
    context.ensure_context_not_lost()
}

/// CU_LIMIT_SHMEM_SIZE, which cannot be set.
const SHARED_MEMORY: c_uint = 7;

functions! {
    Init fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain, (context, device) {
        let device = device_index(device)?;
        ensure_valid(!context.is_null())?;
        let primary = &mut lock(&PRIMARY_CONTEXTS)[device];
        if primary.context == 0 {
            primary.context = CONTEXTS.new_handle_number();
        }
        if primary.retained == 0 {
            CONTEXTS.insert_at_handle(primary.context, None, Context::new(device));
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
        let device = device_index(device)?;
        check_context_flags(flags)?;
        // Every context maps host memory. Nevertheless, NVIDIA's driver refuses CU_CTX_MAP_HOST here (measured).
        ensure_valid(flags & CU_CTX_MAP_HOST.0 == 0)?;
        lock(&PRIMARY_CONTEXTS)[device].flags = flags;
        Ok(())
    }
    Init fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState, (device, flags, active) {
        ensure_valid(!flags.is_null() && !active.is_null())?;
        let primary = &lock(&PRIMARY_CONTEXTS)[device_index(device)?];
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
        // Execution affinity and CUDA in Graphics need a GPU.
        let is_plain = |params: &CUctxCreateParams| params.execAffinityParams.is_null() && params.cigParams.is_null();
        ensure(params.as_ref().is_none_or(is_plain), CUDA_ERROR_NOT_SUPPORTED)?;
        create_context(context, flags, device)
    }
    Init fn cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2, (context) {
        ensure_valid(!context.is_null())?;
        let number = find_context(context)?;
        let is_retained = |primary: &PrimaryContext| primary.retained > 0 && primary.context == number;
        ensure(!lock(&PRIMARY_CONTEXTS).iter().any(is_retained), CUDA_ERROR_INVALID_CONTEXT)?;
        if current_number() == Some(number) {
            pop_current_context();
        }
        match CONTEXTS.remove_object(number) {
            HandleLookup::Live(context) => {
                end_context(&context);
                Ok(())
            }
            _ => Err(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        }
    }
    Init fn cuCtxSetCurrent: PFN_cuCtxSetCurrent, (context) {
        let number = if context.is_null() { None } else { Some(find_context(context)?) };
        pop_current_context();
        number.into_iter().for_each(push_current_context);
        Ok(())
    }
    Init fn cuCtxGetCurrent: PFN_cuCtxGetCurrent, (context) {
        write_out(context, current_number().map_or(null_mut(), CUcontext::from_number))
    }
    Init fn cuCtxPushCurrent | cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2, (context) {
        ensure_valid(!context.is_null())?;
        push_current_context(find_context(context)?);
        Ok(())
    }
    Init fn cuCtxPopCurrent | cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2, (context) {
        let number = pop_current_context().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        write_out_if_wanted(context, CUcontext::from_number(number))
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
        write_out_if_wanted(least, 0)?;
        write_out_if_wanted(greatest, stream_queue::GREATEST_PRIORITY)
    }
    Init fn cuCtxGetLimit(value: *mut usize, number: c_uint) {
        let context = current_context()?;
        ensure_valid(!value.is_null() && number < 10)?;
        write_out(value, *lock(&context.limits).get(&number).ok_or(CUDA_ERROR_UNSUPPORTED_LIMIT)?)
    }
    Init fn cuCtxSetLimit(number: c_uint, value: usize) {
        let context = current_context_outside_capture()?;
        ensure_valid(number < 10)?;
        ensure(number != SHARED_MEMORY, CUDA_ERROR_NOT_PERMITTED)?;
        *lock(&context.limits).get_mut(&number).ok_or(CUDA_ERROR_UNSUPPORTED_LIMIT)? = value;
        Ok(())
    }
    Init fn cuCtxGetApiVersion(context: CUcontext, version: *mut c_uint) {
        given_or_current_context(context)?;
        write_out(version, 3020)
    }
    Init fn cuCtxGetId(context: CUcontext, id: *mut u64) { write_out(id, given_or_current_context(context)?.id.0) }
    Init fn cuCtxGetFlags(flags: *mut c_uint) {
        write_created(flags, || current_context().map(|_| CU_CTX_MAP_HOST.0))
    }
    Init fn cuCtxGetCacheConfig(config: *mut c_uint) { current_context().and_then(|_| write_out(config, 0)) }
    Init fn cuCtxSetCacheConfig(config: c_uint) { current_context().and_then(|_| ensure_valid(config < 4)) }
    Init fn cuCtxGetSharedMemConfig(config: *mut c_uint) { current_context().and_then(|_| write_out(config, 1)) }
    Init fn cuCtxSetSharedMemConfig(config: c_uint) { current_context().and_then(|_| ensure_valid(config < 3)) }
    Init fn cuCtxResetPersistingL2Cache | cuProfilerStart | cuProfilerStop() { current_context().map(drop) }
    Init fn cuCtxEnablePeerAccess(context: CUcontext, flags: c_uint) {
        current_context()?;
        ensure_valid(flags == 0)?;
        CONTEXTS.find_object(context)?;
        Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
    }
    Init fn cuCtxDisablePeerAccess(context: CUcontext) {
        CONTEXTS.find_object(context)?;
        Err(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
    }
}
