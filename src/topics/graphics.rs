#![doc = page!("graphics.md")]

#[cfg(doc)]
use crate::*; // for the links

/// A buffer or an image of a graphics API that is registered with CUDA. An opaque handle of the driver: never
/// dereference it.
#[doc(alias = "cudaGraphicsResource_t")]
pub use crate::bindings::CUgraphicsResource;

/// The driver's private struct, to which a [`CUgraphicsResource`] points.
pub use crate::bindings::CUgraphicsResource_st;

/// What CUDA will do with a resource, as bits for [`cuGraphicsGLRegisterBuffer`], [`cuGraphicsGLRegisterImage`] and
/// [`cuGraphicsD3D11RegisterResource`].
///
/// - [`CU_GRAPHICS_REGISTER_FLAGS_NONE`]: CUDA reads and writes the resource.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY`]: CUDA only reads it.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD`]: CUDA writes all of it and does not read it; the old contents are
///   lost.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`]: CUDA makes a [surface object](crate::texture) on the image.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]: kernels gather texels of the image through a texture object.
#[doc(alias = "cudaGraphicsRegisterFlags")]
pub use crate::bindings::CUgraphicsRegisterFlags;
pub use crate::bindings::CUgraphicsRegisterFlags_values::*;

/// What CUDA will do with an EGL image, for [`cuGraphicsEGLRegisterImage`].
///
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE`]: CUDA reads and writes the image.
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY`]: CUDA only reads it.
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD`]: CUDA writes all of it and does not read it; the old contents are
///   lost.
#[doc(alias = "cudaGraphicsMapFlags")]
pub use crate::bindings::CUgraphicsMapResourceFlags;
pub use crate::bindings::CUgraphicsMapResourceFlags_values::*;

/// The planes of an EGL image, their size and their format, from [`cuGraphicsResourceGetMappedEglFrame`]. The example
/// `egl_image` reads a frame.
#[doc(alias = "cudaEglFrame")]
pub use crate::bindings::CUeglFrame;

/// The planes in a [`CUeglFrame`]: one union field, selected by its `frameType`.
pub use crate::bindings::CUeglFrame_frame;

/// Whether the planes of a [`CUeglFrame`] are arrays or addresses.
///
/// - [`CU_EGL_FRAME_TYPE_ARRAY`]: arrays, in `frame.pArray`.
/// - [`CU_EGL_FRAME_TYPE_PITCH`]: addresses, in `frame.pPitch`. The first plane's rows are `pitch` bytes apart.
#[doc(alias = "cudaEglFrameType")]
pub use crate::bindings::CUeglFrameType;
pub use crate::bindings::CUeglFrameType_values::*;

/// The arrangement of the channels of a [`CUeglFrame`].
///
/// The names list the channels from the highest bits to the lowest: the bytes of [`CU_EGL_COLOR_FORMAT_ABGR`] are red,
/// green, blue and alpha, as those of `GL_RGBA8` (*measured*: an image of such a texture has this format).
/// `SEMIPLANAR` means a plane of Y and one of U and V, `PLANAR` a plane of each, and `ER` the extended range of values.
/// `709` and `2020` are ITU-R's color spaces.
#[doc(alias = "cudaEglColorFormat")]
pub use crate::bindings::CUeglColorFormat;
pub use crate::bindings::CUeglColorFormat_values::*;

/// The largest number of planes in a [`CUeglFrame`].
#[doc(alias = "CUDA_EGL_MAX_PLANES")]
pub use crate::bindings::MAX_PLANES;

/// Which of several linked GPUs [`cuD3D11GetDevices`] returns.
///
/// - [`CU_D3D11_DEVICE_LIST_ALL`]: all of them.
/// - [`CU_D3D11_DEVICE_LIST_CURRENT_FRAME`]: those that render the current frame.
/// - [`CU_D3D11_DEVICE_LIST_NEXT_FRAME`]: those that render the next frame.
#[doc(alias = "cudaD3D11DeviceList")]
pub use crate::bindings::CUd3d11DeviceList;
pub use crate::bindings::CUd3d11DeviceList_values::*;

export_functions! {
    /// Maps registered resources for CUDA.
    ///
    /// Work that is enqueued in the stream after this call runs after the graphics API's earlier calls. Until the
    /// resources are unmapped, the graphics API must not use them.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: a resource is mapped. Driver 580.159.04 also returns this code for a resource
    ///   that occurs twice (*measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, or a resource that occurs twice (manual).
    /// - [`CUDA_ERROR_UNKNOWN`]: another failure, for example because the OpenGL context is not current.
    ///
    /// # Safety
    ///
    /// `resources` must be valid for reading `count` handles. For resources of OpenGL, the OpenGL context in which they
    /// were registered must be current in this thread.
    ///
    /// Unmap them with [`cuGraphicsUnmapResources`].
    #[doc(alias = "cudaGraphicsMapResources")]
    pub use crate::bindings::cuGraphicsMapResources;

    /// Unmaps resources, so that the graphics API can use them again.
    ///
    /// The graphics API's later calls run after the work that is in the stream at the time of this call. Addresses and
    /// arrays of the resources are invalid afterwards.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: a resource is not mapped.
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, or a resource that occurs twice.
    /// - [`CUDA_ERROR_UNKNOWN`]: another failure.
    ///
    /// # Safety
    ///
    /// As for [`cuGraphicsMapResources`]. Work in other streams that uses the resources must be done.
    #[doc(alias = "cudaGraphicsUnmapResources")]
    pub use crate::bindings::cuGraphicsUnmapResources;

    /// Returns the address and the size of a mapped buffer.
    ///
    /// The address may differ from one map to the next. Do not free it.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not mapped.
    /// - [`CUDA_ERROR_NOT_MAPPED_AS_POINTER`]: the resource is not a buffer.
    ///
    /// # Safety
    ///
    /// `pDevPtr` must be valid for writing a [`CUdeviceptr`], and `pSize` must be valid for writing a `size_t`. The
    /// resource must not be unregistered.
    #[doc(alias = "cudaGraphicsResourceGetMappedPointer")]
    pub use crate::bindings::cuGraphicsResourceGetMappedPointer_v2;

    /// Returns one layer of one mip level of a mapped image as an array.
    ///
    /// The array may differ from one map to the next. Do not destroy it. [`cuMemcpy2D_v2`] copies an array, and
    /// [`cuSurfObjectCreate`] and [`cuTexObjectCreate`] create objects on it.
    ///
    /// # Parameters
    ///
    /// - `arrayIndex`: the layer, or the face of a cube; otherwise 0.
    /// - `mipLevel`: the mip level. Driver 580.159.04 does not refuse a level that the texture lacks (*measured*).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not mapped.
    /// - [`CUDA_ERROR_NOT_MAPPED_AS_ARRAY`]: the resource is a buffer.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or no such layer or level (manual).
    ///
    /// # Safety
    ///
    /// `pArray` must be valid for writing a pointer. The resource must not be unregistered.
    #[doc(alias = "cudaGraphicsSubResourceGetMappedArray")]
    pub use crate::bindings::cuGraphicsSubResourceGetMappedArray;

    /// Unregisters a resource, which must not be mapped. The graphics API's object is not destroyed.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
    /// - [`CUDA_ERROR_UNKNOWN`]: another failure.
    ///
    /// # Safety
    ///
    /// The resource must be unregistered only once, before the graphics API deletes the object. No work in flight may
    /// use the resource.
    #[doc(alias = "cudaGraphicsUnregisterResource")]
    pub use crate::bindings::cuGraphicsUnregisterResource;

    /// Registers a buffer of OpenGL, so that CUDA can map it.
    ///
    /// cudaGL.h declares this function. `GLuint` is `unsigned int` there.
    ///
    /// # Parameters
    ///
    /// - `Flags`: bits of [`CUgraphicsRegisterFlags`]; `.into()` converts them.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: the object is mapped.
    /// - [`CUDA_ERROR_OPERATING_SYSTEM`]: the OpenGL context is not this driver's (*measured* with Mesa's llvmpipe).
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. The object's OpenGL context must be current in this thread.
    ///
    /// Unregister it with [`cuGraphicsUnregisterResource`].
    #[doc(alias = "cudaGraphicsGLRegisterBuffer")]
    pub use crate::bindings::cuGraphicsGLRegisterBuffer;

    /// Registers a texture or a renderbuffer of OpenGL, so that CUDA can map it.
    ///
    /// Formats with one, two or four channels of 8, 16 or 32 bits can be registered: `GL_R`, `GL_RG` and `GL_RGBA` with
    /// `8`, `16`, `16F`, `32F`, and the integer forms. Textures with borders and multisampled renderbuffers cannot be
    /// registered. Driver 580.159.04 also registers `GL_RGB8` (*measured*), which the manual does not list.
    ///
    /// # Parameters
    ///
    /// - `target`: the object's kind: `GL_TEXTURE_2D`, `GL_TEXTURE_RECTANGLE`, `GL_TEXTURE_CUBE_MAP`, `GL_TEXTURE_3D`,
    ///   `GL_TEXTURE_2D_ARRAY` or `GL_RENDERBUFFER`.
    /// - `Flags`: bits of [`CUgraphicsRegisterFlags`]; `.into()` converts them.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: the object is mapped.
    /// - [`CUDA_ERROR_OPERATING_SYSTEM`]: the OpenGL context is not this driver's (*measured* with Mesa's llvmpipe).
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, another target, a format that cannot be registered, an
    ///   unknown flag.
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. The object's OpenGL context must be current in this thread.
    ///
    /// Unregister it with [`cuGraphicsUnregisterResource`].
    #[doc(alias = "cudaGraphicsGLRegisterImage")]
    pub use crate::bindings::cuGraphicsGLRegisterImage;

    /// Registers an EGL image, so that CUDA can use its memory.
    ///
    /// Do not map the resource: call [`cuGraphicsResourceGetMappedEglFrame`] instead. The registration does not order
    /// the work of the two APIs. [EGL images](crate::graphics#egl-images) describes the synchronization.
    ///
    /// cudaEGL.h declares this function. `EGLImageKHR` is `void *` there.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_UNKNOWN`]: a null image, or one that was destroyed (*measured*).
    /// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_ALREADY_MAPPED`], [`CUDA_ERROR_INVALID_CONTEXT`]: the manual lists
    ///   these without a reason.
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. `image` must be an image of an initialized display.
    ///
    /// Unregister it with [`cuGraphicsUnregisterResource`].
    #[doc(alias = "cudaGraphicsEGLRegisterImage")]
    pub use crate::bindings::cuGraphicsEGLRegisterImage;

    /// Returns the planes of a registered EGL image, as arrays or as addresses.
    ///
    /// # Parameters
    ///
    /// - `eglFrame`: receives the description. The resource owns its arrays and addresses.
    /// - `index`: the face of a cube; otherwise 0.
    /// - `mipLevel`: the mip level. The driver refuses neither a face nor a level that the image lacks (*measured*).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not registered.
    ///
    /// # Safety
    ///
    /// `eglFrame` must be valid for writing a [`CUeglFrame`]. The resource must not be unregistered.
    #[doc(alias = "cudaGraphicsResourceGetMappedEglFrame")]
    pub use crate::bindings::cuGraphicsResourceGetMappedEglFrame;

    /// Creates an event from an EGL sync, so that a stream can wait for it.
    ///
    /// **No driver for x86-64 from 450 to 580 exports this function**
    /// ([drivers](crate::guide::releases#functions-of-each-driver)): the call returns
    /// [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`] there. Such an event cannot be recorded or measure time.
    /// After the sync is destroyed, the event may only be passed to [`cuEventDestroy`].
    ///
    /// # Parameters
    ///
    /// - `flags`: [`CU_EVENT_DEFAULT`] or [`CU_EVENT_BLOCKING_SYNC`].
    ///
    /// # Safety
    ///
    /// `phEvent` must be valid for writing a pointer. `eglSync` must be a sync that is not destroyed.
    ///
    /// Destroy it with [`cuEventDestroy`]. *Not verified*.
    #[doc(alias = "cudaEventCreateFromEGLSync")]
    pub use crate::bindings::cuEventCreateFromEGLSync;

    /// Returns the CUDA device of a display adapter (`IDXGIAdapter`).
    ///
    /// cudaD3D11.h of Windows's toolkits declares this function. [`cuDeviceGetLuid`] is another way to match a device.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NO_DEVICE`]: the adapter has no CUDA device.
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_FOUND`], [`CUDA_ERROR_UNKNOWN`].
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the system is not Windows.
    ///
    /// # Safety
    ///
    /// `pCudaDevice` must be valid for writing a [`CUdevice`]. `pAdapter` must be an adapter that is not released.
    ///
    /// *Not verified*.
    #[doc(alias = "cudaD3D11GetDevice")]
    pub use crate::bindings::cuD3D11GetDevice;

    /// Returns the CUDA devices of the GPUs that a Direct3D 11 device uses, and their number.
    ///
    /// # Parameters
    ///
    /// - `pCudaDevices`: receives at most `cudaDeviceCount` devices.
    /// - `deviceList`: which of several linked GPUs (SLI).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NO_DEVICE`]: one of the GPUs is not a CUDA device.
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_FOUND`], [`CUDA_ERROR_UNKNOWN`].
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the system is not Windows.
    ///
    /// # Safety
    ///
    /// `pCudaDeviceCount` must be valid for writing a number, and `pCudaDevices` must be valid for writing
    /// `cudaDeviceCount` devices. `pD3D11Device` must be a device that is not released.
    ///
    /// *Not verified*.
    #[doc(alias = "cudaD3D11GetDevices")]
    pub use crate::bindings::cuD3D11GetDevices;

    /// Registers a Direct3D 11 buffer or texture, so that CUDA can map it.
    ///
    /// Buffers are mapped as addresses, and textures of one, two and three dimensions as arrays. Formats with one, two
    /// or four channels of 8, 16 or 32 bits can be registered. Depth and stencil formats and the primary render target
    /// cannot be registered.
    ///
    /// `pD3DResource` needs no shared handle and no special `MiscFlags`. CUDA keeps a reference to it until it is
    /// unregistered. Registering is slow: do it once, not in each frame.
    ///
    /// # Parameters
    ///
    /// - `Flags`: [`CU_GRAPHICS_REGISTER_FLAGS_NONE`], [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`] or
    ///   [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]; `.into()` converts them.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: another kind of resource, or a resource that is registered already.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or another flag.
    /// - [`CUDA_ERROR_UNKNOWN`]: the resource cannot be registered.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the system is not Windows.
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. `pD3DResource` must be a resource that is not released.
    ///
    /// Unregister it with [`cuGraphicsUnregisterResource`]. *Not verified*.
    #[doc(alias = "cudaGraphicsD3D11RegisterResource")]
    pub use crate::bindings::cuGraphicsD3D11RegisterResource;

    // In cuda.h this name is a macro for the function with a version.
    pub use crate::bindings::cuGraphicsResourceGetMappedPointer;
}
