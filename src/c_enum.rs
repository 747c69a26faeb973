//! How a C enum prints: by its value's name where the bindings know it, else by its number.

use core::fmt;

/// Receives every enum of the bindings, once, with its constants.
///
/// The constants also go into a module of their own, so that the topic modules can export as many
/// as the user's header has.
macro_rules! c_enum {
    ($name:ident, $values:ident: $($constant:ident,)*) => {
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let names = &[$(($constant.0 as u32, stringify!($constant))),*];
                crate::c_enum::debug(f, stringify!($name), self.0 as u32, names)
            }
        }
        pub mod $values {
            $(
                #[doc = concat!("One of the values of [`", stringify!($name), "`](super::", stringify!($name), ").")]
                #[allow(unused_imports)] // the handle types' are exported one by one
                pub use super::$constant;
            )*
        }
    };
}

/// Where two constants share a value, the first one is its name.
pub(crate) fn debug(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: u32,
    names: &[(u32, &str)],
) -> fmt::Result {
    match names.iter().find(|(known, _)| *known == value) {
        Some((_, constant)) => f.write_str(constant),
        None => write!(f, "{name}({value})"),
    }
}
