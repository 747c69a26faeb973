//! The registration of Direct3D 11's resources. Drivers for Windows export these functions; with other drivers they
//! return `CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`.

#[cfg(doc)]
use crate::*; // for the links

/// Returns the device of a display adapter.
///
/// It is declared in cudaD3D11.h, which Windows's toolkits have. [`cuDeviceGetLuid`] is another way to match a device.
///
/// # Parameters
///
/// - `pCudaDevice`: receives the device.
/// - `pAdapter`: the adapter, an `IDXGIAdapter *`.
///
/// # Errors
///
/// - [`CUDA_ERROR_NO_DEVICE`]: the adapter is not one of CUDA's devices.
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_FOUND`], [`CUDA_ERROR_UNKNOWN`].
/// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: not on Windows.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pCudaDevice` must be valid for writing a [`CUdevice`]. `pAdapter` must be an adapter that is not released.
///
/// Since CUDA 3.0. Source: driver API manual, "Direct3D 11 Interoperability". *Not verified*.
#[doc(alias = "cudaD3D11GetDevice")]
pub use crate::bindings::cuD3D11GetDevice;

/// Returns the devices of a Direct3D 11 device.
///
/// # Parameters
///
/// - `pCudaDeviceCount`: receives the number of devices.
/// - `pCudaDevices`: receives at most `cudaDeviceCount` devices.
/// - `cudaDeviceCount`: the number of entries of `pCudaDevices`.
/// - `pD3D11Device`: the Direct3D 11 device, an `ID3D11Device *`.
/// - `deviceList`: which devices; without linked GPUs all of them are the same one.
///
/// # Errors
///
/// - [`CUDA_ERROR_NO_DEVICE`]: one of the GPUs is not one of CUDA's devices.
/// - [`CUDA_ERROR_INVALID_VALUE`], [`CUDA_ERROR_NOT_FOUND`], [`CUDA_ERROR_UNKNOWN`].
/// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: not on Windows.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pCudaDeviceCount` must be valid for writing a number, and `pCudaDevices` must be valid for writing
/// `cudaDeviceCount` devices. `pD3D11Device` must be a device that is not released.
///
/// Since CUDA 3.2. Source: driver API manual, "Direct3D 11 Interoperability". *Not verified*.
#[doc(alias = "cudaD3D11GetDevices")]
pub use crate::bindings::cuD3D11GetDevices;

/// Registers a Direct3D 11 buffer or texture, so that CUDA can map it.
///
/// Buffers are mapped as addresses, and textures of one, two and three dimensions as arrays. Formats with one, two or four
/// channels of 8, 16 or 32 bits can be registered. Depth and stencil formats and the primary render target cannot.
///
/// The resource needs no shared handle and no special `MiscFlags`. It keeps a reference to `pD3DResource` until it is
/// unregistered. Registering is slow: do it once, not in each frame.
///
/// # Parameters
///
/// - `pCudaResource`: receives the resource.
/// - `pD3DResource`: the buffer or texture, an `ID3D11Resource *`.
/// - `Flags`: [`CU_GRAPHICS_REGISTER_FLAGS_NONE`], [`CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`] or
///   [`CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER`]; `.into()` converts them.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: another kind of resource, or one that is registered already.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or another flag.
/// - [`CUDA_ERROR_UNKNOWN`]: it cannot be registered.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: not on Windows.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `pCudaResource` must be valid for writing a pointer. `pD3DResource` must be a resource that is not released.
///
/// Unregister it with [`cuGraphicsUnregisterResource`]. Since CUDA 3.0. Source: driver API manual, "Direct3D 11
/// Interoperability". *Not verified*.
#[doc(alias = "cudaGraphicsD3D11RegisterResource")]
pub use crate::bindings::cuGraphicsD3D11RegisterResource;
