//! The code that every function returns, its name and its description.

#[cfg(doc)]
use crate::*; // for the links

/// The result of every function: [`CUDA_SUCCESS`], which is 0, or an error.
///
/// The type implements `Error`, and [`result`](CUresult::result) makes a `Result` for the operator `?`. `{}` prints the
/// name and the number, and `{:?}` prints the name. Neither needs the driver. `i32::from` returns the number, which is
/// an `i32` on every platform, and `CUresult::from` converts the number back. The type can also hold a newer driver's
/// code that these bindings do not know: such a code prints without a name but with its number, and
/// [`name`](CUresult::name) returns `None`.
///
/// The table explains some codes of the functions for external memory, external semaphores and streams. The meanings
/// come from cuda.h and from this project's measurements. Another table has the [codes that any call can
/// return](crate#errors-that-any-call-can-return). Some of those codes come from work that was enqueued earlier.
///
/// | code | meaning |
/// |---|---|
/// | [`CUDA_SUCCESS`] | done; for an asynchronous call, enqueued |
/// | [`CUDA_ERROR_INVALID_VALUE`] | an invalid argument or field; a range that exceeds the memory |
/// | [`CUDA_ERROR_NOT_SUPPORTED`] | a handle type that this platform or device does not support |
/// | [`CUDA_ERROR_UNKNOWN`] | *measured* for imports of a closed file descriptor, of a file that is neither exported memory nor an exported semaphore, and of another GPU's Vulkan memory that is not dedicated |
/// | [`CUDA_ERROR_INVALID_HANDLE`] | an invalid handle; some calls return `CUDA_ERROR_INVALID_VALUE` or crash instead |
/// | [`CUDA_ERROR_OPERATING_SYSTEM`] | a call to the operating system failed (*not verified*) |
/// | [`CUDA_ERROR_NOT_READY`] | work is unfinished: a result of [`cuStreamQuery`] and [`cuEventQuery`], not a failure |
/// | [`CUDA_ERROR_TIMEOUT`] | a keyed mutex was not released in time |
/// | [`CUDA_ERROR_CONTEXT_IS_DESTROYED`] | the current context or the stream's context was destroyed or released |
///
/// ```
/// use cuda_external_sys::*;
///
/// assert_eq!(CUDA_SUCCESS.result(), Ok(()));
/// assert_eq!(CUDA_ERROR_INVALID_VALUE.result(), Err(CUDA_ERROR_INVALID_VALUE));
/// assert_eq!(CUDA_ERROR_INVALID_VALUE.to_string(), "CUDA_ERROR_INVALID_VALUE (1)");
/// assert_eq!(format!("{CUDA_ERROR_INVALID_VALUE:?}"), "CUDA_ERROR_INVALID_VALUE");
/// assert_eq!(CUresult::from(9140).to_string(), "unknown CUDA error (9140)");
/// assert_eq!((CUDA_ERROR_UNKNOWN.name(), i32::from(CUDA_ERROR_UNKNOWN)), (Some("CUDA_ERROR_UNKNOWN"), 999));
/// ```
#[doc(alias = "cudaError_t")]
#[doc(alias = "cudaError")]
#[doc(alias = "CUDA_ERROR")]
pub use crate::bindings::CUresult;

export_functions! {
    /// Returns the name of an error, for example `CUDA_ERROR_INVALID_VALUE`.
    ///
    /// This function may be called before [`cuInit`]. `{}` and `{:?}` of a [`CUresult`] print the name without the
    /// driver, which may be missing or too old to know the code. *Measured*: a toolkit's stub library crashes in
    /// this function.
    ///
    /// # Parameters
    ///
    /// - `pStr`: receives the address of the text, which is NUL-terminated ASCII. The driver owns the text: do not
    ///   change or free it.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: this driver does not know the code; the address is then null.
    ///
    /// # Safety
    ///
    /// `pStr` must be valid for writing a pointer.
    #[doc(alias = "cudaGetErrorName")]
    pub use crate::bindings::cuGetErrorName;

    /// Returns a description of an error, in English. The parameters and errors are those of [`cuGetErrorName`].
    ///
    /// # Safety
    ///
    /// `pStr` must be valid for writing a pointer.
    #[doc(alias = "cudaGetErrorString")]
    pub use crate::bindings::cuGetErrorString;
}
