//! The macro that exports the layer's versions of the driver's functions.

use std::ffi::{CStr, c_void};

use crate::layer::host_process::driver_functions::RealDriverFunction;

pub struct WrappedFunction {
    pub function: *const c_void,
    pub real: RealDriverFunction,
}

// SAFETY: `function` points to code, which no thread writes.
unsafe impl Sync for WrappedFunction {}

impl WrappedFunction {
    /// Describes a wrapped function. `name` ends in a zero byte.
    pub const fn new(name: &'static str, function: *const c_void) -> Self {
        let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { panic!("a zero at the end") };
        Self { function, real: RealDriverFunction::new(name) }
    }
}

/// Exports functions that run their row's code while the check is active, and otherwise call the driver. In a row, a
/// slash precedes the functions for the per-thread default stream, and a colon precedes the functions' type, whose name
/// is from `cuda_external_sys::pfn`.
macro_rules! wrap {
    ($(
        $($name:ident)|+ $(/ $($per_thread:ident)|+)? $(: $pfn:ident)? ($($args:tt)*) |$call:ident| $body:expr;
    )*) => {
        $($crate::layer::wrapped::wrap_macro::wrap! {
            @row [$($name)+] [$($($per_thread)+)?] [$($pfn)?] ($($args)*) |$call| $body
        })*
        pub static WRAPPED_FUNCTIONS: &[&$crate::layer::wrapped::wrap_macro::WrappedFunction] =
            &[$($(&$name::WRAPPED_FUNCTION),+ $(, $(&$per_thread::WRAPPED_FUNCTION),+)?),*];
    };
    (@row [$($name:ident)+] [$($per_thread:ident)*] $pfn:tt $args:tt |$call:ident| $body:expr) => {
        $($crate::layer::wrapped::wrap_macro::wrap! { @typed LEGACY $name $pfn $args |$call| $body })+
        $($crate::layer::wrapped::wrap_macro::wrap! { @typed PER_THREAD $per_thread $pfn $args |$call| $body })*
    };
    (@typed $stream:ident $name:ident [$pfn:ident] $args:tt |$call:ident| $body:expr) => {
        $crate::layer::wrapped::wrap_macro::wrap! {
            @one $stream $name [cuda_external_sys::pfn::$pfn] $args |$call| $body
        }
    };
    (@typed $stream:ident $name:ident [] ($($arg:ident: $ty:ty),* $(,)?) |$call:ident| $body:expr) => {
        $crate::layer::wrapped::wrap_macro::wrap! {
            @one $stream $name [unsafe extern "C" fn($($ty),*) -> CUresult] ($($arg),*) |$call| $body
        }
    };
    (@one $stream:ident $name:ident [$pfn:ty] ($($arg:ident),* $(,)?) |$call:ident| $body:expr) => {
        #[allow(non_snake_case)] // cuda.h's name
        mod $name {
            use $crate::layer::wrapped::wrap_macro::WrappedFunction;
            pub static WRAPPED_FUNCTION: WrappedFunction =
                WrappedFunction::new(concat!(stringify!($name), "\0"), super::$name as *const std::ffi::c_void);
        }
        cuda_external_in_process::export! {
            #[cfg_attr(feature = "library", unsafe(no_mangle))]
            pub fn $name: $pfn, ($($arg),*) {
                let driver = || -> CUresult {
                    let address = $name::WRAPPED_FUNCTION.real.driver_address();
                    if address.is_null() {
                        return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
                    }
                    // SAFETY: `$pfn` is the type of the driver's function, and the program passes its arguments.
                    unsafe { std::mem::transmute::<*mut std::ffi::c_void, $pfn>(address)($($arg),*) }
                };
                if $crate::layer::host_process::current_process::active_check().is_none() {
                    return driver();
                }
                let mut call = $crate::layer::chassis::wrapped_call::WrappedCall::new(
                    stringify!($name),
                    $crate::layer::state_tracker::stream_identity::$stream,
                    &driver,
                );
                let $call = &mut call;
                // SAFETY: the program's arguments are as the driver needs them.
                #[allow(unused_unsafe)] // not every function looks at what its pointers point to
                let answer = unsafe { $body };
                call.send_findings();
                $crate::layer::chassis::wrapped_call::IntoResultCode::into_result_code(answer)
            }
        }
    };
}
pub(super) use wrap;
