//! The code of docs/cudarc.md.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cuda_external_sys as external;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError, sys};

include!(concat!(env!("OUT_DIR"), "/page.rs"));

#[test]
fn only_a_known_code_is_an_error_of_cudarcs() {
    let error = driver_error(external::CUDA_ERROR_INVALID_HANDLE).unwrap();
    assert_eq!(error.0, sys::CUresult::CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(code(error), external::CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(driver_error(external::CUresult(123_456)), None);
}
