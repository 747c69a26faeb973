//! The life of contexts: their creation, primary contexts, and what ends with one.

use std::ptr::null_mut;

use crate::driver::addresses::address_ranges;
use crate::driver::base::current_context::{CONTEXTS, Context, current, pop, push, top};
use crate::driver::base::device_ids;
use crate::driver::base::prelude::*;
use crate::driver::external::external_memory;
use crate::driver::images::arrays;
use crate::driver::streams::capture_state;
use crate::driver::streams::imported_semaphores;
use crate::driver::streams::stream_queue;

/// A device's primary context: its flags, how often it is retained, and its handle, which stays the same.
struct Primary {
    flags: u32,
    retained: u32,
    context: u64,
}

static PRIMARIES: Mutex<[Primary; device_ids::MOST_DEVICES]> =
    Mutex::new([const { Primary { flags: 0, retained: 0, context: 0 } }; device_ids::MOST_DEVICES]);

/// Ends a context that is in the registry no more. What is enqueued still runs, but nobody waits for it: a wait may never end.
fn end(context: &Context) {
    stream_queue::end_of(context.id);
    address_ranges::remove_of(context.id);
    arrays::MIPMAPS.remove_if(|mipmap| mipmap.context == context.id);
    external_memory::IMPORTS.remove_if(|import| import.context == context.id);
    imported_semaphores::SEMAPHORES.remove_if(|semaphore| semaphore.context == context.id);
}

