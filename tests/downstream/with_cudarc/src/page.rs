//! The code of docs/cudarc.md. A test compares the two.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cuda_external_sys as external;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError, sys};

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
    unsafe { context.wrap_borrowed_stream(stream.cast()) }
}

/// A mapping as a slice of cudarc's, for its copies. Release it with `release`, never by dropping it.
///
/// # Safety
///
/// The mapping has `len` elements, and is unmapped after `release`.
pub unsafe fn as_slice<T>(
    stream: &Arc<CudaStream>,
    mapping: external::CUdeviceptr,
    len: usize,
) -> ManuallyDrop<CudaSlice<T>> {
    ManuallyDrop::new(unsafe { stream.upgrade_device_ptr(mapping, len) })
}

/// Releases cudarc's events and its reference to the stream, and leaves the mapping alone.
pub fn release<T>(slice: ManuallyDrop<CudaSlice<T>>) -> external::CUdeviceptr {
    ManuallyDrop::into_inner(slice).leak()
}

/// This crate's code as cudarc's error, or `None` for a code that cudarc's enum may not have.
pub fn driver_error(code: external::CUresult) -> Option<DriverError> {
    macro_rules! known {
        ($($name:ident)*) => {
            match code {
                $(external::$name => sys::CUresult::$name,)*
                _ => return None,
            }
        };
    }
    Some(DriverError(known! {
        CUDA_ERROR_INVALID_VALUE CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_NOT_INITIALIZED CUDA_ERROR_DEINITIALIZED
        CUDA_ERROR_STUB_LIBRARY CUDA_ERROR_NO_DEVICE CUDA_ERROR_INVALID_DEVICE CUDA_ERROR_INVALID_CONTEXT
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
        CUDA_ERROR_OPERATING_SYSTEM CUDA_ERROR_INVALID_HANDLE CUDA_ERROR_ILLEGAL_ADDRESS
        CUDA_ERROR_LAUNCH_FAILED CUDA_ERROR_NOT_PERMITTED CUDA_ERROR_NOT_SUPPORTED
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH CUDA_ERROR_UNKNOWN
    }))
}

/// cudarc's error as this crate's code, which can hold every number.
pub fn code(error: DriverError) -> external::CUresult {
    external::CUresult(error.0 as _)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_of_the_page_is_compiled_here() {
        let lines = |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
        let page = include_str!("../../../../docs/cudarc.md");
        let here = lines(include_str!("page.rs"));
        let blocks: Vec<_> =
            page.split("```ignore\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
        assert!(blocks.len() >= 3, "the page has {} blocks", blocks.len());
        for block in blocks {
            let block = lines(block.trim());
            assert!(
                here.windows(block.len()).any(|window| window == block),
                "not here:\n{}",
                block.join("\n")
            );
        }
    }

    #[test]
    fn a_known_code_converts_both_ways() {
        let error = driver_error(external::CUDA_ERROR_INVALID_HANDLE).unwrap();
        assert_eq!(error.0, sys::CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert_eq!(code(error), external::CUDA_ERROR_INVALID_HANDLE);
    }

    #[test]
    fn an_unknown_code_is_no_error_of_cudarcs() {
        assert_eq!(driver_error(external::CUresult(123_456)).map(code), None);
    }
}
