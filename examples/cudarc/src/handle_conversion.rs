//! cudarc's streams, slices and errors for this crate, and back. docs/cudarc.md quotes this file.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cuda_external_sys as external;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};

/// cudarc's stream for this crate's functions.
pub fn to_external(stream: &CudaStream) -> external::CUstream {
    stream.cu_stream().cast()
}

/// This crate's stream for cudarc's functions. Dropping it does not destroy the stream.
///
/// # Safety
///
/// The stream belongs to the context, and is destroyed after the last use of what this returns.
pub unsafe fn to_cudarc(context: &Arc<CudaContext>, stream: external::CUstream) -> Arc<CudaStream> {
    // SAFETY: the caller keeps the stream alive.
    unsafe { context.wrap_borrowed_stream(stream.cast()) }
}

/// A mapping as a cudarc slice, for its copies. Release it with `release`, never by dropping it.
///
/// # Safety
///
/// The mapping has `len` elements, and is unmapped after `release`.
pub unsafe fn as_cudarc_slice<T>(
    stream: &Arc<CudaStream>,
    mapping: external::CUdeviceptr,
    len: usize,
) -> ManuallyDrop<CudaSlice<T>> {
    // SAFETY: the caller says how long the mapping is and keeps it; the slice is never dropped.
    ManuallyDrop::new(unsafe { stream.upgrade_device_ptr(mapping, len) })
}

/// Releases cudarc's events and its reference to the stream, and leaves the mapping alone.
pub fn release<T>(slice: ManuallyDrop<CudaSlice<T>>) -> external::CUdeviceptr {
    ManuallyDrop::into_inner(slice).leak()
}

/// cudarc's error as this crate's code, which can hold every number.
pub fn error_code(error: DriverError) -> external::CUresult {
    external::CUresult(error.0 as _)
}
