#![doc = include_str!("../docs/companion.md")]

use core::ffi::c_int;

#[cfg(doc)]
use crate::*; // for the links

// The driver and its errors.

/// Initializes the driver in this process. It comes before every other function but [`cuDriverGetVersion`],
/// [`cuGetErrorName`] and [`cuGetErrorString`].
///
/// It may be called again, by any thread, and then costs next to nothing. A child made by `fork` after it
/// cannot use CUDA.
///
/// # Parameters
///
/// - `Flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_NO_DEVICE`]: the driver works, and there is no GPU, or none is visible
///   (`CUDA_VISIBLE_DEVICES`, a container without one).
/// - [`CUDA_ERROR_SYSTEM_DRIVER_MISMATCH`]: the library and the kernel module are of different releases;
///   mostly an update without a restart.
/// - [`CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE`]: a forward compatibility library on a GPU that it does
///   not serve.
/// - [`CUDA_ERROR_INVALID_VALUE`]: `Flags` is not 0.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// None of its own: it takes no pointer.
///
/// Since CUDA 2.0. Source: driver API manual, "Initialization".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuInit;

/// Tells the newest CUDA release that the driver serves: 13000 is 13.0.
///
/// It may be called before [`cuInit`]. [`Driver::version`] has the same number.
///
/// # Parameters
///
/// - `driverVersion`: where the number is put: 1000 times the major and 10 times the minor number.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.2. Source: driver API manual, "Version Management".
#[doc(alias = "cudaDriverGetVersion")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDriverGetVersion;

/// Gives the name of an error, `CUDA_ERROR_INVALID_VALUE` for example.
///
/// `{:?}` of a [`CUresult`] prints the name too, without the driver, which may be missing or too old to
/// know the code. A toolkit's stub library crashes in cuGetErrorName.
///
/// # Parameters
///
/// - `error`: the code.
/// - `pStr`: where the address of the text is put: ASCII with a zero at its end. It is the driver's, never
///   changes and is never freed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is null then.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 6.0. Source: driver API manual, "Error Handling".
#[doc(alias = "cudaGetErrorName")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGetErrorName;

/// Gives a sentence on an error, in English.
///
/// It may be called before [`cuInit`].
///
/// # Parameters
///
/// - `error`: the code.
/// - `pStr`: where the address of the text is put: ASCII with a zero at its end. It is the driver's, never
///   changes and is never freed.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is null then.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 6.0. Source: driver API manual, "Error Handling".
#[doc(alias = "cudaGetErrorString")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuGetErrorString;

// Devices, and matching them with another API's.

/// Counts the GPUs that CUDA can use.
///
/// # Parameters
///
/// - `count`: where the number is put.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
#[doc(alias = "cudaGetDeviceCount")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetCount;

/// Gives the device with an ordinal.
///
/// The order is CUDA's own, by default the fastest first, and not that of Vulkan or Direct3D: [match
/// devices](self#matching-devices).
///
/// # Parameters
///
/// - `device`: where the device is put.
/// - `ordinal`: 0 to one less than [`cuDeviceGetCount`] says.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGet;

/// Gives a device's name, for people: two devices may have the same.
///
/// # Parameters
///
/// - `name`: where the text is put, with a zero at its end.
/// - `len`: how many bytes there are at `name`. A longer name is cut off.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `name` must be valid for `len` bytes.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetName;

/// Gives a device's UUID, which Vulkan's `VkPhysicalDeviceIDProperties::deviceUUID` is equal to.
///
/// What cuda.h calls cuDeviceGetUuid since CUDA 11.4. For a MIG instance it is the instance's UUID.
///
/// # Parameters
///
/// - `uuid`: where the 16 bytes are put.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 11.4. Source: driver API manual, "Device Management".
#[doc(alias = "cuDeviceGetUuid")]
#[doc(alias = "cudaDeviceProp::uuid")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetUuid_v2;

