//! Makes the items of each bound function: the type of a pointer to the function and, with `load` or `link`, the
//! function. In the bindings' text, `as` precedes an item's second name: `cuMemAlloc` for `cuMemAlloc_v2`.

/// Defines the type of a pointer to each function, in a module, so that the types do not crowd the documentation.
macro_rules! pointer_types {
    ($(
        $name:ident: $pfn:ident $(as $plain:ident: $plain_pfn:ident)? ($($arg:ident: $ty:ty),*) -> $ret:ty;
    )*) => {
        pub mod pfn {
            use super::*;
            $(
                #[cfg_attr(doc, doc = concat!("A pointer to [`", stringify!($name), "`]."))]
                pub type $pfn = unsafe extern "C" fn($($arg: $ty),*) -> $ret;
                $(
                    #[cfg_attr(doc, doc = concat!("A pointer to [`", stringify!($plain), "`]."))]
                    pub type $plain_pfn = $pfn;
                )?
            )*
        }
    };
}

/// Defines the functions, their pointer types, the second names of both, and a table of the functions' second names.
#[cfg(any(feature = "load", feature = "link"))]
macro_rules! driver_functions {
    ($(
        pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)?
        ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {
        pointer_types! { $($name: $pfn $(as $plain: $plain_pfn)? ($($arg: $ty),*) -> $ret;)* }
        callable_functions! { $($name: $pfn ($($arg: $ty),*) -> $ret;)* }
        $($(
            #[cfg_attr(doc, doc = concat!(
                "[`", stringify!($name), "`] by the name that C programs write, which is a macro in cuda.h. Here \
                 both names are the same function."
            ))]
            pub use self::$name as $plain;
        )?)*

        /// C's name of each function that has two names, and the NUL-terminated symbol.
        pub(crate) const VERSIONED_SYMBOLS: &[(&str, &str)] =
            &[$($((stringify!($plain), concat!(stringify!($name), "\0")),)?)*];
    };
}

/// Declares the functions for the linker, in `link` mode.
#[cfg(all(feature = "link", not(feature = "load")))]
macro_rules! callable_functions {
    ($($name:ident: $pfn:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        #[cfg_attr(windows, link(name = "nvcuda", kind = "raw-dylib"))]
        unsafe extern "C" {
            $(pub fn $name($($arg: $ty),*) -> $ret;)*
        }
    };
}

/// Defines each function with a slot (see slot.rs), in `load` mode: the feature `load` is on, and `link` may be on too.
#[cfg(feature = "load")]
macro_rules! callable_functions {
    ($($name:ident: $pfn:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        $(__slot! {
            crate::__symbols::exact(concat!(stringify!($name), "\0")), pfn::$pfn;
            [] pub fn $name($($arg: $ty),*) -> $ret;
        })*
    };
}

/// Defines only the pointer types, and a macro for the functions' exports, since neither `load` nor `link` is on.
#[cfg(not(any(feature = "load", feature = "link")))]
macro_rules! driver_functions {
    ($(
        pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)?
        ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {
        pointer_types! { $($name: $pfn $(as $plain: $plain_pfn)? ($($arg: $ty),*) -> $ret;)* }

        /// Re-exports the functions at the crate's root, under the condition that `load` or `link` is on. Since neither
        /// is on, nothing is exported. If a program names a function, the compiler's error shows the condition.
        macro_rules! gated_function_exports {
            () => {
                #[cfg(any(feature = "load", feature = "link"))]
                pub use bindings::{$($name, $($plain,)?)*};
            };
        }
    };
}
