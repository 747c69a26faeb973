//! What the newest release has, CUDA 13.5. Generated from its headers: cargo run -p generator

/// As CUDA_VERSION counts.
pub const VERSION: i32 = 13050;

/// Every flag of an array, those that the bindings lack included.
pub const ARRAY_FLAGS: u32 = 0x1ff;