/// Gives a device's LUID, which Direct3D's adapter and Vulkan's `deviceLUID` are equal to. Windows only.
///
/// # Parameters
///
/// - `luid`: where the 8 bytes are put: `LowPart`, then `HighPart`.
/// - `deviceNodeMask`: where the bit of this device in a linked adapter is put.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: not Windows (driver 580.159 on Linux).
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `luid` must be valid for 8 bytes, `deviceNodeMask` for its type.
///
/// Since CUDA 10.0. Source: driver API manual, "Device Management".
#[doc(alias = "cudaDeviceProp::luid")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetLuid;

/// Tells a property of a device.
///
/// For this family: [`CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`],
/// [`CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`] and
/// [`CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED`].
///
/// # Parameters
///
/// - `pi`: where the value is put; for questions 0 is no and 1 is yes.
/// - `attrib`: which property.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer, or a property that this driver does not know.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 2.0. Source: driver API manual, "Device Management".
#[doc(alias = "cudaDeviceGetAttribute")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDeviceGetAttribute;

// The primary context, which the runtime API uses too.

/// Takes a reference to a device's primary context, making the context where there is none yet.
///
/// It does not become current by this: [`cuCtxSetCurrent`] follows.
///
/// # Parameters
///
/// - `pctx`: where the context is put.
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuDevicePrimaryCtxRelease_v2`], once for each call. Since CUDA 7.0. Source: driver API
/// manual, "Primary Context Management".
#[doc(alias = "cudaSetDevice")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDevicePrimaryCtxRetain;

/// Gives a reference to a device's primary context back. With the last one the context goes, and everything
/// in it.
///
/// Imports, mappings and streams of the context must be gone before.
///
/// # Parameters
///
/// - `dev`: the device.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: there is no reference to give back.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the context after the last reference is given back.
///
/// Since CUDA 11.0. Source: driver API manual, "Primary Context Management".
#[doc(alias = "cuDevicePrimaryCtxRelease")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuDevicePrimaryCtxRelease_v2;

/// Makes a context the calling thread's current one.
///
/// Each thread has its own current context, at first none. Nearly every function of this crate works in it.
///
/// # Parameters
///
/// - `ctx`: the context; null for none.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: it is no context.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The context must not have been destroyed.
///
/// Since CUDA 4.0. Source: driver API manual, "Context Management".
#[doc(alias = "cudaSetDevice")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuCtxSetCurrent;

/// Gives the calling thread's current context.
///
/// # Parameters
///
/// - `pctx`: where the context is put; null where there is none, which is no error.
///
/// # Errors
///
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 4.0. Source: driver API manual, "Context Management".
#[doc(alias = "cudaGetDevice")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuCtxGetCurrent;

/// Waits until all work of the current context is done.
///
/// Where a stream waits for a semaphore that nobody signals, it never returns.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_CONTEXT`]: no context is current.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// None of its own: it takes no pointer.
///
/// Since CUDA 2.0. Source: driver API manual, "Context Management".
#[doc(alias = "cudaDeviceSynchronize")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuCtxSynchronize;

// Streams, which signals and waits are enqueued in.

/// Makes a stream in the current context.
///
/// # Parameters
///
/// - `phStream`: where the stream is put.
/// - `Flags`: [`CU_STREAM_DEFAULT`], or [`CU_STREAM_NON_BLOCKING`] for one that neither waits for the
///   default stream nor makes it wait; as a number, `.0`.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer or an unknown flag.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuStreamDestroy_v2`]. Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamCreateWithFlags")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamCreate;

/// Asks whether all work of a stream is done, without waiting.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_READY`]: not yet. An answer, not a failure.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `hStream` must be a stream of the current context that is not destroyed, or null for the default stream.
///
/// Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamQuery")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamQuery;

/// Waits until all work of a stream is done.
///
/// Where the stream waits for a semaphore that nobody signals, it never returns.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `hStream` must be a stream of the current context that is not destroyed, or null for the default stream.
///
/// Since CUDA 2.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cudaStreamSynchronize")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamSynchronize;

