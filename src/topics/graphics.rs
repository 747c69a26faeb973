#![doc = page!("graphics.md")]

#[cfg(doc)]
use crate::*; // for the links

/// A registered resource: a graphics API's buffer or image that CUDA may use. An opaque handle of the driver: never
/// dereference it.
#[doc(alias = "cudaGraphicsResource_t")]
pub use crate::bindings::CUgraphicsResource;

/// The driver's private struct, to which a [`CUgraphicsResource`] points.
pub use crate::bindings::CUgraphicsResource_st;

/// How CUDA will use a resource, as bits for [`cuGraphicsGLRegisterBuffer`], [`cuGraphicsGLRegisterImage`] and
/// [`cuGraphicsD3D11RegisterResource`].
///
/// - [`CU_GRAPHICS_REGISTER_FLAGS_NONE`]: CUDA reads and writes the resource.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY`]: CUDA only reads the resource.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD`]: CUDA writes the whole resource without reading it. The old contents
///   are lost.
/// - [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`]: kernels access the image through a [surface object](crate::texture).
/// - [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]: kernels gather texels of the image through a texture object.
#[doc(alias = "cudaGraphicsRegisterFlags")]
pub use crate::bindings::CUgraphicsRegisterFlags;
pub use crate::bindings::CUgraphicsRegisterFlags_values::*;

/// How CUDA will use an EGL image, for [`cuGraphicsEGLRegisterImage`].
///
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE`]: CUDA reads and writes the image.
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY`]: CUDA only reads the image.
/// - [`CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD`]: CUDA writes the whole image without reading it. The old contents
///   are lost.
#[doc(alias = "cudaGraphicsMapFlags")]
pub use crate::bindings::CUgraphicsMapResourceFlags;
pub use crate::bindings::CUgraphicsMapResourceFlags_values::*;

/// An EGL image's planes (arrays or addresses), the first plane's size and pitch, the numbers of planes and channels,
/// the color format, and the type of a channel. [`cuGraphicsResourceGetMappedEglFrame`] returns this struct. The
/// example `egl_image` uses it.
#[doc(alias = "cudaEglFrame")]
pub use crate::bindings::CUeglFrame;

/// The planes in a [`CUeglFrame`], whose `frameType` selects one field of this union.
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
/// The names of RGB formats list the channels from the highest bits to the lowest: in memory the bytes of
/// [`CU_EGL_COLOR_FORMAT_ABGR`] are red, green, blue and alpha. The EGL image of a `GL_RGBA8` texture has that format
/// (*measured* on an H200). In YUV formats' names, `PLANAR` means three planes, whose order the name states.
/// `SEMIPLANAR` means two: Y, and interleaved U and V. `ER` means the extended range, `709` BT.709, and `2020` BT.2020.
#[doc(alias = "cudaEglColorFormat")]
pub use crate::bindings::CUeglColorFormat;
pub use crate::bindings::CUeglColorFormat_values::*;

/// The largest number of planes in a [`CUeglFrame`].
#[doc(alias = "CUDA_EGL_MAX_PLANES")]
pub use crate::bindings::MAX_PLANES;

/// Which of several linked GPUs [`cuD3D11GetDevices`] returns.
///
/// - [`CU_D3D11_DEVICE_LIST_ALL`]: all GPUs that the Direct3D 11 device uses.
/// - [`CU_D3D11_DEVICE_LIST_CURRENT_FRAME`]: the GPUs that render the current frame.
/// - [`CU_D3D11_DEVICE_LIST_NEXT_FRAME`]: the GPUs that render the next frame.
#[doc(alias = "cudaD3D11DeviceList")]
pub use crate::bindings::CUd3d11DeviceList;
pub use crate::bindings::CUd3d11DeviceList_values::*;

