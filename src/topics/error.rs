//! The code that every function returns, its name and its description.

#[cfg(doc)]
use crate::*; // for the links

/// The result of every function: [`CUDA_SUCCESS`], which is 0, or an error.
///
/// The type implements `Error`, and [`result`](CUresult::result) makes a `Result` for the operator `?`. `{}` prints the
/// name and the number, and `{:?}` prints the name, both without the driver. [`name`](CUresult::name) returns the name.
/// `i32::from` returns the number, an `i32` on every platform, and `CUresult::from` converts the number back. The type
/// can also hold a newer driver's code that these bindings do not know: such a code prints with its number. [Some
/// errors](crate#errors-that-any-call-can-return) come from work that was enqueued earlier.
///
/// The table has the meanings of codes that the functions for external memory, semaphores and streams return. These
/// meanings come from cuda.h's descriptions of the codes, from the codes' names and from this project's measurements.
///
/// | code | meaning |
/// |---|---|
/// | [`CUDA_SUCCESS`] | done; for an asynchronous call, enqueued |
/// | [`CUDA_ERROR_INVALID_VALUE`] | an invalid argument or field; a range that exceeds the memory |
/// | [`CUDA_ERROR_NOT_SUPPORTED`] | a handle type that this platform or device does not support |
/// | [`CUDA_ERROR_UNKNOWN`] | a file descriptor that is closed, or is neither exported memory nor an exported semaphore; another GPU's Vulkan memory that is not dedicated (*measured*) |
/// | [`CUDA_ERROR_INVALID_HANDLE`] | an invalid handle; the driver may crash instead |
/// | [`CUDA_ERROR_OPERATING_SYSTEM`] | a call to the operating system failed (*not verified*) |
/// | [`CUDA_ERROR_NOT_READY`] | the stream has unfinished work: a result of [`cuStreamQuery`], not a failure |
/// | [`CUDA_ERROR_TIMEOUT`] | a keyed mutex was not released in time |
/// | [`CUDA_ERROR_CONTEXT_IS_DESTROYED`] | the current context was destroyed or released |
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
    /// driver, which may be missing or too old to know the code. *Measured*: a toolkit's stub library crashes in this
    /// function.
    ///
    /// # Parameters
    ///
    /// - `pStr`: receives the address of the text: NUL-terminated ASCII. The text belongs to the
    ///   driver, never changes and is never freed.
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