/// Frees a stream. Returns at once; work that is in it is still done.
///
/// That is no synchronization: what the work uses must live until it is over.
///
/// # Parameters
///
/// - `hStream`: the stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuStreamCreate`] and be destroyed once only.
///
/// Since CUDA 4.0. Source: driver API manual, "Stream Management".
#[doc(alias = "cuStreamDestroy")]
#[doc(alias = "cudaStreamDestroy")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuStreamDestroy_v2;

// Memory: freeing what was mapped, and moving bytes.

/// Allocates device memory, which cannot be exported: [`cuMemCreate`] makes what can.
///
/// # Parameters
///
/// - `dptr`: where the address is put, aligned to 256 bytes at least.
/// - `bytesize`: bytes; not 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: `bytesize` is 0, or a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuMemFree_v2`]. Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemAlloc")]
#[doc(alias = "cudaMalloc")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemAlloc_v2;

/// Frees device memory, or a mapping from [`cuExternalMemoryGetMappedBuffer`].
///
/// Every mapping is freed by its own call, before [`cuDestroyExternalMemory`]. The exporter's memory stays.
///
/// # Parameters
///
/// - `dptr`: the address, exactly as it was given.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: no allocation and no mapping begins there.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the memory any more: synchronize first.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemFree")]
#[doc(alias = "cudaFree")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemFree_v2;

/// Tells how much device memory is free, and how much there is.
///
/// All processes take from it: the number is out of date when it is read.
///
/// # Parameters
///
/// - `free`: where the number of free bytes is put.
/// - `total`: where the number of all bytes is put.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemGetInfo")]
#[doc(alias = "cudaMemGetInfo")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemGetInfo_v2;

/// Copies bytes from host memory to device memory, and returns when that is done.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcHost`: where from.
/// - `ByteCount`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyHtoD")]
#[doc(alias = "cudaMemcpy")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyHtoD_v2;

/// Copies bytes from device memory to host memory, and returns when that is done.
///
/// # Parameters
///
/// - `dstHost`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoH")]
#[doc(alias = "cudaMemcpy")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoH_v2;

/// Copies bytes from device memory to device memory. It may return before that is done; later work in the
/// default stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoD")]
#[doc(alias = "cudaMemcpy")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoD_v2;

/// Enqueues in a stream a copy of bytes from host memory to device memory.
///
/// Where the host memory is pageable, it may return only after the bytes are read.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcHost`: where from.
/// - `ByteCount`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyHtoDAsync")]
#[doc(alias = "cudaMemcpyAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyHtoDAsync_v2;

/// Enqueues in a stream a copy of bytes from device memory to host memory.
///
/// Where the host memory is pageable, it may return only after the copy is done.
///
/// # Parameters
///
/// - `dstHost`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoHAsync")]
#[doc(alias = "cudaMemcpyAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoHAsync_v2;

/// Enqueues in a stream a copy of bytes from device memory to device memory.
///
/// # Parameters
///
/// - `dstDevice`: where to.
/// - `srcDevice`: where from.
/// - `ByteCount`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpyDtoDAsync")]
#[doc(alias = "cudaMemcpyAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpyDtoDAsync_v2;

/// Copies a box of bytes between host memory, device memory and arrays, and returns when that is done.
///
/// The way to read and write an imported image: take a level by [`cuMipmappedArrayGetLevel`].
///
/// # Parameters
///
/// - `pCopy`: what is copied where. Read during the call.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a box that goes beyond its array or pitch, or a memory type that is
///   none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` names must be valid for the box.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpy3D")]
#[doc(alias = "cudaMemcpy3D")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpy3D_v2;

/// Enqueues in a stream what [`cuMemcpy3D_v2`] does.
///
/// # Parameters
///
/// - `pCopy`: what is copied where. Read during the call.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a box that goes beyond its array or pitch, or a memory type that is
///   none.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: `hStream` is no stream.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// What `pCopy` names must be valid for the box until the copy is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemcpy3DAsync")]
#[doc(alias = "cudaMemcpy3DAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemcpy3DAsync_v2;

