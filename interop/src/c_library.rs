//! C libraries that are opened at run time.

use std::ffi::{CStr, c_void};

use libloading::Library;

use crate::{Error, Result};

/// Opens the first library of these names that the system has. It is never closed: drivers leave threads and exit
/// handlers behind.
pub fn open(names: &[&str]) -> Result<&'static Library> {
    let mut reasons = Vec::new();
    for name in names {
        // SAFETY: the library runs its initializers, as any library does.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(Box::leak(Box::new(library))),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(Error::Missing(format!("{} cannot be opened: {}", names[0], reasons.join("; "))))
}

/// Returns the address of a library's function, or null.
pub fn address(library: &Library, name: &CStr) -> *const c_void {
    // SAFETY: the address is only read.
    let symbol = unsafe { library.get::<*const c_void>(name.to_bytes_with_nul()) };
    symbol.map_or(std::ptr::null(), |symbol| *symbol)
}

/// Declares a struct of C functions, which are looked up by name.
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
            /// `find` returns the function of the name that it is given, or null. It has the type that is declared here.
            unsafe fn load(find: impl Fn(&std::ffi::CStr) -> *const std::ffi::c_void) -> $crate::Result<Self> {
                Ok(Self {$(
                    $name: {
                        let name = concat!(stringify!($name), "\0");
                        let address = find(std::ffi::CStr::from_bytes_with_nul(name.as_bytes()).expect("it ends with zero"));
                        if address.is_null() {
                            return Err($crate::Error::Missing(concat!("no function ", stringify!($name)).to_owned()));
                        }
                        // SAFETY: the caller guarantees the type.
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

#[cfg(test)]
mod tests {
    use std::ffi::c_int;

    use super::{address, open};
    use crate::Error;

    functions! {
        /// A function of the C library.
        pub struct Known { fn abs(c_int) -> c_int; }
    }
    functions! {
        /// A function that no library has.
        pub struct Unknown { fn cuda_external_sys_no_such_function(); }
    }

    #[test]
    fn functions_are_found_by_name() {
        let library = open(&["libno-such-library.so", "libc.so.6"]).unwrap();
        // SAFETY: the type is C's.
        let known = unsafe { Known::load(|name| address(library, name)) }.unwrap();
        // SAFETY: takes a number.
        assert_eq!(unsafe { (known.abs)(-5) }, 5);
        // SAFETY: nothing is called.
        match unsafe { Unknown::load(|name| address(library, name)) } {
            Err(Error::Missing(what)) => assert_eq!(what, "no function cuda_external_sys_no_such_function"),
            Err(error) => panic!("{error}"),
            Ok(unknown) => panic!("it was found at {:?}", unknown.cuda_external_sys_no_such_function),
        }
    }

    #[test]
    fn a_library_that_cannot_be_opened_is_missing() {
        match open(&["libno-such-library.so.1", "libno-such-library.so"]) {
            Err(Error::Missing(what)) => {
                assert!(what.starts_with("libno-such-library.so.1 cannot be opened: "), "{what}");
                assert!(what.contains("; libno-such-library.so:"), "{what}");
            }
            _ => panic!("it was opened"),
        }
    }
}
