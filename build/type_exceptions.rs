//! Types and members whose Rust text cannot be generated from the header alone.

/// The hand-written types in src/, with size and alignment. wrapper.h compares both numbers with the header's.
pub const HAND_WRITTEN: &[(&str, usize, usize)] = &[("CUmemLocation", 8, 4)];

/// The structs with a hand-written Debug in src/.
pub const DEBUG_BY_HAND: &[&str] = &["CUuuid"];

/// Structs with an unnamed member, and the member's name in Rust. In C, the member's fields are fields of the struct.
pub const ANONYMOUS_MEMBER_NAMES: &[(&str, &str)] = &[
    ("CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2", "context"),
    ("CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2", "context"),
    ("CUDA_EVENT_RECORD_NODE_PARAMS", "context"),
    ("CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1", "context"),
    ("CUDA_HOST_NODE_PARAMS_v2", "context"),
    ("CUDA_MEMCPY_BATCH_NODE_PARAMS_V1", "context"),
    ("CUgraphNodeParams", "params"),
    ("CUstreamBatchMemOpParams_waitValue", "operand"),
    ("CUstreamBatchMemOpParams_writeValue", "operand"),
];
