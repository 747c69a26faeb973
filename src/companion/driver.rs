//! The driver and its errors.

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
/// What this family returns:
///
/// | code | in short |
/// |---|---|
/// | [`CUDA_SUCCESS`] | done, or for an asynchronous call enqueued |
/// | [`CUDA_ERROR_INVALID_VALUE`] | an argument or a field that cannot be; a range beyond the memory |
/// | [`CUDA_ERROR_NOT_SUPPORTED`] | a handle type that this platform or device does not take |
/// | [`CUDA_ERROR_UNKNOWN`] | a file descriptor that is not what it is said to be |
/// | [`CUDA_ERROR_INVALID_HANDLE`] | a handle that is none; a crash is as likely |
/// | [`CUDA_ERROR_OPERATING_SYSTEM`] | the system refused, for example too many open files |
/// | [`CUDA_ERROR_OUT_OF_MEMORY`] | no memory, of the device or of the host |
/// | [`CUDA_ERROR_NOT_READY`] | the stream is not done yet: an answer of [`cuStreamQuery`], not a failure |
/// | [`CUDA_ERROR_TIMEOUT`] | a keyed mutex was not released in time |
/// | [`CUDA_ERROR_NOT_INITIALIZED`], [`CUDA_ERROR_INVALID_CONTEXT`] | [`cuInit`] or [`cuCtxSetCurrent`] is missing |
/// | [`CUDA_ERROR_CONTEXT_IS_DESTROYED`] | the context was released while it was current |
/// | [`CUDA_ERROR_NO_DEVICE`] | no GPU that CUDA may use |
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
