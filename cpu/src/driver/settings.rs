//! Settings of contexts, and properties that programs ask for before they do anything else. A setting has no effect on
//! a CPU; the value that was set is returned again.

use super::context::ContextId;
use super::prelude::*;
use super::{capture, context, device, devices};

/// The limits of a context that nobody has changed, by cuda.h's numbers, as on the measured GPU.
const LIMITS: [(c_uint, usize); 7] =
    [(0, 1024), (1, 8_650_752), (2, 8 << 20), (4, 2048), (5, 64), (6, 0), (7, 227 << 10)];

/// The limits that were set: the context, cuda.h's number, and the value.
static SET: Mutex<Vec<(ContextId, c_uint, usize)>> = Mutex::new(Vec::new());

fn set(context: ContextId, limit: c_uint) -> Option<usize> {
    let set = lock(&SET);
    set.iter().rev().find(|(id, number, _)| *id == context && *number == limit).map(|(_, _, value)| *value)
}

/// cuda.h's number for how much shared memory the device has, which nobody sets.
const SHARED_MEMORY: c_uint = 7;

fn limit(limit: c_uint) -> CudaResult<usize> {
    require(limit < 10)?;
    let found = LIMITS.iter().find(|(number, _)| *number == limit);
    found.map(|(_, value)| *value).ok_or(CUDA_ERROR_UNSUPPORTED_LIMIT)
}

/// The version of contexts that cuda.h's functions make.
const API_VERSION: c_uint = 3020;

/// Returns a context, or the current one for null.
fn given_or_current(context: CUcontext) -> CudaResult<Arc<context::Context>> {
    if context.is_null() { context::current() } else { context::CONTEXTS.find(context) }
}

type WithNumber<T> = unsafe extern "C" fn(*mut T) -> CUresult;
type OfContext<T> = unsafe extern "C" fn(CUcontext, *mut T) -> CUresult;
type Set = unsafe extern "C" fn(c_uint) -> CUresult;
type Nothing = unsafe extern "C" fn() -> CUresult;

/// CUdevprop.
type Properties = [c_int; 14];

functions! {
    Init fn cuCtxGetLimit: unsafe extern "C" fn(*mut usize, c_uint) -> CUresult, (value, number) {
        let context = context::current()?;
        require(!value.is_null())?;
        let first = limit(number)?;
        write_out(value, set(context.id, number).unwrap_or(first))
    }
    Init fn cuCtxSetLimit: unsafe extern "C" fn(c_uint, usize) -> CUresult, (number, value) {
        let context = capture::ready()?;
        limit(number)?;
        check(number != SHARED_MEMORY, CUDA_ERROR_NOT_PERMITTED)?;
        let mut set = lock(&SET);
        set.retain(|(id, of, _)| (*id, *of) != (context.id, number));
        set.push((context.id, number, value));
        Ok(())
    }
    Init fn cuCtxGetApiVersion: OfContext<c_uint>, (context, version) {
        given_or_current(context)?;
        write_out(version, API_VERSION)
    }
    Init fn cuCtxGetId: OfContext<u64>, (context, id) { write_out(id, given_or_current(context)?.id.number()) }
    Init fn cuCtxGetFlags: WithNumber<c_uint>, (flags) {
        write_made(flags, || context::current().map(|_| CU_CTX_MAP_HOST.0))
    }
    Init fn cuCtxGetCacheConfig: WithNumber<c_uint>, (config) {
        context::current()?;
        write_out(config, 0)
    }
    Init fn cuCtxSetCacheConfig: Set, (config) {
        context::current()?;
        require(config < 4)
    }
    Init fn cuCtxGetSharedMemConfig: WithNumber<c_uint>, (config) {
        context::current()?;
        write_out(config, 1)
    }
    Init fn cuCtxSetSharedMemConfig: Set, (config) {
        context::current()?;
        require(config < 3)
    }
    Init fn cuCtxResetPersistingL2Cache | cuProfilerStart | cuProfilerStop: Nothing, () { context::current().map(drop) }
    Init fn cuModuleGetLoadingMode: WithNumber<c_uint>, (mode) { write_out(mode, 1) }
    Init fn cuDeviceComputeCapability: unsafe extern "C" fn(*mut c_int, *mut c_int, CUdevice) -> CUresult,
        (major, minor, device) {
        let index = device::index(device)?;
        write_out(major, devices::attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index)?)?;
        write_out(minor, devices::attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index)?)
    }
    Init fn cuDeviceGetProperties: unsafe extern "C" fn(*mut Properties, CUdevice) -> CUresult, (properties, device) {
        let index = device::index(device)?;
        // In the struct's order, by cuda.h's numbers.
        let attributes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(CUdevice_attribute::from);
        let mut values = [0; 14];
        for (value, attribute) in values.iter_mut().zip(attributes) {
            *value = devices::attribute(attribute, index)?;
        }
        write_out(properties, values)
    }
    Init fn cuDeviceCanAccessPeer: unsafe extern "C" fn(*mut c_int, CUdevice, CUdevice) -> CUresult, (can, one, other) {
        write_made(can, || device::index(one).and(device::index(other)).map(|_| 0))
    }
    Init fn cuDeviceGetP2PAttribute: unsafe extern "C" fn(*mut c_int, c_uint, CUdevice, CUdevice) -> CUresult,
        (value, _attribute, one, other) {
        require(device::index(one)? != device::index(other)?)?;
        write_out(value, 0)
    }
    Init fn cuCtxEnablePeerAccess: unsafe extern "C" fn(CUcontext, c_uint) -> CUresult, (context, flags) {
        context::current()?;
        require(flags == 0)?;
        context::CONTEXTS.find(context)?;
        Err(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
    }
    Init fn cuCtxDisablePeerAccess: unsafe extern "C" fn(CUcontext) -> CUresult, (context) {
        context::CONTEXTS.find(context)?;
        Err(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
    }
}
