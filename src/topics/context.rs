#![doc = page!("context.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A context: the address space and the state of one process on one device.
///
/// An opaque handle of the driver: never dereference it. [Any thread](crate::context#contexts-and-threads) may use it.
/// `.cast()` converts another crate's `CUcontext`, which is the same pointer.
pub use crate::bindings::CUcontext;

/// The driver's private type behind [`CUcontext`].
pub use crate::bindings::CUctx_st;

/// How a context behaves, as bits for [`cuCtxCreate_v2`], [`cuCtxCreate_v4`] and [`cuDevicePrimaryCtxSetFlags_v2`].
///
/// One of the first four says how a thread waits for the GPU:
///
/// - [`CU_CTX_SCHED_AUTO`]: 0. A waiting thread yields if the process has more contexts than the machine has
///   processors, and otherwise spins.
/// - [`CU_CTX_SCHED_SPIN`]: it spins, which has the least latency.
/// - [`CU_CTX_SCHED_YIELD`]: it yields to other threads while it spins.
/// - [`CU_CTX_SCHED_BLOCKING_SYNC`], formerly [`CU_CTX_BLOCKING_SYNC`]: it sleeps.
///
/// The others:
///
/// - [`CU_CTX_SYNC_MEMOPS`]: synchronous copies and fills always wait until they are done.
/// - [`CU_CTX_COREDUMP_ENABLE`], [`CU_CTX_USER_COREDUMP_ENABLE`]: the GPU's state is written to a file after a fault,
///   or on demand. A [CIG](crate::cig) context does not support them.
/// - [`CU_CTX_MAP_HOST`], [`CU_CTX_LMEM_RESIZE_TO_MAX`]: no effect; contexts always behave as these flags once asked for.
/// - [`CU_CTX_SCHED_MASK`], [`CU_CTX_FLAGS_MASK`]: all bits of the first four, and all bits.
#[doc(alias = "cudaDeviceScheduleBlockingSync")]
pub use crate::bindings::CUctx_flags;
pub use crate::bindings::CUctx_flags_values::*;
