//! The origin of this build's bindings, as values that programs can read.

/// The origin of the bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bindings {
    /// The build script generated the bindings from a cuda.h of the machine.
    Generated,
    /// The bindings are those that come with the crate.
    Embedded,
}

/// The origin of this build's bindings. [`CUDA_VERSION`](crate::CUDA_VERSION) is their release.
pub const BINDINGS: Bindings =
    if cfg!(cuda_bindings = "generated") { Bindings::Generated } else { Bindings::Embedded };

/// The origin of this build's bindings and the reason for it, as a line of text. Examples: `embedded: DOCS_RS is set`,
/// `embedded: no toolkit was found`, `generated from CUDA 12.9, found by nvcc on PATH`.
///
/// If the search found only toolkits and environment variables that could not be used, the text says which, and why.
/// The text may change: programs should compare [`BINDINGS`] and [`CUDA_VERSION`](crate::CUDA_VERSION) instead.
pub const BINDINGS_SOURCE: &str = env!("CUDA_EXTERNAL_SYS_SOURCE");
