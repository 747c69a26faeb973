#![doc = include_str!("../docs/graphics.md")]

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

/// A registered buffer or texture of a graphics API. An opaque handle of the driver, never dereferenced.
#[doc(alias = "cudaGraphicsResource_t")]
pub use crate::bindings::CUgraphicsResource;

/// The driver's private type behind [`CUgraphicsResource`].
pub use crate::bindings::CUgraphicsResource_st;

/// What CUDA will do with a resource, as bits for [`cuGraphicsGLRegisterBuffer`] and [`cuGraphicsGLRegisterImage`].
///
/// - [`CU_GRAPHICS_REGISTER_FLAGS_NONE`]: it reads and writes.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY`]: it does not write.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD`]: it does not read and writes everything; the old contents are lost.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`]: a [surface](crate::texture) is made on the image.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]: a texture on the image gathers.
#[doc(alias = "cudaGraphicsRegisterFlags")]
pub use crate::bindings::CUgraphicsRegisterFlags;
pub use crate::bindings::CUgraphicsRegisterFlags_values::*;
