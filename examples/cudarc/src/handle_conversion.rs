//! Converts streams, mappings and error codes between cudarc and cuda-external-sys, as docs/cudarc.md explains.

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
/// `stream` must belong to `context`, and must not be destroyed before the last use of the result.
pub unsafe fn wrap_stream_for_cudarc(
    context: &Arc<CudaContext>,
    stream: external::CUstream,
) -> Arc<CudaStream> {
    // SAFETY: the caller guarantees that `stream` belongs to `context` and outlives the last use of the result.
    unsafe { context.wrap_borrowed_stream(stream.cast()) }
}

/// Wraps a mapping as a slice, for cudarc's copies. Release the slice with `leak_cudarc_slice`, never by dropping it.
///
/// # Safety
///
/// The mapping must have `len` valid elements of `T`, and must stay mapped until `leak_cudarc_slice` has returned.
pub unsafe fn wrap_mapping_as_cudarc_slice<T>(
    stream: &Arc<CudaStream>,
    mapping: external::CUdeviceptr,
    len: usize,
) -> ManuallyDrop<CudaSlice<T>> {
    // SAFETY: the caller guarantees that the mapping has `len` valid elements and outlives the slice.
    ManuallyDrop::new(unsafe { stream.upgrade_device_ptr(mapping, len) })
}

/// Releases the slice's events and reference to the stream. Returns the mapping, which stays mapped.
pub fn leak_cudarc_slice<T>(slice: ManuallyDrop<CudaSlice<T>>) -> external::CUdeviceptr {
    ManuallyDrop::into_inner(slice).leak()
}

pub fn driver_error_code(error: DriverError) -> external::CUresult {
    external::CUresult(error.0 as _)
}
