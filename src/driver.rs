//! What a bound function is, by mode.

/// The type of a pointer to each function, in a module of their own: they would hide the rest.
macro_rules! pointer_types {
    ($($name:ident: $pfn:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        pub mod pfn {
            use super::*;
            $(
                #[doc = concat!("A pointer to [`", stringify!($name), "`].")]
                pub type $pfn = unsafe extern "C" fn($($arg: $ty),*) -> $ret;
            )*
        }
    };
}

/// Receives every function of the bindings, once.
///
/// In `link` mode the functions are the linker's: a call costs what it costs in C.
#[cfg(feature = "link")]
macro_rules! driver_functions {
    ($($(#[$attribute:meta])* pub fn $name:ident: $pfn:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        pointer_types! { $($name: $pfn($($arg: $ty),*) -> $ret;)* }
        #[cfg_attr(windows, link(name = "nvcuda", kind = "raw-dylib"))]
        unsafe extern "C" {
            $($(#[$attribute])* pub fn $name($($arg: $ty),*) -> $ret;)*
        }
    };
}

/// Receives every function of the bindings, once.
///
/// In `load` mode each has a slot that starts at a resolver, which replaces itself: from the second
/// call on, a call is one load and one indirect jump, with no branch (and, from another crate on x86-64,
/// one more load for the slot's address). A resolver that fails stays, so that a driver
/// that comes later is found.
#[cfg(all(feature = "load", not(feature = "link")))]
macro_rules! driver_functions {
    ($($(#[$attribute:meta])* pub fn $name:ident: $pfn:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        pointer_types! { $($name: $pfn($($arg: $ty),*) -> $ret;)* }
    $(
        $(#[$attribute])*
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

            // SAFETY: the slot holds `resolve` or the driver's function, both of this type. What
            // the function asks of its arguments, it asks of our caller.
            unsafe { transmute::<*mut c_void, pfn::$pfn>(SLOT.load(Ordering::Acquire))($($arg),*) }
        }
    )*
    };
}

/// Receives every function of the bindings, once.
///
/// With neither mode there is nothing to call, only the types of pointers to it.
#[cfg(not(any(feature = "load", feature = "link")))]
macro_rules! driver_functions {
    ($($(#[$attribute:meta])* pub fn $name:ident: $pfn:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        pointer_types! { $($name: $pfn($($arg: $ty),*) -> $ret;)* }
    };
}
