//! How every function of the driver is declared, and what happens before its body.

use cuda_external_sys::*;

use super::answer::{Answer, called};
use super::{due, process};

/// A function, by the name that the library exports.
pub type Function = (&'static str, unsafe extern "C" fn());

/// Whether the function works before `cuInit`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Init,
}

/// Runs a function's body, unless the driver is not ready or a fault is due.
pub fn enter(name: &'static str, needs: Needs, body: impl FnOnce() -> Answer) -> CUresult {
    called(name);
    let result = match needs {
        Needs::Init => process::usable().and_then(|()| due::before(name)),
        // Faults have a lock.
        Needs::Nothing if process::is_forked() => Ok(()),
        Needs::Nothing => due::before(name),
    };
    result.and_then(|()| body()).err().unwrap_or(CUDA_SUCCESS)
}

/// The types of a function's parameters, by their places.
pub trait Parameter<const PLACE: usize> {
    type Type;
}

macro_rules! parameters {
    ($all:tt $($place:literal $one:ident)*) => { $(parameters!(@ $all $place $one);)* };
    (@ ($($all:ident)*) $place:literal $one:ident) => {
        impl<$($all),*> Parameter<$place> for unsafe extern "C" fn($($all),*) -> CUresult {
            type Type = $one;
        }
    };
}
parameters!((A) 0 A);
parameters!((A B) 0 A 1 B);
parameters!((A B C) 0 A 1 B 2 C);
parameters!((A B C D) 0 A 1 B 2 C 3 D);
parameters!((A B C D E) 0 A 1 B 2 C 3 D 4 E);
parameters!((A B C D E F) 0 A 1 B 2 C 3 D 4 E 5 F);
parameters!((A B C D E F G H I J K) 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J 10 K);

/// Declares functions of the driver, with their types in the bindings. With the feature `symbols` they are C symbols, else
/// reached through the table alone. Several names are versions that do the same.
///
/// A body runs in an unsafe block: its pointers are as valid as cuda.h requires, and only null is checked.
macro_rules! functions {
    ($($needs:ident fn $($name:ident)|+: $pfn:ty, $arguments:tt $body:block)*) => {
        $($($crate::driver::call::function!(
            $name $needs $pfn, [] $arguments [0 1 2 3 4 5 6 7 8 9 10] $body
        );)+)*
        // SAFETY: any function's address may have this type until it is called by its own.
        pub const FUNCTIONS: &[$crate::driver::call::Function] = &[$($((stringify!($name), unsafe {
            std::mem::transmute::<$pfn, unsafe extern "C" fn()>($name)
        })),+),*];
    };
}
pub(crate) use functions;

/// One function: gives the parameters their places, one after the other, and then their types.
macro_rules! function {
    ($name:ident $needs:ident $pfn:ty, [$($done:tt)*] ($arg:ident $(, $args:ident)*) [$place:literal $($places:literal)*]
     $body:block) => {
        $crate::driver::call::function!(
            $name $needs $pfn, [$($done)* $arg $place] ($($args),*) [$($places)*] $body
        );
    };
    ($name:ident $needs:ident $pfn:ty, [$($arg:ident $place:literal)*] () $places:tt $body:block) => {
        #[allow(non_snake_case)]
        #[cfg_attr(feature = "symbols", unsafe(no_mangle))]
        unsafe extern "C" fn $name(
            $($arg: <$pfn as $crate::driver::call::Parameter<$place>>::Type),*
        ) -> cuda_external_sys::CUresult {
            use $crate::driver::call::{Needs, enter};
            enter(stringify!($name), Needs::$needs, || {
                #[allow(unused_unsafe)]
                // SAFETY: the caller's pointers are as cuda.h requires.
                unsafe { $body }
            })
        }
        const _: $pfn = $name;
    };
}
pub(crate) use function;
