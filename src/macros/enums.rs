//! Makes a transparent newtype of each enum of C. With a Rust enum, a value that these bindings do not know would be
//! undefined behavior.

use core::fmt;

/// Defines one enum of the bindings.
///
/// Each enumerator is a constant at the bindings' root, as in C, and an associated constant of its type. The constants
/// of an enum are also in a separate module, so that a topic module can export all of them by one `use`.
///
/// On every target, the value is a `c_uint`, or a `c_int` if an enumerator is negative, as in gcc. Microsoft's C has
/// `int` for every enum, with the same size and calling convention.
macro_rules! c_enum {
    ($(#[$attribute:meta])* pub enum $name:ident: $values:ident { $($rest:tt)* }) => {
        c_enum! { $(#[$attribute])* pub enum $name(c_uint): $values { $($rest)* } }
    };
    ($(#[$attribute:meta])* pub enum $name:ident($repr:ty): $values:ident {
        $($constant:ident = $value:expr,)*
    }) => {
        $(#[$attribute])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $repr);

        // Not derived: a derived Eq has a function, which takes time to compile.
        impl Eq for $name {}

        pub mod $values {
            use super::$name;
            $(
                #[cfg_attr(doc, doc = concat!(
                    "One of the values of [`", stringify!($name), "`](super::", stringify!($name), ")."
                ))]
                pub const $constant: $name = $name($value);
            )*
        }
        pub use $values::*;

        impl $name {
            $(
                #[cfg_attr(doc, doc = concat!("[`", stringify!($constant), "`], as an associated constant."))]
                pub const $constant: Self = $constant;
            )*

            /// Returns the first name that `cuda.h` has for this value, or `None` if these bindings know none.
            #[inline]
            pub const fn name(self) -> Option<&'static str> {
                const NAMES: &[(i64, &str)] = &[$(($value, stringify!($constant))),*];
                crate::macros::first_name_of_value(NAMES, self.0 as i64)
            }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                crate::macros::print_enum_value(f, stringify!($name), self.name(), self.0 as i64)
            }
        }

        /// Returns the number as a `c_uint`, the type in which functions take flags. In a constant use `.0`.
        impl From<$name> for ::core::ffi::c_uint {
            #[inline]
            fn from(value: $name) -> Self {
                value.0 as Self
            }
        }

        /// Returns the value with this number. The bindings need not know the number.
        impl From<::core::ffi::c_uint> for $name {
            #[inline]
            fn from(number: ::core::ffi::c_uint) -> Self {
                Self(number as $repr)
            }
        }
    };
}

/// Implements `|` and `|=` for the enums whose values C programs combine.
macro_rules! flags {
    ($($name:ident,)*) => {
        $(
            impl ::core::ops::BitOr for $name {
                type Output = Self;
                #[inline]
                fn bitor(self, other: Self) -> Self {
                    Self(self.0 | other.0)
                }
            }

            impl ::core::ops::BitOrAssign for $name {
                #[inline]
                fn bitor_assign(&mut self, other: Self) {
                    self.0 |= other.0;
                }
            }
        )*
    };
}

pub(crate) const fn first_name_of_value(names: &[(i64, &'static str)], value: i64) -> Option<&'static str> {
    let mut index = 0;
    while index < names.len() {
        if names[index].0 == value {
            return Some(names[index].1);
        }
        index += 1;
    }
    None
}

/// Prints a value's name, or for a value without a name the type and the number: `CUresult(9140)`. All enums share this
/// function, so that their `Debug` compiles to a call.
pub(crate) fn print_enum_value(
    f: &mut fmt::Formatter<'_>,
    of: &str,
    name: Option<&str>,
    value: i64,
) -> fmt::Result {
    match name {
        Some(name) => f.write_str(name),
        None => write!(f, "{of}({value})"),
    }
}
