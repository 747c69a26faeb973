//! A function of the driver: in `load` mode it has a slot, in `link` mode the linker binds it.

/// Declares one function. Its symbol is its own name (`of_name`), or the text of an attribute (`exact`).
#[cfg(feature = "load")]
#[doc(hidden)]
#[macro_export]
macro_rules! __driver_function {
    (
        $kind:ident $symbol:tt; $attributes:tt
        $visibility:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;
    ) => {
        $crate::__slot! {
            {
                const SYMBOL: &::core::ffi::CStr =
                    $crate::__symbols::$kind(::core::concat!($crate::__text!($kind $symbol), "\0"));
                SYMBOL
            },
            unsafe extern "C" fn($($ty),*) -> $ret;
            $attributes $visibility fn $name($($arg: $ty),*) -> $ret;
        }
    };
}

/// Declares one function by its symbol, an expression, and the type of a pointer to it.
#[cfg(feature = "load")]
#[doc(hidden)]
#[macro_export]
macro_rules! __slot {
    (
        $symbol:expr, $pointer:ty;
        [$($attribute:tt)*] $visibility:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;
    ) => {
        $($attribute)*
        #[inline]
        #[allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
        $visibility unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            // The items here have names that no parameter has.
            /// Starts at the resolver, which replaces itself. Where it fails it stays, and looks again at the next
            /// call.
            static __SLOT: ::core::sync::atomic::AtomicPtr<::core::ffi::c_void> =
                ::core::sync::atomic::AtomicPtr::new(__resolve as *mut ::core::ffi::c_void);

            #[cold]
            unsafe extern "C" fn __resolve($($arg: $ty),*) -> $ret {
                match $crate::Driver::resolve_exact($symbol) {
                    ::core::result::Result::Ok(symbol) => {
                        // The store is Release and the load below is Acquire: the thread that reads the address also
                        // sees the library that another thread opened. On x86-64 and AArch64 each is still one plain
                        // instruction.
                        __SLOT.store(symbol.as_ptr(), ::core::sync::atomic::Ordering::Release);
                        // SAFETY: the driver's function of this name has this type, as declared.
                        unsafe {
                            ::core::mem::transmute::<*mut ::core::ffi::c_void, $pointer>(symbol.as_ptr())($($arg),*)
                        }
                    }
                    ::core::result::Result::Err(code) => ::core::convert::From::from(code),
                }
            }

            let function = __SLOT.load(::core::sync::atomic::Ordering::Acquire);
            // SAFETY: the slot holds the resolver or the driver's function, both of this type. The arguments are those
            // that the caller of this unsafe function vouches for.
            unsafe { ::core::mem::transmute::<*mut ::core::ffi::c_void, $pointer>(function)($($arg),*) }
        }
    };
}

/// The text of a symbol: a name, or a literal that is one already.
#[cfg(feature = "load")]
#[doc(hidden)]
#[macro_export]
macro_rules! __text {
    (of_name $name:ident) => {
        ::core::stringify!($name)
    };
    (exact $symbol:expr) => {
        $symbol
    };
}

/// One function, by its symbol: `of_name` is its own name, `exact` what an attribute has.
#[cfg(all(feature = "link", not(feature = "load")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __driver_function {
    (of_name $name:ident; [$($attribute:tt)*] $($function:tt)*) => {
        const _: &::core::ffi::CStr =
            $crate::__symbols::of_name(::core::concat!(::core::stringify!($name), "\0"));
        $crate::__driver_function! { @ [$($attribute)*] $($function)* }
    };
    (exact $symbol:expr; [$($attribute:tt)*] $($function:tt)*) => {
        $crate::__driver_function! { @ [$($attribute)* #[link_name = $symbol]] $($function)* }
    };
    (@ [$($attribute:tt)*] $visibility:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;) => {
        #[cfg_attr(windows, link(name = "nvcuda", kind = "raw-dylib"))]
        unsafe extern "C" {
            $($attribute)*
            $visibility fn $name($($arg: $ty),*) -> $ret;
        }
    };
}
