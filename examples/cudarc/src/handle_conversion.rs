//! Conversions between cudarc's streams, slices and errors and cuda-external-sys's. docs/cudarc.md explains them.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cuda_external_sys as external;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};

/// Returns cudarc's stream as cuda-external-sys's handle.
pub fn external_stream_handle(stream: &CudaStream) -> external::CUstream {
    stream.cu_stream().cast()
}

/// Wraps cuda-external-sys's stream for cudarc's functions. Dropping the result does not destroy the stream.
///
/// # Safety
///
/// The stream belongs to the context, and is destroyed after the last use of the result.
pub unsafe fn wrap_stream_for_cudarc(
    context: &Arc<CudaContext>,
    stream: external::CUstream,
) -> Arc<CudaStream> {
    // SAFETY: the stream is the context's, and the caller destroys it after the last use of the result.
    unsafe { context.wrap_borrowed_stream(stream.cast()) }
}

/// Wraps a mapping as a slice, for cudarc's copies. Release it with `leak_cudarc_slice`, never by dropping it.
///
/// # Safety
///
/// The mapping has `len` elements, and is unmapped after `leak_cudarc_slice`.
pub unsafe fn wrap_mapping_as_cudarc_slice<T>(
    stream: &Arc<CudaStream>,
    mapping: external::CUdeviceptr,
    len: usize,
) -> ManuallyDrop<CudaSlice<T>> {
    // SAFETY: the mapping has `len` elements and outlives the slice, which is never dropped.
    ManuallyDrop::new(unsafe { stream.upgrade_device_ptr(mapping, len) })
}

/// Releases cudarc's events and its reference to the stream, and returns the mapping, which stays mapped.
pub fn leak_cudarc_slice<T>(slice: ManuallyDrop<CudaSlice<T>>) -> external::CUdeviceptr {
    ManuallyDrop::into_inner(slice).leak()
}

/// Converts cudarc's error to cuda-external-sys's code, which can hold every number.
pub fn driver_error_code(error: DriverError) -> external::CUresult {
    external::CUresult(error.0 as _)
}