export_functions! {
    /// Maps registered resources for CUDA.
    ///
    /// This call orders the graphics API's earlier calls before CUDA's later work in `hStream`. Until the resources are
    /// unmapped, the graphics API must not use them.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: a resource is mapped already.
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle or, according to the manual, a resource that is listed twice.
    ///   *Measured* on an H100 and an H200: driver 580.159.04 returns [`CUDA_ERROR_ALREADY_MAPPED`] for a resource that
    ///   is listed twice.
    /// - [`CUDA_ERROR_UNKNOWN`]: another failure. *Measured* on an H200: also for a registered EGL image.
    ///
    /// # Safety
    ///
    /// `resources` must be valid for reading `count` handles. The resources must still be registered. For resources of
    /// OpenGL, the OpenGL context in which they were registered must be current in this thread.
    ///
    /// Unmap the resources with [`cuGraphicsUnmapResources`].
    #[doc(alias = "cudaGraphicsMapResources")]
    pub use crate::bindings::cuGraphicsMapResources;

    /// Unmaps resources, so that the graphics API can use them again.
    ///
    /// This call orders CUDA's earlier work in `hStream` before the graphics API's later calls. The call also makes the
    /// resources' addresses and arrays invalid.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: a resource is not mapped.
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle, or a resource that is listed twice.
    /// - [`CUDA_ERROR_UNKNOWN`]: another failure. *Measured* on an H200: also for a registered EGL image.
    ///
    /// # Safety
    ///
    /// `resources` must be valid for reading `count` handles. The resources must still be registered. For resources of
    /// OpenGL, the OpenGL context in which they were registered must be current in this thread. Work that uses the
    /// resources in streams other than `hStream` must be complete.
    #[doc(alias = "cudaGraphicsUnmapResources")]
    pub use crate::bindings::cuGraphicsUnmapResources;

    /// Returns the address and the size of a mapped buffer.
    ///
    /// The address may change each time the resource is mapped. Do not free the memory.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not mapped.
    /// - [`CUDA_ERROR_NOT_MAPPED_AS_POINTER`]: the resource is not a buffer.
    ///
    /// # Safety
    ///
    /// `pDevPtr` must be valid for writing a [`CUdeviceptr`], and `pSize` must be valid for writing a `size_t`. The
    /// resource must still be registered.
    #[doc(alias = "cudaGraphicsResourceGetMappedPointer")]
    pub use crate::bindings::cuGraphicsResourceGetMappedPointer_v2;

    /// Returns one layer of one mip level of a mapped image as an array.
    ///
    /// The array may change each time the resource is mapped. Do not destroy the array. [`cuMemcpy2D_v2`] and
    /// [`cuMemcpy3D_v2`] copy from and to an array. [`cuTexObjectCreate`] and [`cuSurfObjectCreate`] make an array
    /// usable in kernels. For surface objects, register the image with [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`].
    ///
    /// # Parameters
    ///
    /// - `arrayIndex`: the layer of an array texture, or the face of a cube map; 0 for other images.
    /// - `mipLevel`: the mip level. *Measured* on an H100: for a texture that has only the levels 0 and 1, the driver
    ///   accepts the levels 2 and 5, and refuses the level 9.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not mapped.
    /// - [`CUDA_ERROR_NOT_MAPPED_AS_ARRAY`]: the resource is a buffer.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: the image lacks the layer or the level, according to the manual.
    ///
    /// # Safety
    ///
    /// `pArray` must be valid for writing a pointer. The resource must still be registered.
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
    /// The resource must be unregistered only once, and no work in flight may use it. Unregister it before the graphics
    /// API deletes the buffer or image. (*Measured* on an H200: an EGL image may be deleted first.)
    #[doc(alias = "cudaGraphicsUnregisterResource")]
    pub use crate::bindings::cuGraphicsUnregisterResource;

    /// Registers an OpenGL buffer, so that CUDA can map the buffer.
    ///
    /// cudaGL.h declares this function. OpenGL's type `GLuint` is `unsigned int`.
    ///
    /// # Parameters
    ///
    /// - `Flags`: [`CU_GRAPHICS_REGISTER_FLAGS_NONE`], [`CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY`] or
    ///   [`CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD`]; `.into()` converts them to `c_uint`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: the buffer is mapped already.
    /// - [`CUDA_ERROR_OPERATING_SYSTEM`]: the OpenGL context is not NVIDIA's (*measured* with Mesa's llvmpipe).
    /// - [`CUDA_ERROR_INVALID_GRAPHICS_CONTEXT`]: no OpenGL context is current. After an earlier registration in the
    ///   same CUDA context, the code is [`CUDA_ERROR_INVALID_VALUE`] instead (both *measured* on an H100).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: the buffer does not exist (*measured* on an H100).
    /// - [`CUDA_ERROR_OUT_OF_MEMORY`]: the buffer has no storage: call `glBufferData` first (*measured* on an H100).
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an unknown flag (*measured* on an H100).
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. The buffer's OpenGL context must be current in this thread.
    ///
    /// Unregister the resource with [`cuGraphicsUnregisterResource`].
    #[doc(alias = "cudaGraphicsGLRegisterBuffer")]
    pub use crate::bindings::cuGraphicsGLRegisterBuffer;

    /// Registers an OpenGL texture or renderbuffer, so that CUDA can map the image.
    ///
    /// cudaGL.h lists the formats that can be registered. They have one, two or four channels of 8, 16 or 32 bits, for
    /// example `GL_R8`, `GL_RG16F` or `GL_RGBA32UI`. Multisampled renderbuffers and textures with borders cannot be
    /// registered. *Measured* on an H100 and an H200: driver 580.159.04 also registers `GL_RGB8`, which cudaGL.h does
    /// not list.
    ///
    /// # Parameters
    ///
    /// - `target`: the object's kind: `GL_TEXTURE_2D`, `GL_TEXTURE_RECTANGLE`, `GL_TEXTURE_CUBE_MAP`, `GL_TEXTURE_3D`,
    ///   `GL_TEXTURE_2D_ARRAY` or `GL_RENDERBUFFER`.
    /// - `Flags`: bits of [`CUgraphicsRegisterFlags`]; `.into()` converts them to `c_uint`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_ALREADY_MAPPED`]: the object is mapped.
    /// - [`CUDA_ERROR_OPERATING_SYSTEM`]: the OpenGL context is not NVIDIA's (*measured* with Mesa's llvmpipe).
    /// - [`CUDA_ERROR_INVALID_GRAPHICS_CONTEXT`]: no OpenGL context is current. After an earlier registration in the
    ///   same CUDA context, the code is [`CUDA_ERROR_INVALID_VALUE`] instead (both *measured* on an H100).
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: the object does not exist (*measured* on an H100 and an H200).
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an unknown flag (*measured* on an H200), a texture without storage, or a texture
    ///   with a depth format (both *measured* on an H100).
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. The object's OpenGL context must be current in this thread.
    ///
    /// Unregister the resource with [`cuGraphicsUnregisterResource`].
    #[doc(alias = "cudaGraphicsGLRegisterImage")]
    pub use crate::bindings::cuGraphicsGLRegisterImage;

    /// Registers an EGL image, so that CUDA can use the image's memory.
    ///
    /// Do not map the resource: call [`cuGraphicsResourceGetMappedEglFrame`] instead. The registration does not order
    /// CUDA's and OpenGL's work: [the section about EGL images](crate::graphics#egl-images) describes the needed waits.
    ///
    /// cudaEGL.h declares this function. EGL's type `EGLImageKHR` is `void *`.
    ///
    /// # Parameters
    ///
    /// - `flags`: one constant of [`CUgraphicsMapResourceFlags`]; `.into()` converts it to `c_uint`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_UNKNOWN`]: a null or destroyed image (*measured* on an H200), or an image of an OpenGL context on
    ///   another GPU than CUDA's (*measured* on two H100s).
    /// - [`CUDA_ERROR_INVALID_HANDLE`], [`CUDA_ERROR_ALREADY_MAPPED`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. `image` must be an image of an initialized EGL display.
    ///
    /// Unregister the resource with [`cuGraphicsUnregisterResource`].
    #[doc(alias = "cudaGraphicsEGLRegisterImage")]
    pub use crate::bindings::cuGraphicsEGLRegisterImage;

    /// Returns the planes of a registered EGL image, as arrays or as addresses.
    ///
    /// # Parameters
    ///
    /// - `eglFrame`: receives the frame. Do not destroy the frame's arrays or free its addresses.
    /// - `index`: the face of a cube map; 0 for other images.
    /// - `mipLevel`: the mip level. *Measured* on an H200: driver 580.159.04 accepts a nonexistent face or level.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_MAPPED`]: the resource is not registered, according to the manual.
    ///
    /// # Safety
    ///
    /// `eglFrame` must be valid for writing a [`CUeglFrame`]. The resource must be registered. *Measured* on an H200:
    /// after the resource was unregistered, the call ends the process with SIGSEGV.
    #[doc(alias = "cudaGraphicsResourceGetMappedEglFrame")]
    pub use crate::bindings::cuGraphicsResourceGetMappedEglFrame;

    /// Creates an event from an EGL sync, so that a stream can wait for the sync.
    ///
    /// **None of the x86-64 drivers that were looked at, from 450 to 580, exports this function**
    /// ([drivers](crate::guide::releases#functions-of-each-driver)). With these drivers, in the mode `load`, the call
    /// returns [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`].
    ///
    /// The event cannot be recorded and cannot measure time. After the sync is destroyed, the event may only be passed
    /// to [`cuEventDestroy`].
    ///
    /// # Parameters
    ///
    /// - `flags`: [`CU_EVENT_DEFAULT`] or [`CU_EVENT_BLOCKING_SYNC`].
    ///
    /// # Safety
    ///
    /// `phEvent` must be valid for writing a pointer. `eglSync` must be a sync that is not destroyed.
    ///
    /// Destroy the event with [`cuEventDestroy`]. Creating the event is *not verified*.
    #[doc(alias = "cudaEventCreateFromEGLSync")]
    pub use crate::bindings::cuEventCreateFromEGLSync;

    /// Returns the CUDA device of a display adapter (`IDXGIAdapter`).
    ///
    /// cudaD3D11.h (in toolkits for Windows) declares this function. To match devices by LUID, use [`cuDeviceGetLuid`].
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NO_DEVICE`]: the adapter has no CUDA device.
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_FOUND`], [`CUDA_ERROR_UNKNOWN`]: the manual gives no reasons.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the system is not Windows.
    ///
    /// # Safety
    ///
    /// `pCudaDevice` must be valid for writing a [`CUdevice`]. `pAdapter` must be an adapter that is not released.
    ///
    /// This function is *not verified*.
    #[doc(alias = "cudaD3D11GetDevice")]
    pub use crate::bindings::cuD3D11GetDevice;

    /// Returns the CUDA devices of the GPUs that a Direct3D 11 device uses, and their number.
    ///
    /// # Parameters
    ///
    /// - `pCudaDevices`: receives at most `cudaDeviceCount` devices.
    /// - `deviceList`: which of several linked GPUs (SLI) are returned.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NO_DEVICE`]: one of the GPUs is not a CUDA device.
    /// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_FOUND`], [`CUDA_ERROR_UNKNOWN`]: the manual gives no reasons.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the system is not Windows.
    ///
    /// # Safety
    ///
    /// `pCudaDeviceCount` must be valid for writing a `c_uint`, and `pCudaDevices` must be valid for writing
    /// `cudaDeviceCount` devices. `pD3D11Device` must be a device that is not released.
    ///
    /// This function is *not verified*.
    #[doc(alias = "cudaD3D11GetDevices")]
    pub use crate::bindings::cuD3D11GetDevices;

    /// Registers a Direct3D 11 buffer or texture, so that CUDA can map the resource.
    ///
    /// Buffers are mapped as addresses, and textures of one, two and three dimensions as arrays. cudaD3D11.h lists the
    /// formats that can be registered: they have one, two or four channels of 8, 16 or 32 bits. Textures of depth or
    /// stencil formats cannot be registered, and neither can the primary render target.
    ///
    /// The Direct3D resource needs no shared handle and no special `MiscFlags`. CUDA keeps a reference to the resource
    /// until it is unregistered. Registering is slow: register once, not in each frame.
    ///
    /// # Parameters
    ///
    /// - `Flags`: [`CU_GRAPHICS_REGISTER_FLAGS_NONE`], [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`] or
    ///   [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]; `.into()` converts them to `c_uint`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: `pD3DResource` has a wrong type, or is registered already.
    /// - [`CUDA_ERROR_INVALID_VALUE`]: an unknown flag.
    /// - [`CUDA_ERROR_UNKNOWN`]: the resource cannot be registered.
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: the system is not Windows.
    ///
    /// # Safety
    ///
    /// `pCudaResource` must be valid for writing a pointer. `pD3DResource` must be a resource that is not released.
    ///
    /// Unregister the resource with [`cuGraphicsUnregisterResource`]. Registering it is *not verified*.
    #[doc(alias = "cudaGraphicsD3D11RegisterResource")]
    pub use crate::bindings::cuGraphicsD3D11RegisterResource;

    // In cuda.h this name is a macro for the function with the suffix `_v2`.
    pub use crate::bindings::cuGraphicsResourceGetMappedPointer;
}
