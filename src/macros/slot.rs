//! Defines one function of the driver. In `load` mode the function calls the address in its slot, a static variable: at
//! first the resolver's, later that of the driver's function. In `link` mode the linker binds the function.

/// Defines one function. Its symbol is the function's name (`of_name`), or the text of `#[link_name]` (`exact`).
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
                    $crate::__symbols::$kind(::core::concat!($crate::__symbol_text!($kind $symbol), "\0"));
                SYMBOL
            },
            unsafe extern "C" fn($($ty),*) -> $ret;
            $attributes $visibility fn $name($($arg: $ty),*) -> $ret;
        }
    };
}

/// Defines one function with a slot, from an expression for its symbol and from the type of a pointer to the function.
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
            // The names of these two items begin with underscores, and so differ from every parameter's name in cuda.h.
            /// The slot. At first it holds the address of the resolver. If the resolver finds the driver's function,
            /// the slot then holds that function's address. If not, the next call calls the resolver again.
            static __SLOT: ::core::sync::atomic::AtomicPtr<::core::ffi::c_void> =
                ::core::sync::atomic::AtomicPtr::new(__resolve as *mut ::core::ffi::c_void);

            #[cold]
            unsafe extern "C" fn __resolve($($arg: $ty),*) -> $ret {
                match $crate::Driver::resolve_exact($symbol) {
                    ::core::result::Result::Ok(symbol) => {
                        // Release here and Acquire below: a thread that reads the address also sees the writes of the
                        // thread that opened the library. On x86-64 and AArch64 each access is one instruction.
                        __SLOT.store(symbol.as_ptr(), ::core::sync::atomic::Ordering::Release);
                        // SAFETY: cuda.h or the user of `extern_driver!` declares the driver's function with this type.
                        // The caller of this unsafe function guarantees that the arguments are valid.
                        unsafe {
                            ::core::mem::transmute::<*mut ::core::ffi::c_void, $pointer>(symbol.as_ptr())($($arg),*)
                        }
                    }
                    ::core::result::Result::Err(code) => ::core::convert::From::from(code),
                }
            }

            let function = __SLOT.load(::core::sync::atomic::Ordering::Acquire);
            // SAFETY: the slot holds the resolver or the driver's function, both of this type. The caller of this
            // unsafe function guarantees that the arguments are valid for the driver's function.
            unsafe { ::core::mem::transmute::<*mut ::core::ffi::c_void, $pointer>(function)($($arg),*) }
        }
    };
}

/// Returns the text of a symbol: the text of a name, or an expression as it is.
#[cfg(feature = "load")]
#[doc(hidden)]
#[macro_export]
macro_rules! __symbol_text {
    (of_name $name:ident) => {
        ::core::stringify!($name)
    };
    (exact $symbol:expr) => {
        $symbol
    };
}

/// Declares one function for the linker. Its symbol is its name (`of_name`), or the text of `#[link_name]` (`exact`).
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
