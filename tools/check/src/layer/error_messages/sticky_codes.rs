use cuda_external_sys::*;

/// Returns whether later calls in the context return this code too.
#[inline]
pub fn is_sticky_code(code: CUresult) -> bool {
    code != CUDA_SUCCESS
        && matches!(
            code,
            CUDA_ERROR_ILLEGAL_ADDRESS
                | CUDA_ERROR_LAUNCH_TIMEOUT
                | CUDA_ERROR_ASSERT
                | CUDA_ERROR_HARDWARE_STACK_ERROR
                | CUDA_ERROR_ILLEGAL_INSTRUCTION
                | CUDA_ERROR_MISALIGNED_ADDRESS
                | CUDA_ERROR_INVALID_ADDRESS_SPACE
                | CUDA_ERROR_INVALID_PC
                | CUDA_ERROR_LAUNCH_FAILED
                | CUDA_ERROR_ECC_UNCORRECTABLE
                | CUDA_ERROR_NVLINK_UNCORRECTABLE
                | CUDA_ERROR_EXTERNAL_DEVICE
                | CUDA_ERROR_CONTAINED
                | CUDA_ERROR_TENSOR_MEMORY_LEAK
        )
}

/// Returns whether an object is gone after the call that frees the object returned `code`. Some errors end it too.
pub fn is_object_gone_after(code: CUresult) -> bool {
    code == CUDA_SUCCESS
        || is_sticky_code(code)
        || matches!(code, CUDA_ERROR_DEINITIALIZED | CUDA_ERROR_CONTEXT_IS_DESTROYED)
}
