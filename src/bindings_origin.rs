//! The origin of this build's bindings, as values that programs can read.

/// The origin of the bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bindings {
    /// The build script generated them from the user's cuda.h.
    Generated,
    /// They are the ones in the crate, made from the newest cuda.h.
    Embedded,
}

/// The origin of this build's bindings. [`CUDA_VERSION`](crate::CUDA_VERSION) is their release.
pub const BINDINGS: Bindings =
    if cfg!(cuda_bindings = "generated") { Bindings::Generated } else { Bindings::Embedded };

/// The origin of this build's bindings and the reason for it, as a line of text: `generated from CUDA 12.9, found by
/// nvcc on PATH`, `embedded: no toolkit was found`, `embedded: DOCS_RS is set`.
///
/// It also names a toolkit that was found and could not be used, with the reason. The text may change: programs should
/// compare [`BINDINGS`] and [`CUDA_VERSION`](crate::CUDA_VERSION) instead.
pub const BINDINGS_SOURCE: &str = env!("CUDA_EXTERNAL_SYS_SOURCE");
