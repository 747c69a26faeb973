//! C libraries that are opened at run time.

use std::ffi::{CStr, c_void};

use libloading::Library;

use crate::{Error, Result};

/// Opens the first library in `names` that can be opened, or returns [`Error::Missing`] if none can be opened. Never
/// closes the library: the library's threads and exit handlers may run until the process ends.
pub fn open_first_library(names: &[&str]) -> Result<&'static Library> {
    let mut reasons = Vec::new();
    for name in names {
        // SAFETY: the initializers of the libraries that this crate opens may run in any process.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(Box::leak(Box::new(library))),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(Error::Missing(format!("{} cannot be opened: {}", names[0], reasons.join("; "))))
}

/// Returns the address of a library's function, or null if the library lacks the function.
pub fn function_address(library: &Library, name: &CStr) -> *const c_void {
    // SAFETY: this function copies the symbol's address, and does not access what is there.
    let symbol = unsafe { library.get::<*const c_void>(name.to_bytes_with_nul()) };
    symbol.map_or(std::ptr::null(), |symbol| *symbol)
}

/// Declares a struct of C functions, with a function `load_functions` that looks them up by name.
macro_rules! functions {
    (
        $(#[$attribute:meta])*
        pub struct $table:ident { $(fn $name:ident($($argument:ty),* $(,)?) $(-> $result:ty)?;)* }
    ) => {
        $(#[$attribute])*
        #[allow(non_snake_case)] // the functions are called as in C
        pub struct $table {
            $(
                #[doc = concat!("C's function `", stringify!($name), "`.")]
                pub $name: unsafe extern "system" fn($($argument),*) $(-> $result)?,
            )*
        }

        impl $table {
            /// Looks all functions up. The error names the first that is missing.
            ///
            /// # Safety
            ///
            /// `find` must return null or the function with the given name. The function must have the declared type.
            unsafe fn load_functions(
                find: impl Fn(&std::ffi::CStr) -> *const std::ffi::c_void,
            ) -> $crate::Result<Self> {
                Ok(Self {$(
                    $name: {
                        let name = std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes());
                        let address = find(name.expect("it ends with zero"));
                        if address.is_null() {
                            return Err($crate::Error::Missing(concat!("no function ", stringify!($name)).to_owned()));
                        }
                        // SAFETY: the caller guarantees that `find` returned this name's function, of this type.
                        unsafe {
                            std::mem::transmute::<
                                *const std::ffi::c_void,
                                unsafe extern "system" fn($($argument),*) $(-> $result)?,
                            >(address)
                        }
                    },
                )*})
            }
        }
    };
}
pub(crate) use functions;
