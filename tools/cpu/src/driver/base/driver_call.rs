//! A call of the driver: the checks before a function's body, how the body reads and writes the program's memory, and
//! the macro that declares functions.

use std::cell::Cell;
use std::ffi::{CStr, c_char};

use cuda_external_in_process::CancellationDisabled;
use cuda_external_sys::*;

use super::active_faults;
use super::cuda_result::{CudaResult, ensure_valid};
use super::init_state;
use super::notices::{CURRENT_FUNCTION, print_unsupported_once};

pub type NamedFunction = (&'static str, *const ());

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallRequirement {
    Nothing,
    /// The function needs `cuInit`, and fails in a callback of a stream (measured, 580.159).
    Init,
    /// The function needs `cuInit`, and works in a callback of a stream.
    InitInCallback,
    /// As `Init`, for a function that is not implemented.
    NotImplemented,
}

thread_local! {
    /// Whether a null stream is the thread's default stream in the call that this thread makes.
    pub static NULL_IS_PER_THREAD: Cell<bool> = const { Cell::new(false) };
    static IS_IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

pub fn run_call(name: &'static str, needs: CallRequirement, body: impl FnOnce() -> CudaResult) -> CUresult {
    // pthread_cancel would unwind the thread through frames that do not allow unwinding.
    let _no_cancellation = CancellationDisabled::disable_cancellation();
    CURRENT_FUNCTION.set(name);
    let result = match needs {
        CallRequirement::Init | CallRequirement::NotImplemented if IS_IN_CALLBACK.get() => {
            Err(CUDA_ERROR_NOT_PERMITTED)
        }
        CallRequirement::Init | CallRequirement::InitInCallback | CallRequirement::NotImplemented => {
            init_state::ensure_initialized().and_then(|()| active_faults::apply_faults(name))
        }
        // No faults apply in a child of fork: a thread of the parent may have held the lock of `ACTIVE_FAULTS`.
        CallRequirement::Nothing if init_state::is_forked() => Ok(()),
        CallRequirement::Nothing => active_faults::apply_faults(name),
    };
    let code = result.and_then(|()| {
        body().inspect_err(|code| {
            if *code == CUDA_ERROR_NOT_SUPPORTED {
                print_unsupported_once(name, needs == CallRequirement::NotImplemented);
            }
        })
    });
    code.err().unwrap_or(CUDA_SUCCESS)
}

/// Calls a callback of the program, in which most functions of the driver return an error.
pub fn run_refusing_driver_calls(call: impl FnOnce()) {
    IS_IN_CALLBACK.set(true);
    call();
    IS_IN_CALLBACK.set(false);
}

/// Makes a call for which a null stream is the thread's default stream.
pub fn call_with_per_thread_stream(call: impl FnOnce() -> CUresult) -> CUresult {
    let before = NULL_IS_PER_THREAD.replace(true);
    let code = call();
    NULL_IS_PER_THREAD.set(before);
    code
}

/// Writes a result, or returns INVALID_VALUE for null. Any other pointer must be valid for a write.
pub unsafe fn write_out<T>(pointer: *mut T, value: T) -> CudaResult {
    ensure_valid(!pointer.is_null())?;
    // SAFETY: the pointer is not null, and so valid for a write.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Calls a function and writes its result. For a null pointer, returns INVALID_VALUE and does not call the function.
pub unsafe fn write_created<T>(pointer: *mut T, make: impl FnOnce() -> CudaResult<T>) -> CudaResult {
    ensure_valid(!pointer.is_null())?;
    // SAFETY: the pointer is not null, and so valid for a write.
    unsafe { write_out(pointer, make()?) }
}

/// Writes a result, or does nothing for null. Any other pointer must be valid for a write.
pub unsafe fn write_out_if_wanted<T>(pointer: *mut T, value: T) -> CudaResult {
    // SAFETY: `pointer` is null, or valid for a write.
    unsafe { write_out(pointer, value) }.or(Ok(()))
}

/// Reads a parameter, or returns INVALID_VALUE for null. Any other pointer must be valid for reads during the call.
pub unsafe fn read_param<'a, T>(pointer: *const T) -> CudaResult<&'a T> {
    // SAFETY: the pointer is null, or valid for reads during the call.
    unsafe { pointer.as_ref() }.ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Returns the array of `count` items at `first`. If `count` is 0, returns an empty array, whatever `first` is. For any
/// other `count`, returns INVALID_VALUE if `first` is null or the size in bytes is impossible. If `first` is not null,
/// `first` must point to `count` items.
pub unsafe fn read_array<'a, T>(first: *const T, count: usize) -> CudaResult<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|size| isize::try_from(size).is_ok());
    ensure_valid(fits && !first.is_null())?;
    // SAFETY: the pointer is not null, and so valid for `count` elements.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

pub unsafe fn read_c_str<'a>(pointer: *const c_char) -> CudaResult<&'a CStr> {
    ensure_valid(!pointer.is_null())?;
    // SAFETY: the program passes null or a C string, and the pointer is not null.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Declares driver functions, which are C symbols with the feature `symbols`, and lists them in `FUNCTIONS`.
///
/// A row may omit a function's last parameters. `+_ptsz` or `+_ptds` adds variants for the per-thread default stream.
///
/// A body runs in an unsafe block: the program must pass pointers that cuda.h allows. Bodies check only for null.
macro_rules! functions {
    ($($needs:ident fn $($name:ident)|+ $(+ $form:ident)? $(: $pfn:ty,)? ($($arguments:tt)*) $body:block)*) => {
        $(functions! { @typed each [[$($name)+] $needs $body] [$($pfn)?] ($($arguments)*) })*
        pub const FUNCTIONS: &[&[$crate::driver::base::driver_call::NamedFunction]] =
            &[$(functions! { @typed entries [[$($name)+] [$($form)?]] [$($pfn)?] ($($arguments)*) }),*];
    };
    // Typed parameters become a function type and a list of names.
    (@typed $rule:ident $row:tt [] ($($argument:ident: $type:ty),*)) => {
        functions! { @$rule $row [unsafe extern "C" fn($($type),*) -> cuda_external_sys::CUresult] ($($argument),*) }
    };
    (@typed $rule:ident $row:tt [$pfn:ty] $arguments:tt) => { functions! { @$rule $row [$pfn] $arguments } };
    (@each [[$($name:ident)+] $needs:ident $body:block] $pfn:tt $arguments:tt) => {
        $(functions! { @one $needs $name $pfn $arguments $body })+
    };
    (@one $needs:ident $name:ident [$pfn:ty] $arguments:tt $body:block) => {
        cuda_external_in_process::export! {
            #[cfg_attr(feature = "symbols", unsafe(no_mangle))]
            fn $name: $pfn, $arguments {
                use $crate::driver::base::driver_call::{CallRequirement, run_call};
                run_call(stringify!($name), CallRequirement::$needs, || {
                    #[allow(unused_unsafe)]
                    // SAFETY: the program's pointers are null, or valid as cuda.h requires.
                    unsafe { $body }
                })
            }
        }
    };
    (@entries [[$($name:ident)+] []] $pfn:tt $arguments:tt) => {
        &[$((stringify!($name), $name as *const ())),+]
    };
    (@entries [[$($name:ident)+] [$form:ident]] $pfn:tt $arguments:tt) => {
        &[
            $((stringify!($name), $name as *const ()),)+
            $((concat!(stringify!($name), stringify!($form)), {
                functions! { @per_thread $name $form $pfn $arguments }
                per_thread_variant as *const ()
            })),+
        ]
    };
    (@per_thread $name:ident $form:ident [$pfn:ty] $arguments:tt) => {
        cuda_external_in_process::export! {
            #[cfg_attr(feature = "symbols", unsafe(export_name = concat!(stringify!($name), stringify!($form))))]
            fn per_thread_variant: $pfn, $arguments {
                // SAFETY: both functions require the same of their arguments.
                $crate::driver::base::driver_call::call_with_per_thread_stream(|| unsafe { $name $arguments })
            }
        }
    };
}
