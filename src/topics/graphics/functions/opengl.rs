//! The registration of OpenGL's objects.

#[cfg(doc)]
use crate::*; // for the links

/// Registers a buffer of OpenGL, so that CUDA can map it.
///
/// It is declared in cudaGL.h, whose `GLuint` is `unsigned int`.
///
/// # Parameters
///
/// - `pCudaResource`: receives the resource.
/// - `buffer`: the name of the buffer, whose storage exists.
/// - `Flags`: bits of [`CUgraphicsRegisterFlags`]; `.into()` converts them.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: no such object.
/// - [`CUDA_ERROR_ALREADY_MAPPED`]: the object is mapped.
/// - [`CUDA_ERROR_OPERATING_SYSTEM`]: the OpenGL context is not this driver's (*measured* with Mesa's llvmpipe).
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or an unknown flag.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pCudaResource` must be valid for writing a pointer. The OpenGL context that owns the object must be current
/// in this thread.
///
/// Unregister it with [`cuGraphicsUnregisterResource`]. Since CUDA 3.0. Source: driver API manual, "OpenGL
/// Interoperability".
#[doc(alias = "cudaGraphicsGLRegisterBuffer")]
pub use crate::bindings::cuGraphicsGLRegisterBuffer;

/// Registers a texture or a renderbuffer of OpenGL, so that CUDA can map it.
///
/// Formats with one, two or four channels of 8, 16 or 32 bits can be registered: `GL_R`, `GL_RG` and `GL_RGBA`
/// with `8`, `16`, `16F`, `32F`, and the integer forms. Textures with borders and multisampled renderbuffers cannot.
/// Driver 580.159.04 also registers `GL_RGB8` (*measured*), which the manual does not list.
///
/// # Parameters
///
/// - `pCudaResource`: receives the resource.
/// - `image`: the name of the texture or renderbuffer, whose storage exists.
/// - `target`: its kind: `GL_TEXTURE_2D`, `GL_TEXTURE_RECTANGLE`, `GL_TEXTURE_CUBE_MAP`, `GL_TEXTURE_3D`,
///   `GL_TEXTURE_2D_ARRAY` or `GL_RENDERBUFFER`.
/// - `Flags`: bits of [`CUgraphicsRegisterFlags`]; `.into()` converts them.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: no such object.
/// - [`CUDA_ERROR_ALREADY_MAPPED`]: the object is mapped.
/// - [`CUDA_ERROR_OPERATING_SYSTEM`]: the OpenGL context is not this driver's (*measured* with Mesa's llvmpipe).
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, another target, a format that cannot be registered, an
///   unknown flag.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pCudaResource` must be valid for writing a pointer. The OpenGL context that owns the object must be current
/// in this thread.
///
/// Unregister it with [`cuGraphicsUnregisterResource`]. Since CUDA 3.0. Source: driver API manual, "OpenGL
/// Interoperability".
#[doc(alias = "cudaGraphicsGLRegisterImage")]
pub use crate::bindings::cuGraphicsGLRegisterImage;