/// Sets bytes of device memory. It may return before that is done; later work in the default stream comes
/// after it.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address.
/// - `uc`: what each is set to.
/// - `N`: how many bytes.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemsetD8")]
#[doc(alias = "cudaMemset")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD8_v2;

/// Enqueues in a stream the setting of bytes of device memory.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address.
/// - `uc`: what each is set to.
/// - `N`: how many bytes.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context, or a range beyond
///   it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid until the work is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemsetAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD8Async;

/// Sets words of 32 bits of device memory. It may return before that is done; later work in the default
/// stream comes after it.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address, aligned to 4 bytes.
/// - `ui`: what each is set to.
/// - `N`: how many words of 32 bits.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context or is not aligned,
///   or a range beyond it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuMemsetD32")]
#[doc(alias = "cudaMemset")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD32_v2;

/// Enqueues in a stream the setting of words of 32 bits of device memory.
///
/// # Parameters
///
/// - `dstDevice`: the first one's address, aligned to 4 bytes.
/// - `ui`: what each is set to.
/// - `N`: how many words of 32 bits.
/// - `hStream`: the stream; null is the default stream.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: an address that is no device memory of this context or is not aligned,
///   or a range beyond it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be valid until the work is done.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaMemsetAsync")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemsetD32Async;

// Mipmapped arrays, which images are mapped as.

/// Gives one level of a mipmapped array, as an array.
///
/// # Parameters
///
/// - `pLevelArray`: where the level is put. It is a part of the mipmapped array, goes with it, and is not
///   freed.
/// - `hMipmappedArray`: the mipmapped array.
/// - `level`: 0 is the largest; each one is half as wide, high and deep as the one before, and at least 1.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: there is no such level.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no mipmapped array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 5.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaGetMipmappedArrayLevel")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMipmappedArrayGetLevel;

/// Frees a mipmapped array; for one from [`cuExternalMemoryGetMappedMipmappedArray`] that ends the mapping.
///
/// It comes before [`cuDestroyExternalMemory`]. The exporter's image stays.
///
/// # Parameters
///
/// - `hMipmappedArray`: the mipmapped array.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no mipmapped array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the array, its levels, or textures and surfaces made of them any more.
///
/// Since CUDA 5.0. Source: driver API manual, "Memory Management".
#[doc(alias = "cudaFreeMipmappedArray")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMipmappedArrayDestroy;

/// Tells an array's extent, format and flags: what the driver made of an imported image.
///
/// # Parameters
///
/// - `pArrayDescriptor`: filled in.
/// - `hArray`: the array, for example a level.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: a null pointer.
/// - [`CUDA_ERROR_INVALID_HANDLE`]: it is no array.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Since CUDA 3.2. Source: driver API manual, "Memory Management".
#[doc(alias = "cuArray3DGetDescriptor")]
#[doc(alias = "cudaArrayGetInfo")]
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuArray3DGetDescriptor_v2;

// Memory that CUDA itself allocates, maps and exports.

/// Tells what sizes and addresses of [`cuMemCreate`], [`cuMemAddressReserve`] and [`cuMemMap`] must be
/// multiples of; mostly 2 MiB.
///
/// # Parameters
///
/// - `granularity`: where the number of bytes is put.
/// - `prop`: the properties that the memory will have.
/// - `option`: the smallest possible or the recommended number.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: properties that no memory can have, or a null pointer.
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: the device has no virtual memory management.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemGetAllocationGranularity;

/// Allocates device memory with properties, among them that it can be exported. It has no address before
/// [`cuMemMap`].
///
/// What it makes is a dedicated allocation of its own; its size is a multiple of the granularity, and that
/// is also the size to import.
///
/// # Parameters
///
/// - `handle`: where the handle is put.
/// - `size`: bytes, a multiple of [`cuMemGetAllocationGranularity`].
/// - `prop`: where it is, and what it can be exported as.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: `size` is 0 or no multiple, or properties that no memory can have.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: `prop.location` is none.
/// - [`CUDA_ERROR_NOT_PERMITTED`], [`CUDA_ERROR_NOT_SUPPORTED`]: this system does not export as
///   `requestedHandleTypes` says.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Both pointers must be valid for their types.
///
/// Undone by [`cuMemRelease`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemCreate;

