//! Initialization of the driver, and the versions of the driver and of these bindings.

#[cfg(doc)]
use crate::*; // for the links

/// The release of the cuda.h that these bindings were made from: 13050 is 13.5.
///
/// [`cuDriverGetVersion`] returns the newest release that the machine's driver supports.
pub use crate::bindings::CUDA_VERSION;

export_functions! {
    /// Initializes the driver in this process. Call `cuInit` before every other function except [`cuDriverGetVersion`],
    /// [`cuGetErrorName`] and [`cuGetErrorString`].
    ///
    /// Calling `cuInit` again has no further effect. A child that this process forks after `cuInit` cannot use CUDA.
    ///
    /// # Parameters
    ///
    /// - `Flags`: must be 0.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NO_DEVICE`]: the driver finds no GPU, or `CUDA_VISIBLE_DEVICES` hides every GPU.
    /// - [`CUDA_ERROR_INVALID_DEVICE`]: `CUDA_DEVICE_ORDER` is set, but not to `FASTEST_FIRST` or `PCI_BUS_ID`.
    /// - [`CUDA_ERROR_SYSTEM_DRIVER_MISMATCH`]: the driver's library and its kernel module are of different releases,
    ///   for example after an update without a restart.
    /// - [`CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE`]: the forward compatibility library does not support the GPU.
    ///
    /// # Safety
    ///
    /// There is nothing that the caller must guarantee.
    pub use crate::bindings::cuInit;

    /// Returns the newest CUDA release that the driver supports: 13000 is 13.0.
    ///
    /// This function may be called before [`cuInit`]. [`Driver::version`] returns the same number, or 0 if this
    /// function failed.
    ///
    /// # Safety
    ///
    /// `driverVersion` must be valid for writing an `int`.
    #[doc(alias = "cudaDriverGetVersion")]
    pub use crate::bindings::cuDriverGetVersion;
}
