//! Copying between host memory, device memory and arrays, and filling device memory.
//!
//! The mapping of an imported buffer has an address. Functions such as [`cuMemcpyDtoH_v2`] copy a range of bytes, and
//! [`cuMemcpy2D_v2`] copies a rectangle of rows with a pitch. A level of an imported image is an array
//! ([`cuMipmappedArrayGetLevel`]). [`cuMemcpy2D_v2`] and [`cuMemcpy3D_v2`] copy from and to arrays.
//!
//! Functions with `Async` in their names enqueue the work in a stream. The other functions work in the default stream.
//! If semaphores order the work, use the `Async` functions in the stream that waits and signals:
//! [one stream](crate::semaphore#one-stream).
//!
//! Whether a function returns before its copy or fill is done depends on the function and on the memory: [when a copy
//! returns](crate::semaphore#when-a-copy-returns).
//!
//! A range, rectangle or box must lie within its memory or array. In memory with a pitch, a row of a rectangle or box
//! must end within the pitch. The address of a fill with a 32-bit value must be a multiple of 4.

#[cfg(doc)]
use crate::*; // for the links

/// The kind of a copy's source or destination, in [`CUDA_MEMCPY2D`] and [`CUDA_MEMCPY3D`]: host memory, device memory
/// or an array. For [`CU_MEMORYTYPE_UNIFIED`] the driver determines the kind from `srcDevice` or `dstDevice`.
pub use crate::bindings::CUmemorytype;
pub use crate::bindings::CUmemorytype_values::*;

/// A rectangle of bytes, its source and its destination, for [`cuMemcpy2D_v2`]. Begin with `default()`.
///
/// In the source the rectangle begins at the byte `srcXInBytes` of the row `srcY`, and in the destination at the byte
/// `dstXInBytes` of the row `dstY`. A pitch is the distance in bytes from one row to the next. In host or device
/// memory, `srcPitch` must be at least `srcXInBytes + WidthInBytes`, and `dstPitch` at least
/// `dstXInBytes + WidthInBytes`. For an array the pitch is ignored, and `srcXInBytes` or `dstXInBytes` must be a
/// multiple of the element's size. *Measured* on an H100 and an H200: driver 580.159.04 accepts other offsets too.
///
/// ```
/// use cuda_external_sys::*;
///
/// /// Describes a copy of level 0 of a mapped image with 4-byte texels to a buffer with rows of `pitch` bytes.
/// fn to_buffer(image: CUarray, buffer: CUdeviceptr, pitch: usize, width: usize, height: usize) -> CUDA_MEMCPY2D {
///     CUDA_MEMCPY2D {
///         srcMemoryType: CU_MEMORYTYPE_ARRAY,
///         srcArray: image,
///         dstMemoryType: CU_MEMORYTYPE_DEVICE,
///         dstDevice: buffer,
///         dstPitch: pitch,
///         WidthInBytes: width * 4,
///         Height: height,
///         ..Default::default()
///     }
/// }
/// # to_buffer(std::ptr::null_mut(), 0, 256, 64, 64);
/// ```
#[doc(alias = "cudaMemcpy2DToArray")]
#[doc(alias = "cudaMemcpy2DFromArray")]
pub use crate::bindings::CUDA_MEMCPY2D;

/// A box of bytes, its source and its destination, for [`cuMemcpy3D_v2`]. Begin with `default()`.
/// `Depth` is the number of slices or layers to copy: 1 for a 2D array without layers.
#[doc(alias = "cudaMemcpy3DParms")]
pub use crate::bindings::CUDA_MEMCPY3D;