/// Gives the handle of an allocation back. The memory goes once its mappings and its exported handles are
/// gone too.
///
/// # Parameters
///
/// - `handle`: the handle.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: it is none.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// It must come from [`cuMemCreate`] and be given back once only.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemRelease;

/// Exports an allocation: as a file descriptor on Linux, as an NT handle on Windows.
///
/// A file descriptor of it can be imported by [`cuImportExternalMemory`] as
/// [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`], in this process or another: CUDA alone can go the whole
/// way.
///
/// # Parameters
///
/// - `shareableHandle`: where the handle is put: a C `int` for a file descriptor. It is the caller's, to
///   close or to give away.
/// - `handle`: the allocation.
/// - `handleType`: one of those that `requestedHandleTypes` had.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the allocation was not made for this type.
/// - [`CUDA_ERROR_NOT_SUPPORTED`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `shareableHandle` must be valid for what `handleType` puts there.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemExportToShareableHandle;

/// Exports a range of device memory as a dma-buf, for other drivers.
///
/// CUDA does not import it again: driver 580.159 on an H200 answers [`CUDA_ERROR_NOT_SUPPORTED`].
///
/// # Parameters
///
/// - `handle`: where the file descriptor is put, a C `int`. It is the caller's, to close.
/// - `dptr`: the first byte, at a boundary of the host's pages.
/// - `size`: bytes, whole pages of the host.
/// - `handleType`: [`CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD`].
/// - `flags`: 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_NOT_SUPPORTED`]: [`CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED`] is 0.
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not aligned, or not mapped throughout.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `handle` must be valid for a C `int`.
///
/// Since CUDA 11.7. Source: driver API manual, "Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemGetHandleForAddressRange;

/// Reserves a range of device addresses, with no memory behind it.
///
/// # Parameters
///
/// - `ptr`: where the first address is put.
/// - `size`: bytes, a multiple of the granularity.
/// - `alignment`: of the address; 0 for none in particular, else a power of two.
/// - `addr`: an address that would suit; 0 for none in particular.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - [`CUDA_ERROR_INVALID_VALUE`]: a number that is no multiple.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The pointer must be valid for its type.
///
/// Undone by [`cuMemAddressFree`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemAddressReserve;

/// Gives a range of device addresses back.
///
/// # Parameters
///
/// - `ptr`: its first address.
/// - `size`: its size in bytes, as it was reserved.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: it is not such a range, or something is still mapped in it.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the addresses any more.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemAddressFree;

/// Maps an allocation at reserved addresses. [`cuMemSetAccess`] must follow before anything reads or writes
/// there.
///
/// # Parameters
///
/// - `ptr`: the first address, in a reserved range.
/// - `size`: bytes, a multiple of the granularity.
/// - `offset`: must be 0.
/// - `handle`: the allocation.
/// - `flags`: must be 0.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not reserved, is mapped already, or is larger than the
///   allocation.
/// - [`CUDA_ERROR_OUT_OF_MEMORY`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// The range must be the caller's.
///
/// Undone by [`cuMemUnmap`]. Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemMap;

/// Takes a mapping away again. It may wait for all work of the device.
///
/// # Parameters
///
/// - `ptr`: the first address.
/// - `size`: bytes, as they were mapped.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: it is not a mapping, or only a part of one.
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// Nothing may use the addresses any more.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemUnmap;

