//! The functions of the driver's headers that are not implemented. A program that is linked with one of them starts
//! only if the library has it.

/// Declares functions without their parameters, which they do not read.
macro_rules! not_implemented_functions {
    ($($name:ident)*) => {
        $(
            #[allow(non_snake_case)]
            #[cfg_attr(feature = "symbols", unsafe(no_mangle))]
            extern "C" fn $name() -> cuda_external_sys::CUresult {
                use $crate::driver::base::functions_macro::{CallRequirement, run_call};
                let refuse = || Err(cuda_external_sys::CUDA_ERROR_NOT_SUPPORTED);
                run_call(stringify!($name), CallRequirement::NotImplemented, refuse)
            }
        )*
        pub const FUNCTIONS: &[&[$crate::driver::base::functions_macro::NamedFunction]] =
            &[&[$((stringify!($name), $name as *const ())),*]];
    };
}

pub mod refused_calls;

pub mod absent_calls {
    // The build script compares the rows of `functions!` with the names of the headers.
    include!(concat!(env!("OUT_DIR"), "/absent_functions.rs"));
}

/// Returns whether a function is one of these.
#[cfg(test)]
pub fn is_not_implemented(name: &str) -> bool {
    absent_calls::FUNCTIONS[0].binary_search_by_key(&name, |(name, _)| name).is_ok()
}