export_functions! {
    /// Copies bytes from host memory to device memory.
    ///
    /// With pageable host memory, the call may return before the bytes have arrived: [when a copy
    /// returns](crate::semaphore#when-a-copy-returns).
    ///
    /// # Safety
    ///
    /// Both ranges must be valid for `ByteCount` bytes and must not overlap. The range in device memory must stay valid
    /// until the bytes have arrived.
    #[doc(alias = "cudaMemcpy")]
    pub use crate::bindings::cuMemcpyHtoD_v2;

    /// Asynchronously copies bytes from host memory to device memory.
    ///
    /// If the host memory is pageable, the call may block until the stream's earlier work is done and the bytes are in
    /// staging memory. It may also block until the copy is done.
    ///
    /// # Safety
    ///
    /// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
    #[doc(alias = "cudaMemcpyAsync")]
    pub use crate::bindings::cuMemcpyHtoDAsync_v2;

    /// Copies bytes from device memory to host memory. The call returns when the copy is done.
    ///
    /// # Safety
    ///
    /// Both ranges must be valid for `ByteCount` bytes and must not overlap.
    #[doc(alias = "cudaMemcpy")]
    pub use crate::bindings::cuMemcpyDtoH_v2;

    /// Asynchronously copies bytes from device memory to host memory.
    ///
    /// If the host memory is pageable, the call may block until the copy is done. It then also blocks while the stream
    /// waits for a semaphore.
    ///
    /// # Safety
    ///
    /// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
    #[doc(alias = "cudaMemcpyAsync")]
    pub use crate::bindings::cuMemcpyDtoHAsync_v2;

    /// Copies bytes from device memory to device memory.
    ///
    /// The call may return before the copy is done. Later work in the default stream comes after the copy.
    ///
    /// # Safety
    ///
    /// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
    #[doc(alias = "cudaMemcpy")]
    pub use crate::bindings::cuMemcpyDtoD_v2;

    /// Asynchronously copies bytes from device memory to device memory.
    ///
    /// # Safety
    ///
    /// Both ranges must be valid for `ByteCount` bytes until the copy is done, and must not overlap.
    #[doc(alias = "cudaMemcpyAsync")]
    pub use crate::bindings::cuMemcpyDtoDAsync_v2;

    /// Copies bytes between two addresses, of the device or of the host.
    ///
    /// The driver determines from each address whether the memory is the host's or the device's. Host memory is passed
    /// as a [`CUdeviceptr`] too.
    ///
    /// # Safety
    ///
    /// Both addresses must be valid for `ByteCount` bytes, and host memory must outlive the copy.
    #[doc(alias = "cudaMemcpy")]
    pub use crate::bindings::cuMemcpy;

    /// Copies a rectangle of bytes between host memory, pitched device memory and arrays.
    ///
    /// Each level of an imported image is an array. For a copy from pageable host memory or within the device, the call
    /// may return before the copy is done: [when a copy returns](crate::semaphore#when-a-copy-returns). Later work in
    /// the default stream comes after the copy.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: a row of the rectangle does not end within the pitch, or a pitch is above
    ///   [`CU_DEVICE_ATTRIBUTE_MAX_PITCH`].
    ///
    /// A copy within the device may also fail for a pitch that [`cuMemAllocPitch`](cuMemAllocPitch_v2) did not choose.
    /// [`cuMemcpy2DUnaligned_v2`] does not have this restriction.
    ///
    /// # Safety
    ///
    /// The memory and arrays that `pCopy` describes must be valid for the rectangle until the copy is done.
    #[doc(alias = "cudaMemcpy2D")]
    #[doc(alias = "cudaMemcpy2DToArray")]
    #[doc(alias = "cudaMemcpy2DFromArray")]
    pub use crate::bindings::cuMemcpy2D_v2;

    /// Copies a rectangle of bytes as [`cuMemcpy2D_v2`] does, also with a pitch that CUDA did not choose.
    ///
    /// For a pitch that [`cuMemcpy2D_v2`] rejects, this function may be much slower than for other pitches.
    ///
    /// # Safety
    ///
    /// The memory and arrays that `pCopy` describes must be valid for the rectangle until the copy is done.
    #[doc(alias = "cudaMemcpy2D")]
    pub use crate::bindings::cuMemcpy2DUnaligned_v2;

    /// Asynchronously copies a rectangle of bytes as [`cuMemcpy2D_v2`] does.
    ///
    /// # Safety
    ///
    /// The memory and arrays that `pCopy` describes must be valid for the rectangle until the copy is done.
    #[doc(alias = "cudaMemcpy2DAsync")]
    pub use crate::bindings::cuMemcpy2DAsync_v2;

    /// Copies a box of bytes between host memory, pitched device memory and arrays.
    ///
    /// Each level of an imported image is an array with all of the level's layers or slices. For a copy from pageable
    /// host memory or within the device, the call may return before the copy is done, as with [`cuMemcpy2D_v2`].
    ///
    /// # Safety
    ///
    /// The memory and arrays that `pCopy` describes must be valid for the box until the copy is done.
    #[doc(alias = "cudaMemcpy3D")]
    pub use crate::bindings::cuMemcpy3D_v2;

    /// Asynchronously copies a box of bytes as [`cuMemcpy3D_v2`] does.
    ///
    /// # Safety
    ///
    /// The memory and arrays that `pCopy` describes must be valid for the box until the copy is done.
    #[doc(alias = "cudaMemcpy3DAsync")]
    pub use crate::bindings::cuMemcpy3DAsync_v2;

    /// Fills device memory with a byte value.
    ///
    /// The call may return before the memory is filled. Later work in the default stream comes after the fill.
    ///
    /// # Safety
    ///
    /// The range must be device memory that is not freed before it is filled.
    #[doc(alias = "cudaMemset")]
    pub use crate::bindings::cuMemsetD8_v2;

    /// Asynchronously fills device memory with a byte value.
    ///
    /// # Safety
    ///
    /// The range must be device memory that is not freed before it is filled.
    #[doc(alias = "cudaMemsetAsync")]
    pub use crate::bindings::cuMemsetD8Async;

    /// Fills device memory with a 32-bit value.
    ///
    /// The call may return before the memory is filled. Later work in the default stream comes after the fill.
    ///
    /// # Safety
    ///
    /// The range must be device memory that is not freed before it is filled.
    pub use crate::bindings::cuMemsetD32_v2;

    /// Asynchronously fills device memory with a 32-bit value.
    ///
    /// # Safety
    ///
    /// The range must be device memory that is not freed before it is filled.
    pub use crate::bindings::cuMemsetD32Async;

    // In cuda.h these names are macros for the functions with the suffix `_v2`.
    pub use crate::bindings::{
        cuMemcpy2D, cuMemcpy2DAsync, cuMemcpy2DUnaligned, cuMemcpy3D, cuMemcpy3DAsync, cuMemcpyDtoD,
        cuMemcpyDtoDAsync, cuMemcpyDtoH, cuMemcpyDtoHAsync, cuMemcpyHtoD, cuMemcpyHtoDAsync, cuMemsetD8,
        cuMemsetD32,
    };
}