/// Says which devices may read and write mapped memory.
///
/// # Parameters
///
/// - `ptr`: the first address.
/// - `size`: bytes, whole mappings.
/// - `desc`: one entry for each device.
/// - `count`: how many entries.
///
/// # Errors
///
/// - [`CUDA_ERROR_INVALID_VALUE`]: the range is not mapped, or a null pointer.
/// - [`CUDA_ERROR_INVALID_DEVICE`]: no such device.
/// - [`CUDA_ERROR_NOT_SUPPORTED`].
/// - Those of [every call](crate#errors-that-any-call-can-return).
///
/// # Safety
///
/// `desc` must have `count` entries.
///
/// Since CUDA 10.2. Source: driver API manual, "Virtual Memory Management".
#[cfg(any(feature = "load", feature = "link"))]
pub use crate::bindings::cuMemSetAccess;

// Types and constants.

/// The release of the cuda.h that these bindings are of: 13050 is 13.5.
///
/// It says what this program was built with. What the machine's driver serves is another number:
/// [`cuDriverGetVersion`].
pub use crate::bindings::CUDA_VERSION;

/// What every call returns: [`CUDA_SUCCESS`], which is 0, or an error.
///
/// `{:?}` prints the name where these bindings know it, and the number where they do not, without asking
/// the driver. A newer driver's code is a value like any other. Some errors come from work that was
/// enqueued earlier: [what a code means](crate#errors-that-any-call-can-return).
///
/// ```
/// use cuda_external_sys::*;
///
/// assert_eq!(format!("{CUDA_ERROR_INVALID_VALUE:?}"), "CUDA_ERROR_INVALID_VALUE");
/// assert_eq!(format!("{:?}", CUresult(9140)), "CUresult(9140)");
/// ```
#[doc(alias = "cudaError_t")]
#[doc(alias = "cudaError")]
#[doc(alias = "CUDA_ERROR")]
pub use crate::bindings::CUresult;
pub use crate::bindings::CUresult_values::*;

/// A device: its ordinal, as [`cuDeviceGet`] gives it.
pub use crate::bindings::CUdevice;

/// A property of a device, for [`cuDeviceGetAttribute`].
///
/// The constants are those of the cuda.h that the bindings are of, under its names. A driver that does not
/// know one answers [`CUDA_ERROR_INVALID_VALUE`].
#[doc(alias = "cudaDeviceAttr")]
pub use crate::bindings::CUdevice_attribute;
pub use crate::bindings::CUdevice_attribute_values::*;

/// A device's UUID, from [`cuDeviceGetUuid_v2`].
#[doc(alias = "cudaUUID_t")]
pub use crate::bindings::CUuuid;

/// A context: the address space and the state of one process on one device.
///
/// A pointer of the driver's own. Other CUDA crates have the same type under the same name; a pointer cast
/// converts.
pub use crate::bindings::CUcontext;

/// What [`CUcontext`] points to: known to the driver alone.
pub use crate::bindings::CUctx_st;

/// A stream: work that the device does in order. Null is the default stream.
///
/// A pointer of the driver's own, and the same as the runtime API's `cudaStream_t`. Other CUDA crates have
/// the same type under the same name; a pointer cast converts.
#[doc(alias = "cudaStream_t")]
pub use crate::bindings::CUstream;

/// What [`CUstream`] points to: known to the driver alone.
pub use crate::bindings::CUstream_st;

/// How a stream stands to the default stream, for [`cuStreamCreate`].
///
/// - [`CU_STREAM_DEFAULT`]: each waits for the other.
/// - [`CU_STREAM_NON_BLOCKING`]: neither does.
pub use crate::bindings::CUstream_flags;
pub use crate::bindings::CUstream_flags_values::*;

/// A device address: a number of 64 bits, not a pointer that the host could read.
///
/// An offset is added to it in bytes.
pub use crate::bindings::CUdeviceptr;

/// What an end of a copy is, in [`CUDA_MEMCPY3D`]: host memory, device memory, an array, or (unified)
/// whatever the address says.
pub use crate::bindings::CUmemorytype;
pub use crate::bindings::CUmemorytype_values::*;