/// Returns the number of a context that lives.
fn find(context: CUcontext) -> CudaResult<u64> {
    match CONTEXTS.look_up(context) {
        Lookup::Live(_) => Ok(context.number()),
        // A primary context can be current before it is retained again: measured.
        Lookup::Destroyed if is_primary(context.number()) => Ok(context.number()),
        Lookup::Destroyed => Err(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        _ => Err(CUDA_ERROR_INVALID_CONTEXT),
    }
}

fn is_primary(context: u64) -> bool {
    lock(&PRIMARIES).iter().any(|primary| primary.context == context)
}

fn check_flags(flags: u32) -> CudaResult {
    let schedule = flags & CU_CTX_SCHED_MASK.0;
    let known = flags & !CU_CTX_FLAGS_MASK.0 == 0;
    require(known && (schedule == 0 || schedule.is_power_of_two()))
}

unsafe fn create(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> CudaResult {
    let device = device_ids::index(device)?;
    check_flags(flags)?;
    require(!context.is_null())?;
    let number = CONTEXTS.next_number();
    CONTEXTS.insert(number, Context::new(device));
    push(number);
    // SAFETY: the caller passes a valid pointer.
    unsafe { write_out(context, CUcontext::from_number(number)) }
}

/// Changes how often a device's primary context is retained, and ends it with the last one.
fn release(device: CUdevice, change: impl FnOnce(u32) -> CudaResult<u32>) -> CudaResult {
    let device = device_ids::index(device)?;
    let mut primaries = lock(&PRIMARIES);
    let primary = &mut primaries[device];
    let before = primary.retained;
    primary.retained = change(before)?;
    if before == 0 || primary.retained > 0 {
        return Ok(());
    }
    // Its life ends under the lock: whoever retains it next begins another one.
    let ended = CONTEXTS.remove(primary.context);
    drop(primaries);
    if let Lookup::Live(context) = ended {
        end(&context);
    }
    Ok(())
}

functions! {
    Init fn cuDevicePrimaryCtxRetain: PFN_cuDevicePrimaryCtxRetain, (context, device) {
        let device = device_ids::index(device)?;
        require(!context.is_null())?;
        let primary = &mut lock(&PRIMARIES)[device];
        if primary.context == 0 {
            primary.context = CONTEXTS.next_number();
        }
        if primary.retained == 0 {
            CONTEXTS.insert(primary.context, Context::new(device));
        }
        primary.retained += 1;
        write_out(context, CUcontext::from_number(primary.context))
    }
    Init fn cuDevicePrimaryCtxRelease | cuDevicePrimaryCtxRelease_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device) {
        release(device, |retained| retained.checked_sub(1).ok_or(CUDA_ERROR_INVALID_CONTEXT))
    }
    Init fn cuDevicePrimaryCtxReset | cuDevicePrimaryCtxReset_v2: PFN_cuDevicePrimaryCtxRelease_v2, (device) {
        release(device, |_| Ok(0))
    }
    Init fn cuDevicePrimaryCtxSetFlags | cuDevicePrimaryCtxSetFlags_v2: PFN_cuDevicePrimaryCtxSetFlags_v2, (device, flags) {
        let device = device_ids::index(device)?;
        check_flags(flags)?;
        // Every context of a device has it, and no primary one takes it: measured.
        require(flags & CU_CTX_MAP_HOST.0 == 0)?;
        lock(&PRIMARIES)[device].flags = flags;
        Ok(())
    }
    Init fn cuDevicePrimaryCtxGetState: PFN_cuDevicePrimaryCtxGetState, (device, flags, active) {
        require(!flags.is_null() && !active.is_null())?;
        let primary = &lock(&PRIMARIES)[device_ids::index(device)?];
        write_out(flags, primary.flags)?;
        write_out(active, (primary.retained > 0).into())
    }
    Init fn cuCtxCreate | cuCtxCreate_v2: PFN_cuCtxCreate_v2, (context, flags, device) {
        create(context, flags, device)
    }
    Init fn cuCtxCreate_v4: PFN_cuCtxCreate_v4, (context, params, flags, device) {
        // Affinity and CUDA in Graphics need a GPU.
        let is_plain = |params: &CUctxCreateParams| params.execAffinityParams.is_null() && params.cigParams.is_null();
        let plain = read_param(params).map_or(true, is_plain);
        check(plain, CUDA_ERROR_NOT_SUPPORTED)?;
        create(context, flags, device)
    }
    Init fn cuCtxDestroy | cuCtxDestroy_v2: PFN_cuCtxDestroy_v2, (context) {
        require(!context.is_null())?;
        let number = find(context)?;
        let primary = lock(&PRIMARIES).iter().any(|primary| primary.retained > 0 && primary.context == number);
        check(!primary, CUDA_ERROR_INVALID_CONTEXT)?;
        if top() == Some(number) {
            pop();
        }
        let Lookup::Live(context) = CONTEXTS.remove(number) else { return Err(CUDA_ERROR_CONTEXT_IS_DESTROYED) };
        end(&context);
        Ok(())
    }
    Init fn cuCtxSetCurrent: PFN_cuCtxSetCurrent, (context) {
        let number = if context.is_null() { None } else { Some(find(context)?) };
        pop();
        number.into_iter().for_each(push);
        Ok(())
    }
    Init fn cuCtxGetCurrent: PFN_cuCtxGetCurrent, (context) {
        write_out(context, top().map_or(null_mut(), CUcontext::from_number))
    }
    Init fn cuCtxPushCurrent | cuCtxPushCurrent_v2: PFN_cuCtxPushCurrent_v2, (context) {
        require(!context.is_null())?;
        push(find(context)?);
        Ok(())
    }
    Init fn cuCtxPopCurrent | cuCtxPopCurrent_v2: PFN_cuCtxPopCurrent_v2, (context) {
        let number = pop().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        write_if_wanted(context, CUcontext::from_number(number));
        Ok(())
    }
    Init fn cuCtxGetDevice: PFN_cuCtxGetDevice, (device) { write_made(device, || Ok(current()?.device as CUdevice)) }
    Init fn cuCtxSynchronize: PFN_cuCtxSynchronize, () {
        let context = current()?;
        capture_state::refuse_in_context(context.id)?;
        stream_queue::ends_of(&context).iter().for_each(|completion| completion.wait());
        context.usable()
    }
    Init fn cuCtxGetStreamPriorityRange: PFN_cuCtxGetStreamPriorityRange, (least, greatest) {
        current()?;
        write_if_wanted(least, 0);
        write_if_wanted(greatest, stream_queue::GREATEST_PRIORITY);
        Ok(())
    }
}
