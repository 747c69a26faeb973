//! How a function of the driver is called in `load` mode.

/// Declares functions of the driver that this crate does not bind.
///
/// They are called as this crate's own functions are: the driver is loaded and the function is looked up at the first call,
/// and from the second one on, a call is one load and one indirect jump. A missing driver or function is a
/// [`CUresult`](crate::CUresult), as [`Driver::resolve`](crate::Driver::resolve) returns it.
///
/// ```
/// use core::ffi::{c_int, c_uint, c_void};
/// use cuda_external_sys::*;
///
/// extern_driver! {
///     /// The number of bytes of a device's memory.
///     pub fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult;
///     fn cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: u64, flags: c_uint) -> CUresult;
/// }
///
/// let mut bytes = 0;
/// match unsafe { cuDeviceTotalMem_v2(&mut bytes, 0) } {
///     CUDA_SUCCESS => println!("{bytes} bytes"),
///     error => println!("{error}"), // without a driver, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED (303)
/// }
/// ```
///
/// The types are the declaration's: nothing compares them with `cuda.h`. What is declared must be what the driver has, and
/// the result must be [`CUresult`](crate::CUresult). A name that `cuda.h` of CUDA 13.5 defines as a macro means the
/// versioned function, as in [`Driver::symbol`](crate::Driver::symbol). Some of these names meant another version in earlier
/// releases, so write the version: `cuMemAdvise_v2`.
///
/// Without the feature `load` there is no driver to look in, and the macro is a compile error that says so.
#[cfg(feature = "load")]
#[macro_export]
macro_rules! extern_driver {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {$(
        $(#[$attribute])*
        #[inline]
        #[allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
        $visibility unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            /// Starts at `resolve`, which replaces itself. Where it fails it stays, and looks again at the next call.
            static SLOT: ::core::sync::atomic::AtomicPtr<::core::ffi::c_void> =
                ::core::sync::atomic::AtomicPtr::new(resolve as *mut ::core::ffi::c_void);

            #[cold]
            unsafe extern "C" fn resolve($($arg: $ty),*) -> $ret {
                // SAFETY: the only zero is the one at the end.
                let name = unsafe {
                    ::core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes())
                };
                match $crate::Driver::resolve(name) {
                    Ok(symbol) => {
                        // Release, and Acquire below: the thread that reads the address also sees the library that
                        // another thread opened. On x86-64 and AArch64 that is still one plain instruction.
                        SLOT.store(symbol.as_ptr(), ::core::sync::atomic::Ordering::Release);
                        // SAFETY: the driver's function of this name has this type, as declared.
                        unsafe {
                            ::core::mem::transmute::<
                                *mut ::core::ffi::c_void,
                                unsafe extern "C" fn($($ty),*) -> $ret,
                            >(symbol.as_ptr())($($arg),*)
                        }
                    }
                    Err(code) => code,
                }
            }

            let function = SLOT.load(::core::sync::atomic::Ordering::Acquire);
            // SAFETY: the slot holds `resolve` or the driver's function, both of this type, and the caller keeps its rules.
            unsafe {
                ::core::mem::transmute::<*mut ::core::ffi::c_void, unsafe extern "C" fn($($ty),*) -> $ret>(function)(
                    $($arg),*
                )
            }
        }
    )*};
}

/// Declares functions of the driver that this crate does not bind. It needs the feature `load`:
///
/// ```compile_fail
/// cuda_external_sys::extern_driver! {
///     fn cuProfilerStart() -> cuda_external_sys::CUresult;
/// }
/// ```
#[cfg(not(feature = "load"))]
#[macro_export]
macro_rules! extern_driver {
    ($($any:tt)*) => {
        ::core::compile_error!(
            "extern_driver! needs the feature `load` of the crate cuda-external-sys: the functions are looked up in the \
             driver's library when they are called"
        );
    };
}