/// A box of bytes and its two ends, for [`cuMemcpy3D_v2`].
///
/// ```
/// use cuda_external_sys::*;
///
/// /// Level 0 of a 2D array of 4-byte elements, all of it, into host memory without padding.
/// fn download(array: CUarray, width: usize, height: usize, to: &mut [u8]) -> CUDA_MEMCPY3D {
///     assert_eq!(to.len(), width * height * 4);
///     CUDA_MEMCPY3D {
///         srcMemoryType: CU_MEMORYTYPE_ARRAY,
///         srcArray: array,
///         dstMemoryType: CU_MEMORYTYPE_HOST,
///         dstHost: to.as_mut_ptr().cast(),
///         dstPitch: width * 4,
///         dstHeight: height,
///         WidthInBytes: width * 4,
///         Height: height,
///         Depth: 1,
///         ..Default::default()
///     }
/// }
/// # download(std::ptr::null_mut(), 2, 2, &mut [0; 16]);
/// ```
#[doc(alias = "cudaMemcpy3DParms")]
pub use crate::bindings::CUDA_MEMCPY3D;

/// What an array is: its extent, its elements and its kind. [How to fill it in for an
/// image](crate::memory#images).
#[doc(alias = "cudaChannelFormatDesc")]
#[doc(alias = "cudaExtent")]
pub use crate::bindings::CUDA_ARRAY3D_DESCRIPTOR;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array has layers, and `Depth` counts them. For 1D and
/// 2D array images and arrays of cubes.
#[doc(alias = "cudaArrayLayered")]
pub use crate::bindings::CUDA_ARRAY3D_LAYERED;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): kernels may write the array through surfaces. For Vulkan,
/// where the image has `VK_IMAGE_USAGE_STORAGE_BIT` and kernels use it so.
#[doc(alias = "cudaArraySurfaceLoadStore")]
pub use crate::bindings::CUDA_ARRAY3D_SURFACE_LDST;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array is a cube, `Width` equals `Height`, and `Depth`
/// is 6; with [`CUDA_ARRAY3D_LAYERED`] it is several, and `Depth` 6 times their number.
#[doc(alias = "cudaArrayCubemap")]
pub use crate::bindings::CUDA_ARRAY3D_CUBEMAP;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): textures of the array allow gathering. 2D only.
#[doc(alias = "cudaArrayTextureGather")]
pub use crate::bindings::CUDA_ARRAY3D_TEXTURE_GATHER;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the array holds depth values.
pub use crate::bindings::CUDA_ARRAY3D_DEPTH_TEXTURE;

/// In [`Flags`](CUDA_ARRAY3D_DESCRIPTOR::Flags): the exporter may draw into the image. It must be set
/// exactly where the image has `VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT`,
/// `D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET` or `D3D11_BIND_RENDER_TARGET`.
#[doc(alias = "cudaArrayColorAttachment")]
pub use crate::bindings::CUDA_ARRAY3D_COLOR_ATTACHMENT;

/// An array: an image in a tiling of the GPU's own. From [`cuMipmappedArrayGetLevel`].
#[doc(alias = "cudaArray_t")]
pub use crate::bindings::CUarray;

/// What [`CUarray`] points to: known to the driver alone.
pub use crate::bindings::CUarray_st;

/// What one channel of an array's element is.
///
/// | constant | Vulkan's suffix | in a channel |
/// |---|---|---|
/// | [`CU_AD_FORMAT_UNSIGNED_INT8`], `_INT16`, `_INT32` | `_UINT` | an unsigned integer |
/// | [`CU_AD_FORMAT_SIGNED_INT8`], `_INT16`, `_INT32` | `_SINT` | a signed integer |
/// | [`CU_AD_FORMAT_HALF`] | `_SFLOAT`, 16 bits | a half float |
/// | [`CU_AD_FORMAT_FLOAT`] | `_SFLOAT`, 32 bits | a float |
///
/// An image of `_UNORM` or `_SNORM` channels is mapped as the unsigned or signed integers of the same
/// width; a texture can read these as 0 to 1. The constants whose names say `UNORM`, `SNORM`, `BC`, `NV12`
/// or another video layout stand for whole elements of that kind, channels included; their names say which.
#[doc(alias = "cudaChannelFormatKind")]
pub use crate::bindings::CUarray_format;
pub use crate::bindings::CUarray_format_values::*;

