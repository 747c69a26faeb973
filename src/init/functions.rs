//! The functions of [`crate::init`].

#[cfg(doc)]
use crate::*; // for the links

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
pub use crate::bindings::cuDriverGetVersion;
