//! Errors: the code that every function returns, and its name and description.

#[cfg(doc)]
use crate::*; // for the links

#[cfg(any(feature = "load", feature = "link"))]
mod functions;
#[cfg(any(feature = "load", feature = "link"))]
pub use functions::*;

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
