//! C's structs and unions: what Rust's derives cannot do for them.

/// Implements a `Default` of zero bytes, as C's `memset` makes them, for structs, unions and the enums that have a
/// zero.
macro_rules! zeroed_default {
    ($($name:ident,)*) => {
        $(
            impl $name {
                /// Returns a value whose bytes are all zero: the `default` for a constant.
                #[inline] // a memset where it is used, and no code here
                pub const fn zeroed() -> Self {
                    // SAFETY: integers, pointers and arrays of them may be zero, and the bindings have nothing else.
                    unsafe { ::core::mem::zeroed() }
                }
            }

            impl Default for $name {
                /// All bytes are zero.
                #[inline]
                fn default() -> Self {
                    Self::zeroed()
                }
            }
        )*
    };
}

/// Prints unions without their fields: which one was written is unknown, and reading another one may be undefined.
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

/// The structs that handles point to, which C never defines.
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
