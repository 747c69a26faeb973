//! The functions for registered resources of every kind.

#[cfg(doc)]
use crate::*; // for the links

/// Maps registered resources for CUDA.
///
/// Work that is enqueued in the stream afterwards comes after the graphics calls that were made before. Until
/// the unmap, the graphics API must not use the resources.
///
/// # Parameters
///
/// - `count`: the number of resources.
/// - `resources`: the resources, each of them once.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_ALREADY_MAPPED`]: one of them is mapped. Driver 580.159.04 also returns it for a resource that occurs twice
///   (*measured*).
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle. The manual lists it for a resource that occurs twice too.
/// - [`CUDA_ERROR_UNKNOWN`]: another failure, for example because the OpenGL context is not current.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `resources` must be valid for reading `count` handles. The OpenGL context that they were registered in must
/// be current in this thread.
///
/// Unmap them with [`cuGraphicsUnmapResources`]. Since CUDA 3.0. Source: driver API manual, "Graphics
/// Interoperability".
#[doc(alias = "cudaGraphicsMapResources")]
pub use crate::bindings::cuGraphicsMapResources;

/// Unmaps resources, so that the graphics API can use them again.
///
/// Graphics calls that are made afterwards come after the work that is in the stream now. Addresses and arrays
/// of the resources are invalid afterwards.
///
/// # Parameters
///
/// - `count`: the number of resources.
/// - `resources`: the resources, each of them once.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_MAPPED`]: one of them is not mapped.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, or one that occurs twice.
/// - [`CUDA_ERROR_UNKNOWN`]: another failure.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// As for [`cuGraphicsMapResources`]. Work in other streams that uses the resources must be done.
///
/// Since CUDA 3.0. Source: driver API manual, "Graphics Interoperability".
#[doc(alias = "cudaGraphicsUnmapResources")]
pub use crate::bindings::cuGraphicsUnmapResources;

/// Returns the address and the size of a mapped buffer.
///
/// The address may differ from one map to the next. It is not freed.
///
/// # Parameters
///
/// - `pDevPtr`: receives the address.
/// - `pSize`: receives the size in bytes.
/// - `resource`: the resource, a mapped buffer.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not mapped.
/// - [`CUDA_ERROR_NOT_MAPPED_AS_POINTER`]: the resource is not a buffer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pDevPtr` must be valid for writing a [`CUdeviceptr`], and `pSize` must be valid for writing a `size_t`. The
/// resource must not be unregistered.
///
/// Since CUDA 3.2. Source: driver API manual, "Graphics Interoperability".
#[doc(alias = "cudaGraphicsResourceGetMappedPointer")]
pub use crate::bindings::cuGraphicsResourceGetMappedPointer_v2;

pub use crate::bindings::cuGraphicsResourceGetMappedPointer;

/// Returns a layer of a mip level of a mapped texture as an array.
///
/// The array may differ from one map to the next. It is not destroyed. [`cuMemcpy2D_v2`] copies it, and
/// [`cuSurfObjectCreate`] and [`cuTexObjectCreate`] take it.
///
/// # Parameters
///
/// - `pArray`: receives the array.
/// - `resource`: the resource, a mapped texture or renderbuffer.
/// - `arrayIndex`: the layer, or the face of a cube; otherwise 0.
/// - `mipLevel`: the mip level. Driver 580.159.04 does not notice a level that the texture lacks (*measured*).
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not mapped.
/// - [`CUDA_ERROR_NOT_MAPPED_AS_ARRAY`]: the resource is a buffer.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, no such layer or level.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pArray` must be valid for writing a pointer. The resource must not be unregistered.
///
/// Since CUDA 3.0. Source: driver API manual, "Graphics Interoperability".
#[doc(alias = "cudaGraphicsSubResourceGetMappedArray")]
pub use crate::bindings::cuGraphicsSubResourceGetMappedArray;

/// Unregisters a resource. The graphics object stays.
///
/// # Parameters
///
/// - `resource`: the resource, which is not mapped.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
/// - [`CUDA_ERROR_UNKNOWN`]: another failure.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The resource must be unregistered only once, before the graphics API deletes the object, and no work may use
/// it any more.
///
/// Since CUDA 3.0. Source: driver API manual, "Graphics Interoperability".
#[doc(alias = "cudaGraphicsUnregisterResource")]
pub use crate::bindings::cuGraphicsUnregisterResource;
