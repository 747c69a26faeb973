//! The symbol that a declaration of `extern_driver!` means.

use core::ffi::CStr;

use crate::renamed::is_macro;

/// The symbol of a function by the name that it is declared with, `stringify!`ed, with a zero at the end.
pub const fn of_name(name: &'static str) -> &'static CStr {
    let name = match name.as_bytes() {
        [b'r', b'#', rest @ ..] => rest,
        name => name,
    };
    let (plain, _) = name.split_at(name.len() - 1);
    assert!(
        !is_macro(plain),
        "cuda.h makes a macro of this name, which stands for a versioned function: declare that one (cuMemAdvise_v2), or \
         write #[link_name = \"cuMemAdvise_v2\"] above"
    );
    c_str(name)
}

/// The symbol of one of this crate's functions.
#[cfg(feature = "load")]
pub(crate) use exact as own;

/// The symbol that `#[link_name]` has, with a zero at the end.
pub const fn exact(symbol: &'static str) -> &'static CStr {
    c_str(symbol.as_bytes())
}

const fn c_str(name: &'static [u8]) -> &'static CStr {
    match CStr::from_bytes_with_nul(name) {
        Ok(name) => name,
        Err(_) => panic!("the name of a function has a zero in it"),
    }
}