/// An array with mip levels: what an image is mapped as, by [`cuExternalMemoryGetMappedMipmappedArray`].
#[doc(alias = "cudaMipmappedArray_t")]
pub use crate::bindings::CUmipmappedArray;

/// What [`CUmipmappedArray`] points to: known to the driver alone.
pub use crate::bindings::CUmipmappedArray_st;

/// An allocation of [`cuMemCreate`]: a number, and no address.
pub use crate::bindings::CUmemGenericAllocationHandle;

/// What [`cuMemCreate`] allocates. Begin with `default()`.
///
/// ```
/// use cuda_external_sys::*;
///
/// // On device 0, to be exported as a file descriptor.
/// let prop = CUmemAllocationProp {
///     type_: CU_MEM_ALLOCATION_TYPE_PINNED,
///     requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
///     location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
///     ..Default::default()
/// };
/// # let _ = prop;
/// ```
pub use crate::bindings::CUmemAllocationProp;

/// Rarely used properties of an allocation. `default()` is none of them.
pub use crate::bindings::CUmemAllocationProp_allocFlags;

/// The kind of an allocation: [`CU_MEM_ALLOCATION_TYPE_PINNED`], memory that stays where it is.
pub use crate::bindings::CUmemAllocationType;
pub use crate::bindings::CUmemAllocationType_values::*;

/// What an allocation can be exported as.
///
/// - [`CU_MEM_HANDLE_TYPE_NONE`]: nothing.
/// - [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`]: a file descriptor, on Linux.
/// - [`CU_MEM_HANDLE_TYPE_WIN32`]: an NT handle, on Windows.
/// - [`CU_MEM_HANDLE_TYPE_WIN32_KMT`]: a KMT handle, on Windows.
/// - `CU_MEM_HANDLE_TYPE_FABRIC`, in newer releases: a handle for other machines of an NVLink fabric.
pub use crate::bindings::CUmemAllocationHandleType;
pub use crate::bindings::CUmemAllocationHandleType_values::*;

/// Which granularity [`cuMemGetAllocationGranularity`] tells: the smallest that works, or the one that
/// works best.
pub use crate::bindings::CUmemAllocationGranularity_flags;
pub use crate::bindings::CUmemAllocationGranularity_flags_values::*;

/// What [`CUmemLocation::id`] counts.
///
/// - [`CU_MEM_LOCATION_TYPE_INVALID`]: nothing; `default()`.
/// - [`CU_MEM_LOCATION_TYPE_DEVICE`]: devices, by ordinal.
/// - The others, of newer releases: places in the host's memory and parts of a device.
pub use crate::bindings::CUmemLocationType;
pub use crate::bindings::CUmemLocationType_values::*;

/// A device, and what it may do with mapped memory, for [`cuMemSetAccess`].
pub use crate::bindings::CUmemAccessDesc;

/// What a device may do with mapped memory: nothing, read, or read and write.
pub use crate::bindings::CUmemAccess_flags;
pub use crate::bindings::CUmemAccess_flags_values::*;

/// What [`cuMemGetHandleForAddressRange`] exports: [`CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD`].
pub use crate::bindings::CUmemRangeHandleType;
pub use crate::bindings::CUmemRangeHandleType_values::*;

/// Where memory is, or who accesses it.
///
/// Written by hand: a later release made `id` an arm of a union without a name, for which Rust has no
/// spelling that suits every release. Size, alignment and the place of both fields are the same in all of
/// them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// What `id` counts.
    pub type_: CUmemLocationType,
    /// The device's ordinal, for [`CU_MEM_LOCATION_TYPE_DEVICE`].
    pub id: c_int,
}

impl Default for CUmemLocation {
    fn default() -> Self {
        Self { type_: CUmemLocationType(0), id: 0 }
    }
}
