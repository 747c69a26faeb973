//! Settings of contexts, and properties that programs ask for before they do anything else. No setting has an effect
//! on a CPU. A limit that was set is returned again. A cache or shared memory configuration is accepted, and the getter
//! returns the default.

use super::device_calls::device_attribute;
use crate::driver::base::current_context::{CONTEXTS, given_or_current_context};
use crate::driver::driver_prelude::*;

/// The limits of a context that nobody has changed, by cuda.h's numbers, as on the measured GPU.
const DEFAULT_LIMITS: [(c_uint, usize); 7] =
    [(0, 1024), (1, 8_650_752), (2, 8 << 20), (4, 2048), (5, 64), (6, 0), (7, 227 << 10)];

/// cuda.h's number of the limit for shared memory, which cannot be set.
const SHARED_MEMORY: c_uint = 7;

fn default_limit(limit: c_uint) -> CudaResult<usize> {
    ensure_valid(limit < 10)?;
    let found = DEFAULT_LIMITS.iter().find(|(number, _)| *number == limit);
    found.map(|(_, value)| *value).ok_or(CUDA_ERROR_UNSUPPORTED_LIMIT)
}

/// CUdevprop, whose fields are attributes of a device.
type DeviceProperties = [c_int; 14];

functions! {
    Init fn cuCtxGetLimit(value: *mut usize, number: c_uint) {
        let context = current_context()?;
        ensure_valid(!value.is_null())?;
        let first = default_limit(number)?;
        write_out(value, lock(&context.changed_limits).get(&number).copied().unwrap_or(first))
    }
    Init fn cuCtxSetLimit(number: c_uint, value: usize) {
        let context = current_context_outside_capture()?;
        default_limit(number)?;
        ensure(number != SHARED_MEMORY, CUDA_ERROR_NOT_PERMITTED)?;
        lock(&context.changed_limits).insert(number, value);
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
    Init fn cuModuleGetLoadingMode(mode: *mut c_uint) { write_out(mode, 1) }
    Init fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: CUdevice) {
        let index = device_index(device)?;
        write_out(major, device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index)?)?;
        write_out(minor, device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index)?)
    }
    Init fn cuDeviceGetProperties(properties: *mut DeviceProperties, device: CUdevice) {
        let index = device_index(device)?;
        // The fields have the order of cuda.h's numbers.
        let mut values = [0; 14];
        for (value, attribute) in values.iter_mut().zip(1..) {
            *value = device_attribute(CUdevice_attribute(attribute), index)?;
        }
        write_out(properties, values)
    }
    Init fn cuDeviceCanAccessPeer(can: *mut c_int, one: CUdevice, other: CUdevice) {
        write_created(can, || device_index(one).and(device_index(other)).map(|_| 0))
    }
    Init fn cuDeviceGetP2PAttribute(value: *mut c_int, _attribute: c_uint, one: CUdevice, other: CUdevice) {
        ensure_valid(device_index(one)? != device_index(other)?)?;
        write_out(value, 0)
    }
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
