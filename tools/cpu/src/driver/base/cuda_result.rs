use cuda_external_sys::{CUDA_ERROR_INVALID_VALUE, CUresult};

pub type CudaResult<T = ()> = Result<T, CUresult>;

pub fn ensure(condition: bool, code: CUresult) -> CudaResult {
    if condition { Ok(()) } else { Err(code) }
}

pub fn ensure_valid(condition: bool) -> CudaResult {
    ensure(condition, CUDA_ERROR_INVALID_VALUE)
}
