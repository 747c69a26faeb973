//! Implements `Default`, `zeroed` and, for unions, `Debug`. Defines opaque structs.

/// Implements `Default` and the function `zeroed` for structs, unions and the enums with a constant of the value 0.
/// Both make a value whose bytes are all zero, as after C's `memset`.
macro_rules! zeroed_default {
    ($($name:ident,)*) => {
        $(
            impl $name {
                /// Returns a value whose bytes are all zero, as `default` does. A constant can call this function.
                #[inline] // so that a caller compiles to a memset
                pub const fn zeroed() -> Self {
                    // SAFETY: the types consist of integers, floats, raw pointers, optional function pointers, and
                    // structs, unions and arrays of them, for all of which zero bytes are valid.
                    unsafe { ::core::mem::zeroed() }
                }
            }

            impl Default for $name {
                /// Returns a value whose bytes are all zero.
                #[inline]
                fn default() -> Self {
                    Self::zeroed()
                }
            }
        )*
    };
}

/// Implements `Debug` for unions, without their fields: reading a field that was not written may be undefined behavior.
macro_rules! union_debug {
    ($($name:ident,)*) => {
        $(
            impl ::core::fmt::Debug for $name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(stringify!($name)).finish_non_exhaustive()
                }
            }
        )*
    };
}

/// Defines the structs that handles point to. C declares these structs without defining them.
macro_rules! opaque {
    ($($name:ident,)*) => {
        $(
            #[repr(C)]
            #[derive(Debug)]
            pub struct $name {
                _unused: [u8; 0],
            }
        )*
    };
}
