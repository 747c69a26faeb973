//! The macro `export!`, which declares a C function by its `PFN_` type, so that no signature is written twice.

/// Implemented by a function type: `PfnType` is the type of its parameter with the index `PLACE`.
pub trait PfnParameter<const PLACE: usize> {
    type PfnType;
}

pub trait PfnResult {
    type PfnType;
}

macro_rules! functions {
    ($($all:ident)*; $($place:literal $one:ident)*) => {
        impl<Result, $($all),*> PfnResult for unsafe extern "C" fn($($all),*) -> Result {
            type PfnType = Result;
        }
        functions! { @parameters ($($all)*) $($place $one)* }
    };
    (@parameters $all:tt $($place:literal $one:ident)*) => { $(functions! { @one $all $place $one })* };
    (@one ($($all:ident)*) $place:literal $one:ident) => {
        impl<Result, $($all),*> PfnParameter<$place> for unsafe extern "C" fn($($all),*) -> Result {
            type PfnType = $one;
        }
    };
}
functions! { ; }
functions! { A; 0 A }
functions! { A B; 0 A 1 B }
functions! { A B C; 0 A 1 B 2 C }
functions! { A B C D; 0 A 1 B 2 C 3 D }
functions! { A B C D E; 0 A 1 B 2 C 3 D 4 E }
functions! { A B C D E F; 0 A 1 B 2 C 3 D 4 E 5 F }
functions! { A B C D E F G; 0 A 1 B 2 C 3 D 4 E 5 F 6 G }
functions! { A B C D E F G H; 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H }
functions! { A B C D E F G H I; 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I }
functions! { A B C D E F G H I J; 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J }
functions! { A B C D E F G H I J K; 0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H 8 I 9 J 10 K }

/// Declares a function with the types of a `PFN_` type, and with names for the parameters:
///
/// ```
/// type PFN_twice = unsafe extern "C" fn(u32) -> u64;
/// cuda_external_in_process::export! { fn twice: PFN_twice, (number) { u64::from(number) * 2 } }
/// assert_eq!(unsafe { twice(4) }, 8);
/// ```
///
/// The `PFN_` type is an `unsafe extern "C"` type with at most eleven parameters: no other type implements the traits
/// that the macro uses. The macro does not take Vulkan's function types, which are `extern "system"`.
#[macro_export]
macro_rules! export {
    ($(#[$meta:meta])* $visible:vis fn $name:ident: $pfn:ty, ($($arg:ident),* $(,)?) $body:block) => {
        $crate::export! {
            @places [$(#[$meta])*] [$visible] $name [$pfn] [] ($($arg),*) [0 1 2 3 4 5 6 7 8 9 10] $body
        }
    };
    // Pairs each parameter with its index.
    (@places $meta:tt $visible:tt $name:ident $pfn:tt [$($done:tt)*] ($arg:ident $(, $args:ident)*)
        [$place:literal $($places:literal)*] $body:block) => {
        $crate::export! {
            @places $meta $visible $name $pfn [$($done)* $arg $place] ($($args),*) [$($places)*] $body
        }
    };
    (@places [$($meta:tt)*] [$visible:vis] $name:ident [$pfn:ty] [$($arg:ident $place:literal)*] () $rest:tt
        $body:block) => {
        $($meta)*
        #[allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)] // C's name and rules
        $visible unsafe extern "C" fn $name(
            $($arg: <$pfn as $crate::PfnParameter<$place>>::PfnType),*
        ) -> <$pfn as $crate::PfnResult>::PfnType $body
        const _: $pfn = $name;
    };
}
