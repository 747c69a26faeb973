//! Compares what the C compiler makes of one's own cuda.h with what Rust makes of the bindings, for the few structs that a program uses.

use std::mem::{offset_of, size_of};

use cuda_external_sys::*;

#[link(name = "layouts", kind = "static")]
unsafe extern "C" {
    safe static layout_of_cuda_h: [usize; 4];
}

fn main() {
    let ours = [
        CUDA_VERSION as usize,
        size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>(),
        offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags),
        offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, params.keyedMutex.timeoutMs),
    ];
    assert_eq!(layout_of_cuda_h, ours);
}
