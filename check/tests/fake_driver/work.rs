//! Streams, events, signals, waits and copies. Work is done at once, but for a wait whose value was not signaled: the stream
//! is busy until it is.

use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::process::abort;
use std::slice;

use cuda_external_sys::*;

use crate::{Driver, current, driver, export, success_if, usize_of};

#[derive(Default)]
pub struct Stream {
    /// The semaphores and values that it waits for.
    waits: Vec<(usize, u64)>,
    is_captured: bool,
}

impl Driver {
    fn is_busy(&self, stream: usize) -> bool {
        let waits = self.streams.get(&stream).map(|stream| stream.waits.as_slice()).unwrap_or_default();
        waits.iter().any(|(semaphore, value)| self.imports.get(semaphore).is_some_and(|import| import.value < *value))
    }
}

/// Reading here ends the context, as a kernel that reads past its memory does. So does the work of a signal of this value.
const POISON: CUdeviceptr = 0xdead_0000;

fn touch(address: CUdeviceptr) -> CUresult {
    let mut driver = driver();
    if address == POISON {
        driver.lost = Some(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    let is_inside = |(start, size): (&u64, &usize)| (*start..start + *size as u64).contains(&address);
    match driver.lost {
        Some(code) => code,
        None => success_if(driver.buffers.iter().any(is_inside)),
    }
}

export! {
    cuStreamCreate(out: *mut CUstream, _flags: c_uint) {
        let mut driver = driver();
        let handle = driver.handle();
        driver.streams.insert(handle, Stream::default());
        *out = handle as CUstream;
        CUDA_SUCCESS
    }
    cuStreamDestroy_v2(stream: CUstream) { success_if(driver().streams.remove(&stream.addr()).is_some()) }
    cuStreamQuery(stream: CUstream) {
        let driver = driver();
        match driver.lost {
            Some(code) => code,
            None if driver.is_busy(stream.addr()) => CUDA_ERROR_NOT_READY,
            None => CUDA_SUCCESS,
        }
    }
    cuStreamSynchronize(_stream: CUstream) { driver().lost.unwrap_or(CUDA_SUCCESS) }
    cuCtxSynchronize() { driver().lost.unwrap_or(CUDA_SUCCESS) }
    cuStreamGetCtx(_stream: CUstream, context: *mut CUcontext) {
        *context = current() as CUcontext;
        CUDA_SUCCESS
    }
    cuStreamBeginCapture_v2(stream: CUstream, _mode: c_uint) {
        driver().streams.entry(stream.addr()).or_default().is_captured = true;
        CUDA_SUCCESS
    }
    cuStreamEndCapture(stream: CUstream, _graph: *mut CUgraph) {
        driver().streams.entry(stream.addr()).or_default().is_captured = false;
        CUDA_SUCCESS
    }
    cuStreamIsCapturing(stream: CUstream, status: *mut c_uint) {
        *status = driver().streams.get(&stream.addr()).is_some_and(|stream| stream.is_captured).into();
        CUDA_SUCCESS
    }
    cuThreadExchangeStreamCaptureMode(_mode: *mut c_uint) { CUDA_SUCCESS }
    cuEventCreate(out: *mut CUevent, _flags: c_uint) {
        *out = driver().handle() as CUevent;
        CUDA_SUCCESS
    }
    cuEventRecord(event: CUevent, stream: CUstream) {
        let mut driver = driver();
        let is_busy = driver.is_busy(stream.addr());
        driver.events.insert(event.addr(), (stream.addr(), is_busy));
        CUDA_SUCCESS
    }
    cuEventQuery(event: CUevent) {
        let driver = driver();
        let (stream, was_busy) = driver.events.get(&event.addr()).copied().unwrap_or_default();
        if was_busy && driver.is_busy(stream) { CUDA_ERROR_NOT_READY } else { CUDA_SUCCESS }
    }

    cuSignalExternalSemaphoresAsync(
        semaphores: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        count: c_uint,
        _stream: CUstream,
    ) {
        let mut driver = driver();
        if let Some(code) = driver.lost {
            return code;
        }
        if count == 0 || semaphores.is_null() || params.is_null() {
            return CUDA_ERROR_INVALID_VALUE;
        }
        let params = slice::from_raw_parts(params, count as usize);
        for (semaphore, params) in slice::from_raw_parts(semaphores, count as usize).iter().zip(params) {
            let Some(import) = driver.imports.get_mut(&semaphore.addr()).filter(|import| !import.is_memory) else { abort() };
            if params.flags != 0 || params.reserved != [0; 16] {
                return CUDA_ERROR_INVALID_VALUE;
            }
            import.value = import.value.max(params.params.fence.value);
            if params.params.fence.value == POISON {
                driver.lost = Some(CUDA_ERROR_ILLEGAL_ADDRESS);
            }
        }
        CUDA_SUCCESS
    }
    cuWaitExternalSemaphoresAsync(
        semaphores: *const CUexternalSemaphore,
        params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        count: c_uint,
        stream: CUstream,
    ) {
        let mut driver = driver();
        if let Some(code) = driver.lost {
            return code;
        }
        if count == 0 || semaphores.is_null() || params.is_null() {
            return CUDA_ERROR_INVALID_VALUE;
        }
        let params = slice::from_raw_parts(params, count as usize);
        for (semaphore, params) in slice::from_raw_parts(semaphores, count as usize).iter().zip(params) {
            if !driver.imports.get(&semaphore.addr()).is_some_and(|import| !import.is_memory) {
                abort();
            }
            let wait = (semaphore.addr(), params.params.fence.value);
            driver.streams.entry(stream.addr()).or_default().waits.push(wait);
        }
        CUDA_SUCCESS
    }

    cuMemsetD8_v2(address: CUdeviceptr, _value: c_uchar, _bytes: usize) { touch(address) }
    cuMemsetD8Async(address: CUdeviceptr, _value: c_uchar, _bytes: usize, _stream: CUstream) { touch(address) }
    cuMemcpyDtoH_v2(_to: *mut c_void, address: CUdeviceptr, _bytes: usize) { touch(address) }
    cuDeviceGetAttribute(value: *mut c_int, _attribute: CUdevice_attribute, _device: CUdevice) {
        *value = 1;
        CUDA_SUCCESS
    }
}
