//! The macro that declares the driver's functions, and the checks that run before a function's body.

use cuda_external_in_process::CancellationDisabled;
use cuda_external_sys::*;

use super::active_faults;
use super::init_state;
use super::results_and_params::{CudaResult, is_in_callback, set_current_function};
use super::unsupported_notices::print_unsupported_once;

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

pub fn run_call(name: &'static str, needs: CallRequirement, body: impl FnOnce() -> CudaResult) -> CUresult {
    // pthread_cancel would unwind the thread through frames that do not allow unwinding.
    let _no_cancellation = CancellationDisabled::disable_cancellation();
    set_current_function(name);
    let result = match needs {
        CallRequirement::Init | CallRequirement::NotImplemented if is_in_callback() => {
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

/// Declares driver functions, which are C symbols with the feature `symbols`, and lists them in `FUNCTIONS`.
///
/// A row may omit a function's last parameters. `+_ptsz` or `+_ptds` adds variants for the per-thread default stream.
///
/// A body runs in an unsafe block: the program must pass pointers that cuda.h allows. Bodies check only for null.
macro_rules! functions {
    ($($needs:ident fn $($name:ident)|+ $(+ $form:ident)? $(: $pfn:ty,)? ($($arguments:tt)*) $body:block)*) => {
        $(functions! { @typed each [[$($name)+] $needs $body] [$($pfn)?] ($($arguments)*) })*
        pub const FUNCTIONS: &[&[$crate::driver::base::functions_macro::NamedFunction]] =
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
                use $crate::driver::base::functions_macro::{CallRequirement, run_call};
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
                $crate::driver::base::results_and_params::call_with_per_thread_stream(|| unsafe { $name $arguments })
            }
        }
    };
}
