//! Compares what the C compiler makes of one's own cuda.h with what Rust makes of the bindings.
//!
//! This is how a program asks for the few structs that it uses; the crate's own tests ask for everything.

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use cuda_external_sys::*;

    unsafe extern "C" {
        static layout_of_cuda_h: [usize; 15];
        static layout_count: usize;
    }

    #[test]
    fn rust_and_c_agree() {
        let ours = [
            CUDA_VERSION as usize,
            size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>(),
            offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle),
            offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size),
            offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags),
            size_of::<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>(),
            offset_of!(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size),
            size_of::<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>(),
            offset_of!(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, numLevels),
            size_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>(),
            offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags),
            size_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>(),
            offset_of!(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, params.keyedMutex),
            size_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>(),
            offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, params.keyedMutex.timeoutMs),
        ];
        // SAFETY: constants of layout.c, of these types.
        unsafe {
            assert_eq!(layout_count, ours.len());
            assert_eq!(layout_of_cuda_h, ours);
        }
    }
}
