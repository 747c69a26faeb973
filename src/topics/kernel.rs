//! Loading a module of code, finding a kernel in it, and launching the kernel.
//!
//! A mapped buffer is passed to a kernel as its address, a `u64`. A mapped image is passed as a [texture or surface
//! object](crate::texture), which is a `u64` too. The example `kernel` runs a kernel on a Vulkan buffer, and the
//! example `image_in_place` runs one on a Vulkan image.

#[cfg(doc)]
use crate::*; // for the links

/// A module: code that is loaded into a context. An opaque handle of the driver: never dereference it.
///
/// [Any thread](crate::context#contexts-and-threads) may use a module. `.cast()` converts another crate's `CUmodule`.
pub use crate::bindings::CUmodule;

/// The driver's private struct, to which a [`CUmodule`] points.
pub use crate::bindings::CUmod_st;

/// A kernel of a module, from [`cuModuleGetFunction`]. An opaque handle of the driver: never dereference it.
///
/// Unloading the module frees the kernel.
#[doc(alias = "cudaFunction_t")]
pub use crate::bindings::CUfunction;

/// The driver's private struct, to which a [`CUfunction`] points.
pub use crate::bindings::CUfunc_st;

export_functions! {
    /// Loads a module into the current context, from code in memory.
    ///
    /// PTX is compiled for the device during the call. By default the driver caches the result on disk. A cubin for
    /// compute capability 8.0 also runs on 8.6, but not on 9.0: the major numbers must be equal, and the device's minor
    /// number must not be lower than the cubin's. The rule is from NVIDIA's programming guide, and does not hold for
    /// Tegra.
    ///
    /// # Parameters
    ///
    /// - `image`: a cubin, a fat binary, NUL-terminated PTX or, since CUDA 13.1, Tile IR. The bytes need not outlive
    ///   the call.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_PTX`]: the PTX does not compile.
    /// - [`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`]: the PTX's `.version` is too new for the driver.
    /// - [`CUDA_ERROR_NO_BINARY_FOR_GPU`]: no code for this device in the image.
    /// - [`CUDA_ERROR_JIT_COMPILER_NOT_FOUND`]: the driver does not find its PTX compiler. On Linux this is
    ///   `libnvidia-ptxjitcompiler.so.1`, which a container may lack.
    /// - [`CUDA_ERROR_INVALID_IMAGE`]: `image` is not code (*measured* on driver 580.159.04, not listed in the manual).
    /// - [`CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`]: a link to a shared object failed to resolve.
    /// - [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`]: a shared object failed to initialize.
    ///
    /// # Safety
    ///
    /// `module` must be valid for writing a pointer. `image` must point to complete code, which for PTX includes the
    /// NUL: the call takes no length.
    ///
    /// Unload the module with [`cuModuleUnload`].
    pub use crate::bindings::cuModuleLoadData;

    /// Unloads a module from the current context.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_PERMITTED`]: the module belongs to a `CUlibrary` (`cuLibraryGetModule` returned the module).
    ///
    /// # Safety
    ///
    /// The module must be unloaded only once, and none of its kernels may run or be used any more.
    pub use crate::bindings::cuModuleUnload;

    /// Returns a kernel of a module by its name.
    ///
    /// # Parameters
    ///
    /// - `name`: the name, NUL-terminated. A C++ kernel has its mangled name unless it is `extern "C"`.
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_NOT_FOUND`]: no kernel of that name.
    ///
    /// # Safety
    ///
    /// `hfunc` must be valid for writing a pointer, `name` must be a C string, and `hmod` must still be loaded.
    pub use crate::bindings::cuModuleGetFunction;

    /// Enqueues a launch of a kernel in a stream. No dimension of the grid or of a block may be 0.
    ///
    /// The driver copies the arguments during the call. If the kernel fails, later calls return a sticky error.
    ///
    /// # Parameters
    ///
    /// - `kernelParams`: an array with a pointer to each argument of the kernel, in order. It must be null
    ///   if `extra` passes the arguments, and may be null if the kernel has no arguments.
    /// - `extra`: null, or a list of names and values that describes one buffer with all arguments (see the manual).
    ///
    /// # Errors
    ///
    /// - [`CUDA_ERROR_INVALID_VALUE`]: both `kernelParams` and `extra` pass arguments. One of them must be null.
    /// - [`CUDA_ERROR_INVALID_HANDLE`]: an invalid handle.
    /// - [`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`]: too many arguments, or too many threads for the kernel's registers.
    /// - [`CUDA_ERROR_INVALID_IMAGE`]: the module does not describe the kernel's parameters.
    /// - [`CUDA_ERROR_LAUNCH_FAILED`]: earlier work failed. The error is sticky.
    /// - [`CUDA_ERROR_LAUNCH_TIMEOUT`]: earlier work ran for too long. The error is sticky.
    /// - [`CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING`]: an incompatible texturing mode.
    /// - [`CUDA_ERROR_SHARED_OBJECT_INIT_FAILED`], [`CUDA_ERROR_NOT_FOUND`]: the manual gives no reasons.
    ///
    /// # Safety
    ///
    /// `kernelParams` or `extra`'s buffer must have all arguments. Each pointer in `kernelParams` must be valid for
    /// reading its argument. The kernel must not access unmapped memory, or cause a data race with another API.
    #[doc(alias = "cudaLaunchKernel")]
    pub use crate::bindings::cuLaunchKernel;
}
