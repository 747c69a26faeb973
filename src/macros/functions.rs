//! What a bound function is, by mode. Where cuda.h renames a function by a macro, it has both names.

/// Defines the type of a pointer to each function, in a module of their own so that they do not crowd the documentation.
macro_rules! pointer_types {
    ($(
        $name:ident: $pfn:ident $(as $plain:ident: $plain_pfn:ident)? ($($arg:ident: $ty:ty),*) -> $ret:ty;
    )*) => {
        pub mod pfn {
            use super::*;
            $(
                #[doc = concat!("A pointer to [`", stringify!($name), "`].")]
                pub type $pfn = unsafe extern "C" fn($($arg: $ty),*) -> $ret;
                $(
                    #[doc = concat!("A pointer to [`", stringify!($plain), "`].")]
                    pub type $plain_pfn = $pfn;
                )?
            )*
        }
    };
}

/// Receives every function of the bindings.
///
/// In `link` mode the functions are the linker's: a call costs what it costs in C.
#[cfg(all(feature = "link", not(feature = "load")))]
macro_rules! driver_functions {
    ($(
        pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)?
        ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {
        pointer_types! { $($name: $pfn $(as $plain: $plain_pfn)? ($($arg: $ty),*) -> $ret;)* }
        #[cfg_attr(windows, link(name = "nvcuda", kind = "raw-dylib"))]
        unsafe extern "C" {
            $(pub fn $name($($arg: $ty),*) -> $ret;)*
        }
        $($(
            pub use self::$name as $plain;
        )?)*
    };
}

/// Receives every function of the bindings.
///
/// In `load` mode, also where `link` is on, each has a slot that starts at a resolver, which replaces itself. From the second
/// call on, a call is one load and one indirect jump, with no branch (and, from another crate on x86-64, one more load for
/// the slot's address). A resolver that fails stays in the slot, so that a driver that comes later is found. Both names of a
/// function share one slot.
#[cfg(feature = "load")]
macro_rules! driver_functions {
    ($(
        pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)?
        ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {
        pointer_types! { $($name: $pfn $(as $plain: $plain_pfn)? ($($arg: $ty),*) -> $ret;)* }
    $(
        #[inline]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            use core::{ffi::c_void, mem::transmute, sync::atomic::{AtomicPtr, Ordering}};

            static SLOT: AtomicPtr<c_void> = AtomicPtr::new(resolve as *mut c_void);

            #[cold]
            unsafe extern "C" fn resolve($($arg: $ty),*) -> $ret {
                match crate::loader::symbol(concat!(stringify!($name), "\0")) {
                    Ok(symbol) => {
                        // Release, and Acquire below: the thread that reads the address also sees
                        // the library that another thread opened. On x86-64 and AArch64 that is
                        // still one plain instruction.
                        SLOT.store(symbol, Ordering::Release);
                        // SAFETY: the driver's function of this name has this type, by cuda.h.
                        unsafe { transmute::<*mut c_void, pfn::$pfn>(symbol)($($arg),*) }
                    }
                    Err(code) => code,
                }
            }

            // SAFETY: the slot holds `resolve` or the driver's function, both of this type, and the caller keeps its rules.
            unsafe { transmute::<*mut c_void, pfn::$pfn>(SLOT.load(Ordering::Acquire))($($arg),*) }
        }
        $(
            pub use self::$name as $plain;
        )?
    )*
    };
}

/// Receives every function of the bindings.
///
/// With neither mode there is nothing to call, only the types of pointers to it.
#[cfg(not(any(feature = "load", feature = "link")))]
macro_rules! driver_functions {
    ($(
        pub fn $name:ident $(as $plain:ident)?: $pfn:ident $(as $plain_pfn:ident)?
        ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;
    )*) => {
        pointer_types! { $($name: $pfn $(as $plain: $plain_pfn)? ($($arg: $ty),*) -> $ret;)* }
    };
}
