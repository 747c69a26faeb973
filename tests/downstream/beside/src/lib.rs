//! Another CUDA crate beside this one, and its handles in this one's functions.

/// The same pointer, under the other crate's name.
pub fn stream(theirs: cuda_sys::cuda::CUstream) -> cuda_external_sys::CUstream {
    theirs.cast()
}
