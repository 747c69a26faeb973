//! `extern_driver!`, for functions that this crate does not bind.

/// Declares functions of the driver that this crate does not bind.
///
/// The declared functions are called like this crate's. With the feature `load` the first call of a function looks up
/// its address, after loading the driver if none is loaded. Each later call only reads the address and jumps to it. If
/// the driver or the function is missing, each call returns the error of
/// [`Driver::resolve_exact`](crate::Driver::resolve_exact). With `link` alone the linker binds the functions.
///
/// ```
/// use core::ffi::{c_int, c_uint, c_void};
/// use cuda_external_sys::*;
///
/// # #[cfg(any(feature = "load", feature = "link"))]
/// extern_driver! {
///     /// The number of bytes of a device's memory.
///     pub fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult;
///     #[link_name = "cuStreamWriteValue64_v2"]
///     fn cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: u64, flags: c_uint) -> CUresult;
/// }
///
/// # #[cfg(feature = "load")] {
/// let mut bytes = 0;
/// match unsafe { cuDeviceTotalMem_v2(&mut bytes, 0) } {
///     CUDA_SUCCESS => println!("{bytes} bytes"),
///     error => println!("{error}"), // without a driver, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED (303)
/// }
/// # }
/// ```
///
/// The name is the driver's symbol, unless `#[link_name]` gives another one, as a literal or by `concat!`. In the
/// newest `cuda.h` some names are macros for a later version, such as `cuMemAdvise` for `cuMemAdvise_v2`. The driver's
/// symbol `cuMemAdvise` is an older function. So a declaration of such a name without `#[link_name]` does not compile
/// (except `cuEventElapsedTime`): declare the versioned function, as above.
///
/// ```compile_fail,E0080
/// cuda_external_sys::extern_driver! {
///     fn cuMemAdvise(ptr: u64, count: usize, advice: u32, device: i32) -> cuda_external_sys::CUresult;
/// }
/// ```
///
/// The types must be those of the driver's function: nothing compares them with `cuda.h`. The result is
/// [`CUresult`](crate::CUresult), or a type of the same layout that implements `From<CUresult>`: `i32` or `u32`.
///
/// If neither `load` nor `link` is on, each use of the macro is a compile error.
#[cfg(any(feature = "load", feature = "link"))]
#[macro_export]
macro_rules! extern_driver {
    ($(
        $(#[$($attribute:tt)*])*
        $visibility:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {$(
        $crate::__take_link_name! {
            [$(#[$($attribute)*])*] [] $visibility fn $name($($arg: $ty),*) -> $ret;
        }
    )*};

    ($($other:tt)*) => {
        ::core::compile_error! {
            "extern_driver! takes declarations as in an extern block: `pub fn cuName(flags: c_uint) -> CUresult;`, without \
             `unsafe`, `extern` and generics"
        }
    };
}

/// Finds `#[link_name]` among the attributes of one function.
#[cfg(any(feature = "load", feature = "link"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_link_name {
    ([#[link_name $($any:tt)*] $($rest:tt)*] $kept:tt exact $($function:tt)*) => {
        ::core::compile_error! { "extern_driver!: a function has one symbol: leave one `link_name`" }
    };
    // The fragment is an expression, so that `concat!` can be used.
    ([#[link_name = $symbol:expr] $($rest:tt)*] $kept:tt $($function:tt)*) => {
        $crate::__take_link_name! { [$($rest)*] $kept exact $symbol; $($function)* }
    };
    ([#[cfg_attr($condition:meta, link_name $($any:tt)*)] $($rest:tt)*] $($function:tt)*) => {
        ::core::compile_error! {
            "extern_driver!: a `link_name` in `cfg_attr` is not seen: write two declarations, each with its `cfg`"
        }
    };
    ([#[$($attribute:tt)*] $($rest:tt)*] [$($kept:tt)*] $($function:tt)*) => {
        $crate::__take_link_name! { [$($rest)*] [$($kept)* #[$($attribute)*]] $($function)* }
    };
    ([] $kept:tt exact $symbol:expr; $($function:tt)*) => {
        $crate::__driver_function! { exact $symbol; $kept $($function)* }
    };
    ([] $kept:tt $visibility:vis fn $name:ident $($function:tt)*) => {
        $crate::__driver_function! { of_name $name; $kept $visibility fn $name $($function)* }
    };
}

/// Declares functions of the driver that this crate does not bind. If neither `load` nor `link` is on, each use of the
/// macro is a compile error:
///
/// ```compile_fail
/// cuda_external_sys::extern_driver! {
///     fn cuProfilerStart() -> cuda_external_sys::CUresult;
/// }
/// ```
#[cfg(not(any(feature = "load", feature = "link")))]
#[macro_export]
macro_rules! extern_driver {
    ($($any:tt)*) => {
        ::core::compile_error! {
            "extern_driver! needs the feature `load` or `link` of the crate cuda-external-sys: without them there is \
             nothing to call"
        }
    };
}
