//! Constants from the cuda.h of CUDA 13.5, the newest release. Generated: cargo run -p generator

/// The value of CUDA_VERSION.
pub const VERSION: i32 = 13050;

/// All flags of an array, combined, also those that cuda-external-sys does not bind.
pub const ARRAY_FLAGS: u32 = 0x1ff;
